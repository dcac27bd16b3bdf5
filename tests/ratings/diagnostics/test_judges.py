"""Judges beside people: small tables by hand, LLMFAO's crowd against its GPT-4, MT-bench's published inconsistency."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.benchmarks.methods.judge import order_report
from ratings.diagnostics import judges
from tests.ratings.votes_for_tests import LEFT_RIGHT, read_csv

# The published table 5 of the MT-bench reproduction (English): inconsistent verdicts by judge.
INCONSISTENT = {951, 541, 371, 506, 399, 234}
LETTERS = {"A": Outcome.A, "B": Outcome.B, "C": Outcome.TIE, "tie": Outcome.TIE}


def votes(*lines: tuple[str, str, str, str]) -> VoteTable:
    return VoteTable.of(
        [
            Vote(f"v{n}", a, b, Outcome.parse(word), prompt=prompt)
            for n, (prompt, a, b, word) in enumerate(lines)
        ]
    )


def llmfao(path: Path) -> VoteTable:
    return VoteTable.of(
        [
            Vote(f"v{n}", row["left"], row["right"], LEFT_RIGHT[row["winner"]], voter=row.get("worker"), prompt=row["prompt"])
            for n, row in enumerate(read_csv(path))
        ]
    )  # fmt: skip


def test_the_majority_is_held_against_the_judge_in_either_order() -> None:
    people = votes(
        ("p", "x", "y", "model_a"),
        ("p", "y", "x", "model_b"),
        ("p", "x", "y", "tie"),
        ("q", "x", "z", "model_b"),
    )
    judge = votes(("p", "y", "x", "model_b"), ("q", "x", "z", "tie"), ("r", "x", "z", "tie"))

    found = judges.against(people, judge)

    assert (found.pairs, found.only_people, found.only_judge, found.votes) == (2, 0, 1, 4)
    assert found.confusion == ((1, 0, 0), (0, 0, 1), (0, 0, 0))
    assert found.agreement.value == 0.5


def test_equally_frequent_verdicts_go_to_the_one_given_first() -> None:
    people = votes(("p", "y", "x", "tie"), ("p", "y", "x", "model_b"))

    found = judges.against(people, votes(("p", "y", "x", "tie")))

    assert (found.contested, found.agreement.value) == (1, 1.0)


def test_a_judge_that_follows_the_place_is_inconsistent() -> None:
    people = votes(("p", "x", "y", "model_a"))
    judge = votes(("p", "x", "y", "model_a"), ("p", "y", "x", "model_a"))

    found = judges.against(people, judge)

    assert found.order is not None
    assert (found.order.pairs, found.order.consistent.value, found.order.flips_to_first) == (1, 0.0, 1)


def test_nothing_in_common_is_said() -> None:
    with pytest.raises(NoData, match="in common"):
        judges.against(votes(("p", "x", "y", "tie")), votes(("q", "x", "y", "tie")))


@pytest.mark.shared
def test_llmfaos_people_and_its_gpt4_agree_as_published(shared: Path) -> None:
    folder = shared / "data" / "llmfao"

    found = judges.against(
        llmfao(folder / "crowd-comparisons.csv"), llmfao(folder / "gpt4-crowd-comparisons.csv")
    )

    assert found.pairs == 2139
    assert found.agreement.value == pytest.approx(0.435, abs=5e-4)
    assert found.kappa.value == pytest.approx(0.196, abs=5e-4)
    assert found.kappa.low is not None
    assert found.kappa.high is not None
    assert found.kappa.low < 0.196 < found.kappa.high


@pytest.mark.shared
def test_the_published_inconsistency_of_mt_benchs_judges(shared: Path) -> None:
    with gzip.open(shared / "data" / "mtbench_repro_en" / "pairwise_judgments.csv.gz", "rt") as lines:
        rows = list(csv.DictReader(lines))
    by_judge: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_judge.setdefault(row["judge_id"], []).append(row)

    found = {
        order_report([LETTERS.get(r["winner_ab"]) for r in mine], [LETTERS.get(r["winner_ba"]) for r in mine])
        for mine in by_judge.values()
    }

    assert {round(one.pairs * (1 - (one.consistent.value or 0.0))) for one in found} == INCONSISTENT
