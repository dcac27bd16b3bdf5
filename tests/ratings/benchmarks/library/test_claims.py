"""Stated scores against items: exact, by another denominator, or of something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratings.benchmarks.library.claims import check_claims, read_published
from ratings.benchmarks.results.entries import Claim
from ratings.benchmarks.results.results import ItemResults


def results(right: int, n: int) -> ItemResults:
    scores = [[1.0] * right + [0.0] * (n - right)]
    return ItemResults.from_matrix("b", ["m"], [f"i{i}" for i in range(n)], scores)


@pytest.mark.parametrize(
    ("value", "digits", "right", "n", "verdict"),
    [
        (0.744, 3, 372, 500, "exact"),
        (0.6493, 4, 324, 500, "other denominator"),  # 324/499
        (0.2104, 4, 105, 500, "other denominator"),  # 105/499
        (0.528, 3, 51, 500, "contradicts"),
        (2 / 3, None, 2, 3, "exact"),
        (0.667, 3, 2, 3, "exact"),
        (0.66, None, 2, 3, "contradicts"),
    ],
)
def test_verdicts(value: float, digits: int | None, right: int, n: int, verdict: str) -> None:
    check = check_claims([Claim("m", value, "f", digits=digits)], results(right, n))[0]

    assert check.verdict == verdict


def test_the_denominator_is_named() -> None:
    check = check_claims([Claim("m", 0.6493, "f", digits=4)], results(324, 500))[0]

    assert check.explanation == "324 of 499: the claim divides by 499, the items are 500"


def test_a_claim_that_leaves_failures_out_is_understood() -> None:
    records = [{"benchmark": "b", "model": "m", "item": f"i{i}", "score": 1.0} for i in range(3)]
    records.append({"benchmark": "b", "model": "m", "item": "i9", "score": None, "status": "infra"})

    check = check_claims([Claim("m", 1.0, "f")], ItemResults.of(records))[0]

    assert (check.verdict, check.computed) == ("other policy", 0.75)


def test_published_files_are_read_as_shares(tmp_path: Path) -> None:
    table, board = tmp_path / "t.csv", tmp_path / "b.json"
    table.write_text("model,win_rate\nm,63.25\nn,0.5\n")
    board.write_text('[{"folder": "m", "name": "M", "resolved": 9.0}, {"folder": "n", "resolved": 52.8}]')

    assert [(claim.value, claim.digits) for claim in read_published(table)] == [(0.6325, 4), (0.005, 3)]
    assert [(claim.model, claim.value) for claim in read_published(board)] == [
        ("m", 0.09),
        ("n", pytest.approx(0.528)),
    ]


@pytest.mark.parametrize(
    "text", ["model,score\nm,good\n", "model,score\nm,101\n", "a,b\nm,1\n", "model,score\n"]
)
def test_published_files_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text(text)

    with pytest.raises(Exception, match=r"t\.csv"):
        read_published(tmp_path / "t.csv")


def test_a_file_that_shares_its_results_with_another_is_held_against_all() -> None:
    rows = [
        {"benchmark": "b", "model": "m", "item": f"i{n}", "score": float(n == 0), "source": "f" if n else "g"}
        for n in range(4)
    ]

    check = check_claims([Claim("m", 0.2, "f", n=5)], ItemResults.of(rows))[0]

    assert check.explanation == "1 of 5: the claim divides by 5, the items are 4"


def test_a_run_that_contradicts_itself_is_told_with_its_own_numbers() -> None:
    rows = [
        {"benchmark": "b", "model": "m", "item": f"i{n}", "repeat": k, "score": float(k), "source": "fg"[k]}
        for n in range(4)
        for k in range(2)
    ]

    check = check_claims([Claim("m", 0.9, "f")], ItemResults.of(rows))[0]

    assert (check.verdict, check.right, check.items) == ("contradicts", 0, 4)
