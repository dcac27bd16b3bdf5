"""Errors over voters: against brute force, against statsmodels' clusters, and where one voter is indispensable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.bradley_terry import fit as bradley_terry_fit
from ratings.bradley_terry import jackknife, simulate, style
from ratings.bradley_terry.simulate import Crowd
from ratings.engine.choice import NUMPY, Engine, compiled
from ratings.engine.reference import jackknife as reference_jackknife
from ratings.leaderboard import Plan
from ratings.ranking.analysis import ComponentFit
from ratings.ranking.rank import analyse

STYLE = simulate.TRAITS


@pytest.fixture
def simulated(rng: np.random.Generator) -> Callable[..., VoteTable]:
    def draw(models: int = 6, votes: int = 900, voters: int = 25, taste: float = 0.5) -> VoteTable:
        truth = simulate.models(models, rng)
        truth = simulate.Truth(theta=truth.theta, coef=truth.coef, habits=truth.habits, taste=taste)
        return simulate.votes(truth, Crowd(votes, voters), rng)

    return draw


def one_step(part: ComponentFit) -> np.ndarray:
    """(G, D) each voter's move by its definition: (H_c - H_g)^-1 s_g, all in dense matrices."""
    data, params, k = part.data, part.fit.params, part.fit.models
    pair = data.pair
    design = np.zeros((len(pair), len(params)))
    design[np.arange(len(pair)), data.pair_a[pair]] = 1.0
    design[np.arange(len(pair)), data.pair_b[pair]] = -1.0
    design[:, k:] = data.x
    p = 1 / (1 + np.exp(-design @ params))
    q = data.weight * p * (1 - p)
    whole = (design * q[:, None]).T @ design
    whole[:k, :k] += np.trace(whole[:k, :k]) / k**2
    dfbeta = []
    for voter in range(len(data.size)):
        rows = data.voter == voter
        score_coef = (design[rows] * q[rows, None]).T @ design[rows]
        score = (data.score - data.weight * p)[rows] @ design[rows]
        dfbeta.append(np.linalg.solve(whole - score_coef, score))
    return np.array(dfbeta)


