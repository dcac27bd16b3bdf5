"""The fit, against published answers, statsmodels and its own definition."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from arena.errors import NotConverged
from arena.votes import Outcome, Vote, VoteTable
from ratings.bradley_terry import fit
from ratings.bradley_terry.fit import newton
from ratings.leaderboard import Plan
from ratings.ranking.analysis import ComponentFit
from ratings.ranking.rank import analyse
from ratings.scale import ELO
from tests.golden import paired_comparisons as golden

ANONYMOUS = Plan(rounds=0, cluster="none")


def baseball(plan: Plan) -> tuple[ComponentFit, tuple[str, ...]]:
    votes = [
        Vote("", home, away, outcome, count=count)
        for home, away, won, lost in golden.baseball()
        for outcome, count in ((Outcome.A, won), (Outcome.B, lost))
        if count
    ]
    analysis = analyse(VoteTable.of(votes), plan)
    return analysis.parts[0], analysis.selection.models


def against(
    part: ComponentFit, names: tuple[str, ...], base: str
) -> tuple[dict[str, float], dict[str, float]]:
    """Each theta less the base's, and its Fisher error."""
    zero = names.index(base)
    coefficients, errors = {}, {}
    for index, name in enumerate(names):
        if index == zero:
            continue
        row = np.zeros(len(part.fit.params))
        row[index], row[zero] = 1.0, -1.0
        coefficients[name] = float(row @ part.fit.params)
        errors[name] = float(np.sqrt(row @ part.spread.fisher @ row))
    return coefficients, errors


def deviance(part: ComponentFit, names: tuple[str, ...], home: float) -> float:
    total = 0.0
    for at_home, away, won, lost in golden.baseball():
        z = part.fit.theta[names.index(at_home)] - part.fit.theta[names.index(away)] + home
        p = 1 / (1 + np.exp(-z))
        n = won + lost
        for seen, expected in ((won, n * p), (lost, n * (1 - p))):
            total += 2 * seen * np.log(seen / expected) if seen else 0.0
    return float(total)


def test_baseball_coefficients_and_fisher_errors_are_the_published_ones() -> None:
    part, names = baseball(ANONYMOUS)

    coefficients, errors = against(part, names, "Baltimore")

    assert coefficients == pytest.approx(golden.BASEBALL_COEF, abs=5e-5)
    assert errors == pytest.approx(golden.BASEBALL_SE, abs=5e-5)
    assert deviance(part, names, 0.0) == pytest.approx(golden.BASEBALL_DEVIANCE, abs=5e-4)


def test_baseball_home_effect_is_the_side_term() -> None:
    part, names = baseball(Plan(rounds=0, cluster="none", side=True))

    coefficients, _ = against(part, names, "Baltimore")

    home = float(part.fit.params[-1])
    assert part.styled.names == ("side",)
    assert home == pytest.approx(golden.BASEBALL_HOME, abs=5e-5)
    assert np.sqrt(part.spread.fisher[-1, -1]) == pytest.approx(golden.BASEBALL_HOME_SE, abs=5e-5)
    assert coefficients == pytest.approx(golden.BASEBALL_HOME_COEF, abs=5e-5)
    assert deviance(part, names, home) == pytest.approx(golden.BASEBALL_HOME_DEVIANCE, abs=5e-4)


def test_citations_are_the_published_ones() -> None:
    votes = [
        Vote("", a, b, outcome, count=count)
        for a, b, won, lost in golden.CITATIONS
        for outcome, count in ((Outcome.A, won), (Outcome.B, lost))
    ]

    analysis = analyse(VoteTable.of(votes), ANONYMOUS)

    part, names = analysis.parts[0], analysis.selection.models
    coefficients, _ = against(part, names, "Biometrika")
    _, errors = against(part, names, "JASA")
    assert coefficients == pytest.approx(golden.CITATIONS_COEF, abs=5e-5)
    assert {name: error**2 for name, error in errors.items()} == pytest.approx(
        golden.CITATIONS_VARIANCE, rel=1e-3
    )


