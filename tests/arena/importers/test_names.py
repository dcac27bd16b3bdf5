"""Names stay as they are written, up to NFC and what cannot be seen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.importers.values.names import Names
from arena.importers.values.values import Reject


@pytest.mark.parametrize(
    "name", ["NA", "null", "None", "007", "1e5", "True", "-inf", "=1+1", "@x", "a b", "\u4e2d\u6587", "\U0001f9d1\u200d\U0001f680", "a,b;c\"d'", "\u0645\u06cc\u200c\u062e"]
)  # fmt: skip
def test_a_name_is_kept_to_the_letter(name: str) -> None:
    names = Names()

    assert names.read(name, "model_a") == name
    assert names.changes() == ()


@pytest.mark.parametrize(
    ("written", "kept", "told"),
    [
        ("cafe\u0301", "caf\u00e9", "NFC"),
        (" rook", "rook", "outer space"),
        ("rook\u00a0", "rook", "outer space"),
        ("ro\u200bok", "rook", "U+200B ZERO WIDTH SPACE"),
        ("\ufeffrook", "rook", "U+FEFF"),
        ("rook\u200d-2", "rook-2", "U+200D"),
        ("soft\u00adhyphen", "softhyphen", "U+00AD"),
    ],
)
def test_what_cannot_be_seen_is_taken_out_and_told(written: str, kept: str, told: str) -> None:
    names = Names()

    assert names.read(written, "model_a") == kept
    (line,) = names.changes()
    assert told in line


@pytest.mark.parametrize(
    "name", ["\t=1", "a\rb", "a\nb", "a\x00", "a\x7f", "a\x85", "a\u2028b", "a\u202eb", "a\u2066b", "\u200ea", "a\ufffdb", "a\ud83d", "a\U000e0041"]
)  # fmt: skip
def test_controls_bidi_and_broken_characters_are_refused_by_code_point(name: str) -> None:
    with pytest.raises(Reject, match=r"U\+|byte 0x"):
        Names().read(name, "model_a")


@pytest.mark.parametrize("name", [None, "", " ", "\u200b", float("nan")])
def test_a_missing_name_is_refused(name: Any) -> None:
    with pytest.raises(Reject, match="missing"):
        Names().read(name, "model_a")


@pytest.mark.parametrize("name", [7, 1.5, True, ["rook"], {"name": "rook"}])
def test_a_name_is_never_guessed_from_another_type(name: Any) -> None:
    with pytest.raises(Reject, match="must be text"):
        Names().read(name, "model_a")


def test_a_name_has_a_longest_length() -> None:
    assert Names().read("x" * 256, "model_a") == "x" * 256
    with pytest.raises(Reject, match="256 characters"):
        Names().read("x" * 257, "model_a")


def test_many_changes_are_cut_with_a_count() -> None:
    names = Names()
    for index in range(25):
        names.read(f"rook-{index} ", "model_a")

    assert len(names.changes()) == 21
    assert names.changes()[-1] == "... and 5 more names changed"


@given(st.text(max_size=20))
def test_a_kept_name_is_kept_again(name: str) -> None:
    try:
        kept = Names().read(name, "model_a")
    except Reject:
        return

    assert Names().read(kept, "model_a") == kept
    kept.encode("utf-8")
