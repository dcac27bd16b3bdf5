"""Join and association: refusals, anchors, golden values, and coverage of the disattenuated interval by simulation."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from arena.errors import BadInput, NoData
from ratings.benchmarks.results.results import ItemResults
from ratings.crossref.association import associate
from ratings.crossref.join import by_prefix, enough, families, join
from ratings.crossref.measures import Measure, items
from tests.bench.crossref import SETTINGS, implied_spread, simulate

# STATISTICS golden values (scipy: average ranks, tau-b).
TIES = ([1500, 1480, 1450, 1450, 1400, 1350], [0.9, 0.85, 0.88, 0.7, 0.7, 0.6])


def measure(values: list[float], covariance: np.ndarray | None = None) -> Measure:
    return Measure(tuple("abcdefghij"[: len(values)]), np.array(values, float), covariance)


def test_names_are_joined_by_the_alias_table_alone() -> None:
    found = join(["gpt-4", "llama-2"], ["GPT-4", "Llama2", "gpt-4"], {"Llama2": "llama-2", "x": "y"})

    assert found.arena == ("gpt-4", "llama-2")
    assert found.benchmark == ("gpt-4", "Llama2")
    assert found.only_benchmark == ("GPT-4",)
    assert (found.renamed, found.unused) == ((("Llama2", "llama-2"),), ("x",))


def test_two_names_of_one_model_are_refused() -> None:
    with pytest.raises(BadInput, match="two models of the benchmark"):
        join(["a"], ["a", "A"], {"A": "a"})


def test_fewer_than_five_shared_models_are_refused() -> None:
    with pytest.raises(NoData, match="5 are needed"):
        enough(join("abcd", "abcd"))


def test_the_three_correlations_are_scipys_under_ties() -> None:
    found = associate(measure(TIES[0]), measure(TIES[1]))

    assert found.pearson == pytest.approx(0.8829952939201516, abs=1e-10)
    assert found.spearman == pytest.approx(0.8676470588235294, abs=1e-10)
    assert found.kendall_tau_b == pytest.approx(0.7857142857142858, abs=1e-10)


def test_reliability_does_not_depend_on_the_anchor(rng: np.random.Generator) -> None:
    root = rng.normal(size=(6, 6))
    covariance = root @ root.T
    anchored = np.eye(6) - np.outer(np.ones(6), np.eye(6)[2])

    one = measure(TIES[0], covariance)
    other = Measure(one.models, anchored @ one.values, anchored @ covariance @ anchored.T)

    assert other.reliability == pytest.approx(one.reliability, abs=1e-9)
    assert other.noise == pytest.approx(one.noise, rel=1e-9)


def test_item_covariance_is_the_sample_covariance_over_n(rng: np.random.Generator) -> None:
    scores = rng.integers(0, 2, (4, 50)).astype(float)
    results = ItemResults.from_matrix("b", list("abcd"), [f"q{n}" for n in range(50)], scores)

    found, n = items(results)

    assert n == 50
    np.testing.assert_allclose(found.covariance, np.cov(scores) / 50, rtol=1e-12)


def test_doubled_items_of_one_group_add_nothing(rng: np.random.Generator) -> None:
    scores = rng.integers(0, 2, (3, 30)).astype(float)
    names = [f"q{n}" for n in range(30)]
    twice = ItemResults.from_matrix(
        "b", list("abc"), [*names, *(f"{n}x" for n in names)], np.hstack([scores, scores]), groups=names * 2
    )

    found, _ = items(twice)

    np.testing.assert_allclose(found.covariance, np.cov(scores) / 30, rtol=1e-12)


def test_leaving_out_the_odd_model_is_named() -> None:
    found = associate(measure([1, 2, 3, 4, 5, 6]), measure([1, 2, 3, 4, 5, -9]))

    assert found.leave_one_out is not None
    assert (found.leave_one_out.high, found.leave_one_out.high_without) == (pytest.approx(1.0), "f")


def test_a_correlation_above_its_ceiling_is_cut_and_flagged() -> None:
    noisy = measure([1, 2, 3, 4, 5, 6], np.eye(6) * 1.0)

    found = associate(noisy, measure([1, 2, 3, 4, 5, 6.5]))

    assert (found.disattenuated, found.capped) == (1.0, True)


def test_noise_as_large_as_the_spread_leaves_every_correlation_possible() -> None:
    found = associate(measure([1, 2, 3, 4, 5, 6], np.eye(6) * 9.0), measure([1, 2, 3, 4, 5, 6.5]))

    assert (found.disattenuated, found.disattenuated_low, found.disattenuated_high) == (None, -1.0, 1.0)
    assert "any true correlation" in " ".join(found.notes)


def test_no_disattenuated_interval_is_without_width() -> None:
    # Reliability .14: Fisher's whole interval divided by the ceiling lies beyond 1.
    found = associate(measure([1, 2, 3, 4, 5, 6], np.eye(6) * 3.0), measure([1, 2, 3, 4, 5, 6.01]))

    assert found.disattenuated_low is not None
    assert 0.9 < found.disattenuated_low < 1.0
    assert found.disattenuated_high == 1.0


def test_r_within_families_is_the_partial_correlation_given_the_family(rng: np.random.Generator) -> None:
    kin = ["x", "x", "x", "y", "y", "y", "y", "z", "z", "alone"]
    x, y = rng.normal(size=(2, 10)) + 5 * np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 9])
    dummies = np.array([[name == other for other in "xyz"] for name in kin[:9]], float)
    rest = [sm.OLS(v[:9], dummies).fit().resid for v in (x, y)]

    found = associate(measure(x.tolist()), measure(y.tolist()), dict(zip("abcdefghij", kin, strict=True)))

    assert found.within_family == pytest.approx(float(np.corrcoef(rest)[0, 1]), abs=1e-10)
    assert (found.families, found.within_family != found.pearson) == (4, True)


@pytest.mark.parametrize(
    ("name", "family"),
    [("llama-2-7b-chat", "llama"), ("meta-llama/Llama-3-8B", "llama"), ("gpt-4o", "gpt"), ("4o", "4o"), ("Évora-1", "évora")],
)  # fmt: skip
def test_a_family_is_the_letters_in_front_of_a_name(name: str, family: str) -> None:
    assert by_prefix([name]) == {name: family}


def test_models_that_a_declaration_leaves_out_stand_alone() -> None:
    found, _ = families(["a-1", "a-2"], {"a-1": "kin"})

    assert found == {"a-1": "kin", "a-2": "a-2"}


@pytest.mark.slow
def test_the_simulated_settings_give_the_correlations_that_they_are_derived_from() -> None:
    found = simulate(24, 0.9, 40.0, runs=150, seed=7)

    # .778 and .906 are means of 200 runs of an independent simulation: their own Monte Carlo error is about .006.
    assert implied_spread() == pytest.approx(77.9, abs=0.1)
    assert found.naive == pytest.approx(0.778, abs=0.025)
    assert found.freed == pytest.approx(0.906, abs=0.025)


@pytest.mark.slow
@pytest.mark.parametrize(("models", "rho", "se"), SETTINGS)
def test_the_disattenuated_interval_covers_the_true_correlation(models: int, rho: float, se: float) -> None:
    # 10,000 runs (`python -m tests.bench.crossref 10000`) give .969 .973 .954 / .969 .975 .956 in the order of SETTINGS.
    assert simulate(models, rho, se, runs=600, seed=1).coverage >= 0.94
