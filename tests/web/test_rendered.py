"""Rendered texts: few parts, made once at a time, and kept on the disk under a signature."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path

import pytest
from markupsafe import Markup

from arena.bank.bank import Bank
from arena.settings.settings import ROOT
from tests.arena.makers import make_bank
from web import format, warming
from web.format import render
from web.remembered import Remembered
from web.rendered import Rendered

SIZE = format.LONGEST_MARKDOWN
HEAVY = {
    "few columns": "|a" * 30 + "\n" + "|-" * 30 + "|\n" + "|\n" * SIZE,
    "many columns": "|" * 200 + "\n" + "|-" * 200 + "|\n" + "|\n" * SIZE,
    "images": "![" * SIZE,
    "formulas": "\\[\n" * SIZE,
    "environments": "\\begin{align}\n" * SIZE,
    "items": "- a\n" * SIZE,
    "paragraphs": "a\n\n" * SIZE,
    "lines": "a\n" * SIZE,
    "links": "[a](" * SIZE,
    "emphasis": "*a**" * SIZE,
}


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "cache", None)
    render.cache_clear()


@pytest.fixture
def cache(tmp_path: Path) -> Rendered:
    return Rendered(tmp_path / "rendered", "a secret", "1")


@pytest.mark.parametrize("kind", HEAVY)
def test_a_text_of_too_many_parts_is_shown_as_typed_and_soon(kind: str) -> None:
    text = HEAVY[kind][:SIZE]
    started = time.thread_time()

    shown = render(text)

    assert time.thread_time() - started < 0.5  # 0.15 s at the most here; some took 1.7 s
    assert shown == f"<pre>{escape(text, quote=False)}</pre>"


def test_a_table_of_a_thousand_cells_is_a_table() -> None:
    assert str(render("|a|b|\n|-|-|\n" + "|1|2|\n" * 500)).count("<td>") == 1_000


def test_a_text_is_made_once_while_others_wait_for_it() -> None:
    asked = threading.Barrier(4)

    def make(text: str) -> Markup:
        time.sleep(0.1)
        return Markup(text)

    kept = Remembered(make, 1_000)

    def ask(_: int) -> Markup:
        asked.wait()
        return kept("one")

    with ThreadPoolExecutor(4) as visitors:
        shown = list(visitors.map(ask, range(4)))

    assert shown == ["one"] * 4
    assert kept.made == 1


def test_a_text_that_fails_is_tried_again_by_the_next() -> None:
    answers = iter((ValueError, Markup("well")))

    def make(text: str) -> Markup:
        answer = next(answers)
        if answer is ValueError:
            raise ValueError
        return Markup(answer)

    kept = Remembered(make, 1_000)

    with pytest.raises(ValueError):
        kept("one")
    assert kept("one") == "well"


def test_another_process_finds_what_was_rendered(cache: Rendered, tmp_path: Path) -> None:
    cache.write("*a*", "<em>a</em>")

    assert Rendered(tmp_path / "rendered", "a secret", "1").read("*a*") == "<em>a</em>"
    assert Rendered(tmp_path / "rendered", "a secret", "2").read("*a*") is None
    assert Rendered(tmp_path / "rendered", "other", "1").read("*a*") is None


def test_a_planted_swapped_or_cut_file_is_not_shown(cache: Rendered, tmp_path: Path) -> None:
    cache.write("one", "<p>one</p>")
    (path,) = (tmp_path / "rendered").iterdir()
    cache.write("two", "<p>two</p>")
    (other,) = set((tmp_path / "rendered").iterdir()) - {path}
    good = path.read_bytes()

    for bad in (b"", good[:-1], good + b"<script>", other.read_bytes(), b"<script>alert(1)</script>" * 9):
        path.write_bytes(bad)
        assert cache.read("one") is None


def test_the_folder_has_an_end_and_a_full_one_loses_nothing(tmp_path: Path) -> None:
    cache = Rendered(tmp_path, "a secret", "1", room=100)

    cache.write("one", "x" * 50)
    cache.write("two", "y" * 50)

    assert cache.is_full
    assert cache.read("one") == "x" * 50
    assert cache.read("two") is None


def test_a_folder_that_cannot_be_written_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(render, "cache", Rendered(tmp_path / "file", "a secret", "1"))

    assert "<em>a</em>" in render("*a*")


def test_an_edited_bank_renders_only_what_is_new(cache: Rendered, tmp_path: Path) -> None:
    bank: Bank = make_bank()
    stale = tmp_path / "rendered" / "stale"

    warming.fill(cache, bank)
    first = render.made
    stale.write_text("of a text that is gone")
    render.cache_clear()
    warming.fill(cache, bank)

    assert first == len(bank.prompts) + len(bank.answers)
    assert render.made == 0
    assert not stale.exists()


def test_the_command_fills_the_folder_of_the_installation(tmp_path: Path) -> None:
    mine = {
        "ARENA_HOME": str(tmp_path), "ARENA_SECRET": "s" * 40, "PYTHONPATH": str(ROOT),
        "ARENA_BANK": str(ROOT / "data" / "bank" / "bank.jsonl"),
    }  # fmt: skip

    done = subprocess.run(
        [sys.executable, "-m", "web.warming"],
        cwd=ROOT,
        env={**os.environ, **mine},
        capture_output=True,
        check=True,
    )

    assert done.stderr == b""
    assert len(list((tmp_path / "rendered").iterdir())) > 100
