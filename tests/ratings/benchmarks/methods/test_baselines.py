"""Baselines: PASS and FAIL at the thresholds, and never a PASS for what cannot be told."""

from __future__ import annotations

import pytest

from ratings.benchmarks.methods.baselines import baseline_check, baselines
from ratings.benchmarks.results.results import ItemResults
from ratings.stats.arguments import BadNumber


@pytest.mark.parametrize(
    ("kind", "score", "verdict"),
    [("null", 0, "PASS"), ("null", 0.02, "PASS"), ("null", 0.0200001, "FAIL"), ("echo", 0.02, "PASS"), ("echo", 1, "FAIL"),
     ("oracle", 0.98, "PASS"), ("oracle", 0.9799, "FAIL"), ("oracle", 1, "PASS")],
)  # fmt: skip
def test_thresholds(kind, score, verdict):
    assert baseline_check(kind, score) == verdict


@pytest.mark.parametrize("kind", ["null", "echo", "oracle"])
@pytest.mark.parametrize("score", [None, float("nan"), "0", "1", -0.5, 1.5, float("inf"), [0], 10**400])
def test_what_is_no_score_fails(kind, score):
    assert baseline_check(kind, score) == "FAIL"


def test_an_unknown_baseline_is_refused():
    with pytest.raises(BadNumber):
        baseline_check("random", 0)


def test_baselines_are_found_by_name_and_name_the_items():
    results = ItemResults.from_matrix(
        "quiz", ["Null", "oracle", "gpt"], ["q1", "q2"], [[0, 1], [1, float("nan")], [1, 1]]
    )

    null, echo, oracle = baselines(results)

    assert (null.verdict, null.score, null.suspects) == ("FAIL", 0.5, ("q2",))
    assert (echo.verdict, echo.score) == ("not run", None)
    assert (oracle.verdict, oracle.suspects) == ("PASS", ())


def test_a_failing_oracle_is_a_failure():
    rows = [
        {"benchmark": "b", "model": "mine", "item": "q1", "score": 1},
        {"benchmark": "b", "model": "mine", "item": "q2", "score": None, "status": "infra"},
    ]

    oracle = baselines(ItemResults.of(rows), {"oracle": "mine"})[2]

    assert (oracle.verdict, oracle.score, oracle.suspects) == ("FAIL", 0.5, ("q2",))
