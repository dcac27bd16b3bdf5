"""`--outcomes` and `--columns`: one rule for both commands."""

from __future__ import annotations

import pytest

from arena.errors import WrongUsage
from arena.importers.rules.columns import columns_mapping, outcomes_mapping, pairs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("left=model_a,right=model_b", {"left": "model_a", "right": "model_b"}),
        ("model_a=left, tie = draw", {"model_a": "left", "tie": "draw"}),
        ("a=b=model_a", {"a=b": "model_a"}),
        ("model_a=a=b", {"model_a": "a=b"}),
        ("==tie", {"=": "tie"}),
        ("tie==", {"tie": "="}),
        ("A=model_a,A=model_a", {"A": "model_a"}),
    ],
)
def test_the_sign_beside_our_word_divides(text, expected):
    assert outcomes_mapping(text) == expected


def test_without_a_word_of_ours_the_last_sign_divides():
    assert pairs("a=b=c") == {"a=b": "c"}
    assert columns_mapping("winner=verdict=1") == {"winner": "verdict=1"}


@pytest.mark.parametrize(
    "text", ["", "left", "left=", "=model_a", "left=model_a,", "left=model_a,left=model_b"]
)
def test_what_is_no_pair_is_refused(text):
    with pytest.raises(WrongUsage):
        outcomes_mapping(text)