@pytest.mark.parametrize("style", [(), STYLE])
def test_cr3_is_its_definition(simulated: Callable[..., VoteTable], style: tuple[str, ...]) -> None:
    part = analyse(simulated(), Plan(rounds=0, style=style)).parts[0]

    dfbeta = one_step(part)

    voters = len(dfbeta)
    rows = part.contrasts
    expected = (voters - 1) / voters * rows @ dfbeta.T @ dfbeta @ rows.T
    assert part.covariance("cr3") == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_cr1_is_statsmodels_cluster_covariance(simulated: Callable[..., VoteTable]) -> None:
    table = simulated()
    k = len(table.models)

    part = analyse(table, Plan(rounds=0)).parts[0]

    design = np.zeros((len(table), k))
    design[np.arange(len(table)), table.a] = 1.0
    design[np.arange(len(table)), table.b] -= 1.0
    score = np.array([1.0, 0.0, 0.5, 0.5])[table.outcome]
    peer = sm.GLM(score, design[:, 1:], family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": table.voter, "use_correction": False}
    )
    voters = part.data.voters
    gaps = np.hstack([-np.ones((k - 1, 1)), np.eye(k - 1)])
    found = gaps @ part.spread.cr1[:k, :k] @ gaps.T
    assert found == pytest.approx(voters / (voters - 1) * peer.cov_params(), rel=1e-6, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("style", [(), STYLE])
def test_kernels_and_numpy_agree(simulated: Callable[..., VoteTable], style: tuple[str, ...]) -> None:
    # Some voters have more rows than there are parameters, some have one.
    table = simulated(models=8, votes=3000, voters=300)

    one, other = (
        analyse(table, Plan(rounds=0, style=style), engine=name).parts[0]
        for name in ("reference", "compiled")
    )

    assert other.spread.cr3 == pytest.approx(one.spread.cr3, rel=1e-9, abs=1e-12)
    assert other.spread.cr1 == pytest.approx(one.spread.cr1, rel=1e-9, abs=1e-12)
    assert other.spread.effective == pytest.approx(one.spread.effective)
    assert other.spread.effective_coef == pytest.approx(one.spread.effective_coef)


def test_equal_votes_without_voters_count_as_many() -> None:
    separate = [Vote(f"{n}", "a", "b", Outcome(n % 3 == 0)) for n in range(60)]
    merged = [Vote("", "a", "b", Outcome.A, count=40), Vote("", "a", "b", Outcome.B, count=20)]
    named = [Vote(f"{n}", "a", "b", Outcome(n % 3 == 0), voter=f"s{n:02}") for n in range(60)]

    spreads = [
        analyse(VoteTable.of(votes), Plan(rounds=0)).parts[0].spread for votes in (separate, merged, named)
    ]

    for other in spreads[1:]:
        assert other.cr3 == pytest.approx(spreads[0].cr3)
        assert other.effective == pytest.approx(spreads[0].effective)
    assert spreads[0].effective == pytest.approx([60.0, 60.0])


def test_effective_voters_of_uneven_voters() -> None:
    # 6, 3 and 1 votes each of five times: (50)^2 / (5 (36 + 9 + 1)).
    counts = [6, 3, 1] * 5
    votes = [
        Vote(f"{g}-{n}", "a", "b", Outcome((g + n) % 2), voter=f"s{g}")
        for g, count in enumerate(counts)
        for n in range(count)
    ]

    part = analyse(VoteTable.of(votes), Plan(rounds=0)).parts[0]

    assert part.spread.effective == pytest.approx([50**2 / (5 * 46)] * 2)


def test_a_voter_who_cuts_a_model_off_moves_the_rest_as_if_the_model_were_not_there(
    simulated: Callable[..., VoteTable],
) -> None:
    crowd = simulated(votes=600, voters=20)
    fan = [Vote(f"f{n}", "m9999", "m0000", Outcome(n % 2), voter="v0000003") for n in range(12)]

    spread = analyse(VoteTable.join([crowd, VoteTable.of(fan)]), Plan(rounds=0)).parts[0].spread

    alone = analyse(crowd, Plan(rounds=0)).parts[0].spread
    k = len(crowd.models)
    gaps = np.eye(k)[1:] - np.eye(k)[0]
    assert spread.disconnected_without_one_voter.tolist() == [False] * k + [True]
    # The fan's other votes stay; on the rest its term is as without the newcomer.
    assert gaps @ spread.cr3[:k, :k] @ gaps.T == pytest.approx(gaps @ alone.cr3 @ gaps.T, rel=1e-6)


def test_a_model_met_by_one_voter_on_two_pairs_is_cut_off_too() -> None:
    crowd = [Vote(f"{n}", "a", "b", Outcome(n % 3 == 0), voter=f"s{n % 9}") for n in range(60)]
    fan = [Vote(f"f{n}", "new", "ab"[n % 2], Outcome(n % 4 < 2), voter="fan") for n in range(12)]

    spread = analyse(VoteTable.of([*crowd, *fan]), Plan(rounds=0)).parts[0].spread

    assert spread.disconnected_without_one_voter.tolist() == [False, False, True]


def test_a_model_that_is_cut_off_has_no_contrast_and_no_part_in_the_mean() -> None:
    crowd = [Vote(f"{n}", "a", "b", Outcome(n % 3 == 0), voter=f"s{n % 9}") for n in range(60)]
    fan = [Vote(f"f{n}", "new", "ab"[n % 2], Outcome(n % 4 < 2), voter="fan") for n in range(40)]

    analysis = analyse(VoteTable.of([*crowd, *fan]), Plan(rounds=0))

    for first, second in (("new", "a"), ("b", "new")):
        with pytest.raises(NoData):
            analysis.gap(first, second)
    gap = analysis.gap("a", "b")
    assert gap.low < gap.estimate < gap.high
    # The mean is of the other two: one lies above it as far as the other below, by half their gap.
    assert analysis.parts[0].contrasts[:, 2].tolist() == [0.0, 0.0, 1.0]
    assert analysis.parts[0].contrasts[0] == pytest.approx([0.5, -0.5, 0.0])


@pytest.mark.parametrize(
    "engine", [NUMPY, pytest.param(compiled(), marks=pytest.mark.slow)], ids=["reference", "compiled"]
)
def test_a_trait_that_one_voter_saw_is_held_whatever_the_last_step_was(
    simulated: Callable[..., VoteTable], engine: Engine
) -> None:
    part = analyse(simulated(), Plan(rounds=0, style=STYLE[:1])).parts[0]
    data = part.data.with_covariates(np.where(part.data.voter[:, None] == 3, part.data.x, np.float32(0)))
    fit = style.fit(data, STYLE[:1], engine=engine).fit
    # A fit may end with the information of the step before.
    _, before = bradley_terry_fit.on_rows(data, None, ties=False, prior=False)(
        fit.params[None] + 1e-5 * np.arange(fit.params.size), bradley_terry_fit.ONE_LANE
    )

    exact = jackknife.covariance(data, fit, ties=False, engine=engine)
    spread = jackknife.covariance(data, replace(fit, information=before[0]), ties=False, engine=engine)

    assert exact.identified_by_one_voter.all()
    assert spread.identified_by_one_voter.all()
    assert not exact.disconnected_without_one_voter.any()
    assert not spread.disconnected_without_one_voter.any()
    assert spread.cr3 == pytest.approx(exact.cr3, rel=1e-9, abs=1e-12)


def test_leverages_of_all_voters_sum_to_the_parameters(simulated: Callable[..., VoteTable]) -> None:
    part = analyse(simulated(), Plan(rounds=0, style=STYLE)).parts[0]
    terms = reference_jackknife.terms(part.data, part.fit.params, ties=False)

    whole = sum(
        reference_jackknife.voter(
            part.data, terms, np.flatnonzero(part.data.voter == g), len(part.fit.params)
        )[1]
        for g in range(len(part.data.size))
    )

    assert whole == pytest.approx(part.fit.information, rel=1e-9, abs=1e-9)


def test_the_compiled_engine_is_there() -> None:
    pytest.importorskip("numba")
    assert compiled() is not None
    assert compiled() is not NUMPY
