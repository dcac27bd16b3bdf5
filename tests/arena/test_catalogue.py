"""The bank and the roster in use: read when they change, and the last good ones kept when they break."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.bank_files import write_bank
from arena.catalogue import Catalogue
from arena.errors import BadInput
from arena.models import Roster, slug_of
from tests.arena.makers import make_bank


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    monkeypatch.setattr("arena.catalogue.LOOK_SECONDS", 0.0)
    write_bank(tmp_path, make_bank())
    (tmp_path / "models.toml").write_text('[[model]]\nname = "osprey"\n', encoding="utf-8")
    return Catalogue(tmp_path, tmp_path / "models.toml", trusted=True)


def test_a_written_bank_is_read_as_it_was(catalogue: Catalogue) -> None:
    assert catalogue.bank() == make_bank()


def test_a_change_is_seen_and_a_broken_file_is_not(catalogue: Catalogue) -> None:
    assert len(catalogue.roster()) == 1

    catalogue.roster_path.write_text('[[model]]\nname = "osprey"\n[[model]]\nname = "x"\n', encoding="utf-8")
    changed = catalogue.roster()
    catalogue.roster_path.write_text("[[model]\n", encoding="utf-8")

    assert len(changed) == 2
    assert catalogue.roster() == changed
    assert catalogue.bank().models


def test_no_files_are_an_empty_bank(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "none", tmp_path / "none" / "models.toml")

    assert (len(catalogue.bank().prompts), len(catalogue.roster())) == (0, 0)


def test_traits_of_another_version_are_measured_anew(catalogue: Catalogue) -> None:
    path = catalogue.bank_path / "bank.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text(
        "".join(json.dumps({**row, "traits": {"old": 1}}) + "\n" for row in rows), encoding="utf-8"
    )

    assert catalogue.bank() == make_bank()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[model]]\nslug = "x"\n', "every model needs a name"),
        ('[[model]]\nname = "a"\n[[model]]\nname = "b"\naliases = ["a"]\n', "already names 'a'"),
        ('[[model]]\nname = "a b"\n[[model]]\nname = "a-b"\n', "already the slug of 'a b'"),
        ('[[model]]\nname = "a"\nstatus = "gone"\n', "must be one of active, retired, private"),
        ('[[model]]\nname = "a"\nslug = "A/B"\n', "may hold a-z"),
        ('[[model]]\nname = "a"\nvariant_of = "b"\n', "no other model of this roster"),
        ('[[model]]\nname = "a"\ncolour = "red"\n', "unknown field"),
        ("[[model]]\nname = 3\n", "must be a string"),
        ('[[model]]\nname = "e\u0301"\n', "composed form"),
        ('[[model]]\nname = "a\u200bb"\n', "U\\+200B"),
        ('[models]\nname = "a"\n', "unknown table"),
    ],
)
def test_a_faulty_roster_is_refused_with_its_reason(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(BadInput) as refused:
        Roster.load(path)

    assert any(told.replace("\\", "") in str(problem) for problem in refused.value.problems)


@pytest.mark.parametrize(
    ("name", "slug"),
    [("GPT-4o (May)", "gpt-4o-may"), ("café 1", "cafe-1"), ("模型", "model"), ("a/../b", "a-..-b")],
)
def test_a_slug_is_plain(name: str, slug: str) -> None:
    assert slug_of(name) == slug
