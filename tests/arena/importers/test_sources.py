"""Files, folders, globs, pipes and standard input; packed files, and those that are none of it."""

from __future__ import annotations

import gzip
import io
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

from arena.errors import BadInput
from arena.importers import read
from tests.arena.importers.conftest import Write

VOTES = b"model_a,model_b,winner\nrook,teal,tie\n"


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, zstandard.compress, lambda data: gzip.compress(data[:30]) + gzip.compress(data[30:])],
)
@pytest.mark.parametrize("name", ["votes.csv", "votes.csv.gz", "votes"])
def test_packed_files_are_told_by_content(write: Write, pack: object, name: str) -> None:
    assert read([write(pack(VOTES), name)]).tally.accepted == 1  # type: ignore[operator]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_packed_file_cut_short_is_refused(write: Write, pack: object) -> None:
    path = write(pack(VOTES * 100)[:-9], "votes.csv.gz")  # type: ignore[operator]

    with pytest.raises(BadInput, match="damaged or cut short"):
        read([path], skip_bad=True)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_bomb_is_stopped(write: Write, monkeypatch: pytest.MonkeyPatch, pack: object) -> None:
    monkeypatch.setattr("arena.settings.bounds.SMALL", 1 << 20)
    path = write(pack(VOTES[:23] + b"rook,teal,tie\n" * 1_000_000), "votes.csv.gz")  # type: ignore[operator]

    with pytest.raises(BadInput, match="unpack to more than"):
        read([path])


def test_a_folder_is_read_in_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(VOTES)
    (tmp_path / "a.jsonl").write_bytes(b'{"model_a": "wren", "model_b": "teal", "winner": "tie"}\n')
    (tmp_path / "README.md").write_bytes(b"not data")
    (tmp_path / "people.csv").write_bytes(b"name,town\nx,y\n")

    reading = read([tmp_path])

    assert [Path(file).name for file in reading.tally.files] == ["a.jsonl", "b.csv"]
    assert any("people.csv: holds no votes" in warning for warning in reading.tally.warnings)
    assert reading.tally.accepted == 2


def test_a_folder_without_votes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file in this folder"):
        read([tmp_path])

    (tmp_path / "people.csv").write_bytes(b"name,town\nx,y\n")
    with pytest.raises(BadInput, match="fits no known vote format"):
        read([tmp_path])


def test_a_damaged_vote_file_of_a_folder_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(VOTES)
    (tmp_path / "b.csv").write_bytes(b"model_a,winner\nrook,tie\n")

    with pytest.raises(BadInput, match="column model_b is missing"):
        read([tmp_path])


def test_a_glob_names_its_files(tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"day{day}.csv").write_bytes(VOTES)

    assert read([str(tmp_path / "day*.csv")]).tally.accepted == 2
    with pytest.raises(BadInput, match="no such file"):
        read([str(tmp_path / "night*.csv")])


def test_a_file_named_twice_is_read_once(write: Write) -> None:
    path = write(VOTES)

    assert read([path, str(path)]).tally.accepted == 1


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(VOTES))))

    reading = read(["-"])

    assert reading.tally.files == ("<stdin>",)
    assert reading.tally.accepted == 1


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(VOTES,))
    writer.start()

    assert read([pipe]).tally.accepted == 1
    writer.join()


def test_no_such_file_is_one_line() -> None:
    with pytest.raises(BadInput, match=r"^nowhere\.csv: no such file$"):
        read(["nowhere.csv"])


def test_no_path_is_refused() -> None:
    with pytest.raises(BadInput, match="no file to read"):
        read([])


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"PK\x03\x04rest", "spreadsheet"), (b"%PDF-1.7", "PDF"), (b"SQLite format 3\x00", "database"), (b"BZh91AY", "bzip2"),
     (bytes(range(256)), "zero bytes"), (b"PAR1garbagePAR1", "Parquet")],
)  # fmt: skip
def test_a_file_that_is_no_text_is_told_what_it_is(write: Write, content: bytes, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read([write(content)], skip_bad=True)


def test_progress_ends_at_the_whole(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes(VOTES + b"rook,teal,tie\n" * 200_000)
    seen: list[tuple[int, int]] = []

    read([tmp_path], progress=lambda done, total: seen.append((done, total)))

    total = 2 * (len(VOTES) + 14 * 200_000)
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) > 4


def test_a_file_name_that_is_no_utf8_can_be_told(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/v\xff.csv"
    Path(os.fsdecode(path)).write_bytes(b"model_a,model_b,winner\nrook,teal,x\n")

    (problem,) = read([os.fsdecode(path)], skip_bad=True).tally.rejected

    assert str(problem).encode("utf-8")
