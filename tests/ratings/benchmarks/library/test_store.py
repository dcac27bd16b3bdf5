"""The shelf of benchmarks: whole or not at all, the same twice is nothing new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import BadInput
from ratings.benchmarks.library.published import MANIFEST, Published, folder_of
from ratings.benchmarks.library.store import BenchmarkShelf
from ratings.benchmarks.readers import Ask, Entry, Reading, read
from ratings.benchmarks.results.assembly import assemble

NAME = "My Quiz"


def reading(folder: Path, model: str, scores: str = "1,0") -> Reading:
    path = folder / f"{model}.csv"
    path.write_text("item,score\n" + "".join(f"i{n},{s}\n" for n, s in enumerate(scores.split(","))))
    return read([path], ask=Ask(model=model))


def add(shelf: BenchmarkShelf, found: Reading, at: float = 1.0) -> bool:
    kept = shelf.with_import(NAME, found, at=at)
    return shelf.put(kept, {NAME: json.dumps({"models": len({e.model for e in kept.entries})}).encode()})


def test_imports_add_up_and_come_back_as_they_were(tmp_path: Path) -> None:
    shelf = BenchmarkShelf(tmp_path / "shelf")

    add(shelf, reading(tmp_path, "m"))
    add(shelf, reading(tmp_path, "n"))

    kept = BenchmarkShelf(tmp_path / "shelf").load(NAME)
    assert kept is not None
    assert assemble(kept.entries, NAME)[NAME].models == ("m", "n")
    assert kept.entries[:2] == reading(tmp_path, "m").entries


def test_the_same_import_twice_changes_nothing(tmp_path: Path) -> None:
    shelf = BenchmarkShelf(tmp_path / "shelf")
    add(shelf, reading(tmp_path, "m"))
    before = {path: path.stat().st_mtime_ns for path in shelf.root.rglob("*.*") if path.name != ".lock"}

    changed = add(shelf, reading(tmp_path, "m"), at=99.0)

    assert not changed
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_without_the_manifest_nothing_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = BenchmarkShelf(tmp_path / "shelf")
    add(shelf, reading(tmp_path, "m"))
    replace = Path.replace

    def killed(self: Path, target: Path) -> Path:
        if Path(target).name == MANIFEST:
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        add(shelf, reading(tmp_path, "n"))

    kept = shelf.load(NAME)
    assert kept is not None
    assert {entry.model for entry in kept.entries} == {"m"}
    assert Published(shelf.root).pages()[0].report == {"models": 1}


def test_attempts_that_were_changed_on_disk_are_refused(tmp_path: Path) -> None:
    shelf = BenchmarkShelf(tmp_path / "shelf")
    add(shelf, reading(tmp_path, "m"))
    part = next(shelf.root.rglob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-1] + b"x")

    with pytest.raises(BadInput, match="changed"):
        shelf.load(NAME)


def test_a_benchmark_can_be_taken_away(tmp_path: Path) -> None:
    shelf = BenchmarkShelf(tmp_path / "shelf")
    add(shelf, reading(tmp_path, "m"))

    assert shelf.remove(NAME)
    assert not shelf.remove(NAME)
    assert shelf.names() == []


def test_pages_are_read_anew_after_an_import(tmp_path: Path) -> None:
    shelf, published = BenchmarkShelf(tmp_path / "shelf"), Published(tmp_path / "shelf")
    assert published.pages() == ()
    add(shelf, reading(tmp_path, "m"))
    assert published.pages()[0].report == {"models": 1}

    add(shelf, reading(tmp_path, "n"))

    page = published.page(folder_of(NAME))
    assert page is not None
    assert page.report == {"models": 2}


@pytest.mark.parametrize("name", ["../../etc", "a/b", "Ä", "", "x" * 300, "a b", "A-B"])
def test_folders_are_plain_and_their_own(name: str) -> None:
    folder = folder_of(name)

    assert folder == folder.lower()
    assert "/" not in folder
    assert len(folder) < 80
    assert folder != folder_of(name + " ")


def test_runs_of_two_imports_are_attempts_and_their_judges_variants(tmp_path: Path) -> None:
    shelf = BenchmarkShelf(tmp_path / "shelf")
    for name, score in (("monday", 1.0), ("tuesday", 0.0)):
        entry = Entry("quiz", "m", "q", score, marks=(("judge", "j"),), run=name)
        add(shelf, Reading((entry,), reading(tmp_path, "m").account))
    other = Entry("quiz", "m", "q", 1.0, marks=(("judge", "k"),), run="monday")
    add(shelf, Reading((other,), reading(tmp_path, "m").account))

    kept = shelf.load(NAME)

    assert kept is not None
    found = assemble(kept.settled, NAME)
    assert {name: part.means().tolist() for name, part in found.items()} == {
        f"{NAME}:j": [[0.5]],
        f"{NAME}:k": [[1.0]],
    }
