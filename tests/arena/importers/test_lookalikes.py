"""Names that a reader would take for one another are told, with the code point that differs."""

from __future__ import annotations

import pytest

from arena.importers.values.confusables import lookalikes, skeleton
from arena.importers.values.names import SHOWN_AT_MOST


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("osprey", "\u043esprey", "U+043E CYRILLIC SMALL LETTER O"),
        ("alpha", "\u03b1lpha", "U+03B1 GREEK SMALL LETTER ALPHA"),
        ("rook-v1", "rook-vl", "U+0031 DIGIT ONE"),
        ("GPT-4o", "GPT-4O", "letter case"),
        ("rook\u20107", "rook-7", "U+2010 HYPHEN"),
        ("Rook", "rook", "letter case"),
        ("rook  7", "rook 7", "space"),
        ("\uff52ook", "rook", "U+FF52"),
    ],
)
def test_a_pair_that_looks_alike_is_told(one: str, other: str, told: str) -> None:
    (warning,) = lookalikes([one, other, "quite-different"])

    assert told in warning


def test_a_single_name_of_two_scripts_is_told() -> None:
    (warning,) = lookalikes(["r\u043eok"])

    assert "mixes scripts" in warning
    assert "U+043E" in warning


def test_honest_names_are_not_told() -> None:
    assert (
        lookalikes(
            ["rook-7b", "rook-13b", "\u0433\u0440\u0430\u0447", "caf\u00e9", "\u4e2d\u6587-7b", "M\u00f6we"]
        )
        == ()
    )


def test_many_warnings_are_cut_with_a_count() -> None:
    found = lookalikes([f"{prefix}ook-{i}" for i in range(30) for prefix in "rR"])

    assert len(found) == SHOWN_AT_MOST + 1
    assert found[-1] == "... and 10 more such names"


def test_equal_skeletons_are_what_looks_the_same() -> None:
    assert skeleton("p\u0430yp\u0430l") == skeleton("paypal")
    assert skeleton("rook-7") != skeleton("rook-8")