def test_disconnected_toy_has_its_exact_values() -> None:
    words = {"W1": Outcome.A, "W2": Outcome.B, "D": Outcome.TIE}
    votes = [Vote("", one, two, words[said]) for one, two, said in golden.toy()]

    analysis = analyse(VoteTable.of(votes), ANONYMOUS)

    names = analysis.selection.models
    assert analysis.components.count == 3
    found = [
        dict(zip((names[m] for m in part.members), part.fit.theta, strict=True)) for part in analysis.parts
    ]
    for part, expected in zip(found, reversed(golden.TOY_COEF), strict=True):
        assert part == pytest.approx(expected, abs=5e-5)


def test_a_fit_with_covariates_is_statsmodels_logistic_regression(rng: np.random.Generator) -> None:
    n, k = 400, 5
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    trait = rng.gamma(2.0, 1.0, (n, 2))
    won = rng.random(n) < 0.5
    votes = [
        Vote(
            "", f"m{a[i]}", f"m{b[i]}", Outcome.A if won[i] else Outcome.B, traits={"length": tuple(trait[i])}
        )
        for i in range(n)
    ]

    part = analyse(VoteTable.of(votes), Plan(rounds=0, cluster="none", style=("length",))).parts[0]

    ratio = (trait[:, 0] - trait[:, 1]) / trait.sum(axis=1)
    scaled = ratio / np.sqrt((ratio**2).mean())
    # Statsmodels gets the models but the first as dummy columns.
    design = np.zeros((n, k))
    design[np.arange(n), a] += 1.0
    design[np.arange(n), b] -= 1.0
    peer = sm.GLM(
        won.astype(float), np.column_stack([design[:, 1:], scaled]), family=sm.families.Binomial()
    ).fit()
    assert part.fit.theta[1:] - part.fit.theta[0] == pytest.approx(peer.params[:-1], abs=1e-6)
    assert part.fit.params[-1] == pytest.approx(peer.params[-1], abs=1e-6)
    assert np.sqrt(part.spread.fisher[-1, -1]) == pytest.approx(peer.bse[-1], abs=1e-6)


def test_the_last_step_is_below_a_millionth_of_a_point() -> None:
    part, _ = baseball(ANONYMOUS)

    assert part.fit.last_step_elo < 1e-6
    assert 3 <= part.fit.iterations <= 8


def test_a_lopsided_record_is_reached_by_damped_steps() -> None:
    # 20,000 wins to 1 is 1720 points: plain Newton from zero would overshoot to infinity.
    votes = [Vote("", "a", "b", Outcome.A, count=20_000), Vote("", "a", "b", Outcome.B, count=1)]

    part = analyse(VoteTable.of(votes), ANONYMOUS).parts[0]

    assert (part.fit.theta[0] - part.fit.theta[1]) * ELO == pytest.approx(400 * np.log10(20_000), abs=1e-6)


def test_an_endless_fit_raises_with_its_numbers() -> None:
    def uphill(params: np.ndarray, replicates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[1.0, -1.0]]), np.array([[[1.0, -1.0], [-1.0, 1.0]]]) * 1e-3

    with pytest.raises(NotConverged) as caught:
        newton(uphill, np.zeros((1, 2)), 2, np.zeros(0), 1e-6)

    assert caught.value.iterations > 1
    assert caught.value.last_step > 1


def test_the_prior_stays_out_of_the_information() -> None:
    votes = VoteTable.of([Vote("", "a", "b", Outcome.A, count=3), Vote("", "a", "b", Outcome.B, count=1)])

    part = analyse(votes, Plan(rounds=0, prior="pairs", cluster="none")).parts[0]

    # 3.5 to 1.5 by the prior, but only the four votes inform.
    p = 3.5 / 5
    assert part.fit.theta[0] - part.fit.theta[1] == pytest.approx(np.log(3.5 / 1.5))
    assert part.fit.information[0, 0] == pytest.approx(4 * p * (1 - p))


def test_solving_a_singular_information_is_an_error() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        fit.solve(np.zeros((1, 2, 2)), np.zeros((1, 2)), 2)
