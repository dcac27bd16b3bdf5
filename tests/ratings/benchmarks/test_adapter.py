"""The golden adapter on neighbours of the golden cases: options passed on, and never a NaN for garbage."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from scipy.stats import binom, norm

from arena.errors import ArenaError
from tests.golden.adapter import FUNCTIONS, VARIED, call

CASES = json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text(encoding="utf-8"))
WORDS = (
    "method",
    "scale",
    "what",
    "which",
    "format",
    "check",
    "oracle",
    "splits",
    "tie",
    "seed",
    "rng_seed",
    "note",
)
GARBAGE = [
    math.nan,
    math.inf,
    -math.inf,
    None,
    "x",
    True,
    -1,
    10**400,
    [],
    [[]],
    ["a"],
    [None, 1],
    {},
    [[1, 2], [3]],
]
FIRST = {case["fn"]: case for case in reversed(CASES) if "raises" not in str(case["expected"])}


def test_every_function_of_the_file_is_mapped():
    assert {case["fn"] for case in CASES} == set(FUNCTIONS) | set(VARIED)


def test_options_reach_the_functions():
    z80 = norm.ppf(0.9)

    assert call("required_n", {"p": 0.5, "delta": 0.1, "alpha": 0.1, "power": 0.9})["raw"] == pytest.approx(
        (norm.ppf(0.95) + norm.ppf(0.9)) ** 2 * 50
    )
    assert call("saturation_report", {"acc": [0.9], "n": 400, "eps": 0.0, "human": 0.91})["ceiling"] == 0.91
    assert call("saturation_report", {"acc": [0.9, 0.88], "n": 400, "eps": 0.0, "alpha": 0.5})["n_tied"] == 1
    assert call("thresholdout", {"train": 0.8, "holdout": 0.7, "T": 0.04, "sigma": 0, "budget": 1}) == 0.7
    with pytest.raises(ArenaError):
        call("thresholdout", {"train": 0.8, "holdout": 0.7, "T": 0.04, "sigma": 0, "budget": 0})
    assert call("best_of_m_inflation", {"m": 4, "n": 9, "p": 0.5, "rho": 1}) == 0
    assert call("debiased_best", {"observed_best": 0.8, "m": 4, "n": 9, "rho": 1}) == 0.8
    assert call("wilson_ci", {"k": 3, "n": 9, "z": z80}) == pytest.approx(
        call("wilson_ci", {"k": 3, "n": 9, "level": 0.8})
    )
    assert call("accuracy_ci", {"scores": [1, 0, 1], "z": 0})[1] == pytest.approx(2 / 3)
    assert call("half_width95", {"p": 0.5, "n": 100, "z": 2}) == 0.1
    assert call("fisher_ci", {"r": 0.0, "n": 103, "level": 0.8})[1] == pytest.approx(math.tanh(z80 / 10))
    assert call("paired_diff_ci", {"a": [1, 0, 1], "b": [0, 0, 1], "z": 0})[1] == pytest.approx(1 / 3)
    assert call("mde", {"p": 0.5, "n": 50, "alpha": 0.05, "power": 0.5}) == pytest.approx(
        norm.ppf(0.975) / 10
    )
    assert call("required_n_resolve", {"p": 0.5, "delta": 0.1, "z": 2})["n"] == 200
    assert call("bootstrap_ci", {"scores": [1, 0, 1, 1], "level": 0.5, "method": "exact"}) == [
        binom.ppf(0.25, 4, 0.75) / 4, binom.ppf(0.75, 4, 0.75) / 4
    ]  # fmt: skip
    assert call("implied_accuracy", {"observed": 0.5, "eps": 0.0, "K_opt": "inf", "n": 10}) == 0.5


def test_one_name_of_several_functions_can_be_told_apart():
    p = [0.01, 0.02, 0.9]

    assert call("multiplicity", {"p": p, "method": "bonferroni"}) == pytest.approx([0.03, 0.06, 1])
    assert call("multiplicity/bonferroni", {"p": p, "alpha": 0.05}) == pytest.approx([0.03, 0.06, 1])
    assert call("multiplicity/holm", {"p": p, "alpha": 0.05}) == pytest.approx([0.03, 0.04, 0.9])
    assert call("multiplicity", {"p": p, "alpha": 0.05}) == pytest.approx([0.03, 0.03, 0.9])  # BH
    item = {"item": [1, 1, 0, 0], "rating": [4, 3, 2, 1]}
    assert call("item_arena_agreement/perm_p", item) == pytest.approx(2 / 6)
    assert call("item_arena_agreement", item)["auc"] == 1


def has_nan(value) -> bool:
    if isinstance(value, dict):
        return any(map(has_nan, value.values()))
    if isinstance(value, list | tuple):
        return any(map(has_nan, value))
    return isinstance(value, float) and math.isnan(value)


@pytest.mark.parametrize("fn", sorted(FIRST))
def test_garbage_gives_our_error_or_a_number_never_nan(fn):
    inputs = FIRST[fn]["inputs"]

    for key in inputs:
        for value in GARBAGE if key not in WORDS else ():
            try:
                answer = call(fn, {**inputs, key: value})
            except ArenaError:
                continue
            assert not has_nan(answer), (key, value)
