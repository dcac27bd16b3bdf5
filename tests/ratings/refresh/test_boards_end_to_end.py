"""What an import tells of each vote reaches the boards that ask for it: from a file by the commands to the counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.__main__ import cli
from arena.store.store import Store
from ratings.__main__ import main
from ratings.releases import storage

pytestmark = pytest.mark.slow

DAY = 86_400.0
# name of the board -> its filter, and how many of the votes below it takes
BOARDS = {
    "all": ("", 24),
    "math": ('category = "math"', 8),
    "code": ('category = "code"', 12),
    "complex": ('category = "complexity"', 24),
    "german": ('language = "de"', 6),
    "late": ("since = 2023-11-20T00:00:00Z", 12),
    "first": ('source = "rounds.jsonl"', 18),
    "both": ('category = "math"\nlanguage = "de"', 2),
}


def rows(start: int, end: int) -> list[dict[str, object]]:
    """Battles as the 100k release tells them: tags in two versions, a language by name, seconds since 1970."""
    models = ("avocet-3", "dunlin", "godwit 2")
    return [
        {
            "question_id": f"q{n}", "model_a": models[n % 3], "model_b": models[(n + 1) % 3],
            "winner": ("model_a", "model_b", "tie", "tie (bothbad)")[n % 4], "judge": f"arena_user_{n % 7}",
            "conversation_a": [{"role": "user", "content": f"Q{n}?"}, {"role": "assistant", "content": f"yes {n}"}],
            "conversation_b": [{"role": "user", "content": f"Q{n}?"}, {"role": "assistant", "content": f"no {n}"}],
            "turn": 1, "language": "German" if n % 4 == 0 else "English", "tstamp": 1_699_833_600.0 + DAY * (7 if n >= 12 else 1),
            "anony": True, "is_code": n % 2 == 0, "is_refusal": False,
            "category_tag": {"criteria_v0.1": {"complexity": True}, "math_v0.1": {"math": n % 3 == 0}, "if_v0.1": {"if": False, "score": 1}},
        }
        for n in range(start, end)
    ]  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, start, end in (("rounds", 0, 18), ("more", 18, 24)):
        lines = "".join(json.dumps(row) + "\n" for row in rows(start, end))
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    declared = [
        f'[[board]]\nname = "{name}"\ncollection = "rounds"\nrounds = 0\nmin_votes = 0\n{asked}\n'
        for name, (asked, _) in BOARDS.items()
    ]
    (tmp_path / "boards.toml").write_text("\n".join(declared))
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    monkeypatch.setenv("ARENA_BOARDS", str(tmp_path / "boards.toml"))
    return tmp_path


def test_a_board_takes_the_votes_that_its_filter_names(
    home: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logging.basicConfig", lambda **_: None)
    monkeypatch.setattr("ratings.refresh.drawing.rendered", lambda spec: b"<svg>drawn</svg>")
    monkeypatch.setattr("ratings.reports.sections.rendered", lambda spec: b"<svg>drawn</svg>")

    for name in ("rounds", "more"):
        done = CliRunner().invoke(cli, ["import", str(home / f"{name}.jsonl"), "--into", "rounds"])
        assert done.exit_code == 0, done.output
    made = CliRunner().invoke(main, ["refresh"])
    assert made.exit_code == 0, made.output

    release = storage.current(store.releases)
    assert release is not None
    found = {board.name: board.plain.leaderboard.snapshot.votes_used for board in release.boards}
    assert found == {name: count for name, (_, count) in BOARDS.items()}
