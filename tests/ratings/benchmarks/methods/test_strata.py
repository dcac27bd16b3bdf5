"""Fixed strata: the mean's standard error against a worked example and simulation, and how results are taken together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ratings.benchmarks.methods.grouping import FEWEST_GROUPS
from ratings.benchmarks.methods.paired import mcnemar
from ratings.benchmarks.methods.strata import all_pairs_stratified, collapsed, stratified
from ratings.benchmarks.reports.comparison import compare
from ratings.benchmarks.reports.score_table import score_sheet
from ratings.benchmarks.results.dependence import Dependence, Labels
from ratings.benchmarks.results.results import ItemResults
from ratings.stats.arguments import BadNumber


def results(scores: object, groups: list[str], dependence: Dependence = "stratified") -> ItemResults:
    x = np.asarray(scores, dtype=float)
    items = [f"i{n:03d}" for n in range(x.shape[1])]
    made = ItemResults.from_matrix("b", [f"m{n}" for n in range(len(x))], items, x, groups=groups)
    return ItemResults(**{**made.__dict__, "dependence": dependence})


def test_only_the_spread_within_strata_is_chance() -> None:
    # By hand: strata of 2 and 4 items, s_h^2 = 1/2 and 1/3; SE^2 = (2/2 + 4/3)/36; freedom = (7/3)^2/(1/1 + (16/9)/3).
    found = stratified([0, 1, 1, 1, 0, 0], ["a", "a", "b", "b", "b", "b"])

    assert (found.mean, found.se) == (0.5, pytest.approx(math.sqrt((1 + 4 / 3) / 36)))
    assert found.freedom == pytest.approx((7 / 3) ** 2 / (1 + (4 / 3) ** 2 / 3))


def test_one_stratum_is_the_plain_standard_error(rng: np.random.Generator) -> None:
    x = rng.random(40)

    found = stratified(x, ["s"] * 40)

    assert (found.se, found.freedom) == pytest.approx((x.std(ddof=1) / math.sqrt(40), 39))


def test_strata_of_one_item_are_put_together() -> None:
    assert collapsed(["a", "a", "a", "b", "c", "c"]).tolist() == [0, 0, 0, 1, 1, 1]
    assert collapsed(["a", "b", "c", "c"]).tolist() == [0, 0, 2, 2]
    with pytest.raises(BadNumber):
        collapsed(["a"])


def test_the_stratified_error_is_that_of_new_items_in_the_same_strata(rng: np.random.Generator) -> None:
    rates, sizes = np.repeat([0.1, 0.5, 0.95], [20, 30, 50]), np.repeat([0, 1, 2], [20, 30, 50])
    draws = (rng.random((4_000, 100)) < rates).astype(float)

    errors = [stratified(draw, sizes).se for draw in draws[:400]]

    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(draws.mean(axis=1).std(), rel=0.04)


def test_passes_in_strata_keep_mcnemars_exact_test() -> None:
    x = np.array([[1] * 16 + [0] * 24, [0] * 14 + [1] * 2 + [1] * 2 + [0] * 22])
    groups = ["math" if n % 2 else "law" for n in range(40)]

    found = compare(results(x, groups))

    line = found.lines[0]
    assert (found.dependence, found.test, line.ups, line.downs) == ("stratified", "McNemar, exact", 14, 2)
    assert line.p == pytest.approx(mcnemar(14, 2).p_exact)
    assert line.se == pytest.approx(stratified(x[0] - x[1], groups).se)


def test_partial_credit_in_strata_is_tested_by_their_spread(rng: np.random.Generator) -> None:
    groups = [f"s{n % 3}" for n in range(60)]
    x = rng.random((2, 60)) * np.array([[0.5 + 0.25 * (n % 3) for n in range(60)]])

    found, pairs = compare(results(x, groups)), all_pairs_stratified(x, groups)

    assert (found.test, found.lines[0].p) == ("paired t, stratified", pytest.approx(pairs.p[0]))


@pytest.mark.parametrize("groups", [1, 2, FEWEST_GROUPS - 1])
def test_too_few_clusters_leave_the_test_of_items_and_say_so(groups: int) -> None:
    x = np.array([[1] * 16 + [0] * 24, [0] * 16 + [1] * 2 + [0] * 22])
    names = [f"g{n % groups}" for n in range(40)]

    found = compare(results(x, names, "clustered"))

    assert (found.dependence, found.test) == ("independent", "McNemar, exact")
    assert found.lines[0].p == pytest.approx(0.0013122558593750)  # 2 P(X <= 2), X ~ Bin(18, 1/2)
    assert "one group" in str(found.dependence_why) or "too few" in str(found.dependence_why)


def test_enough_clusters_are_used() -> None:
    x = np.array([[1] * 16 + [0] * 24, [0] * 16 + [1] * 2 + [0] * 22])

    found = compare(results(x, [f"g{n % FEWEST_GROUPS}" for n in range(40)], "clustered"))

    assert (found.dependence, found.test, found.dependence_why) == ("clustered", "paired t, clustered", None)


def test_a_pair_with_few_common_clusters_is_tested_by_items_and_says_so() -> None:
    x = np.array([[1.0, 0] * 20, [0.0, 1] * 19 + [0, 0], [1.0] * 8 + [np.nan] * 32])
    found = compare(results(x, [f"g{n // 4}" for n in range(40)], "clustered"))

    whole, few = (next(line for line in found.lines if line.n == n) for n in (40, 8))
    assert whole.why is None
    assert "2 groups are too few" in str(few.why)
    assert few.p == pytest.approx(mcnemar(0, 4).p_exact)


def test_labels_alone_change_nothing() -> None:
    x = np.array([[1, 0] * 20, [0, 0, 1, 1] * 10])
    groups = [f"g{n % 8}" for n in range(40)]

    labelled = results(x, groups, "independent")
    bare = results(x, [f"i{n}" for n in range(40)], "independent")

    assert score_sheet(labelled).lines == score_sheet(bare).lines
    assert compare(labelled).lines == compare(bare).lines


def test_what_was_asked_stands_before_what_a_harness_ties() -> None:
    tied = Labels(tied=frozenset({"mt"}))

    assert (tied.of(["mt"]), tied.of(["quiz"])) == ("clustered", "independent")
    assert tied.joined(Labels("stratified", ("topic",))).of(["mt"]) == "stratified"
