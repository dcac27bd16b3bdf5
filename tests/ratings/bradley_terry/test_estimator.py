"""The array door: scikit-learn's own checks, its logistic regression as the truth, and the table door's numbers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import ratings
from arena.errors import BadInput
from ratings.api.estimator import BradleyTerry, reference_fit
from ratings.scale import ELO, Floats

# name of scikit-learn's check -> why it does not apply.
NOT_APPLICABLE = {
    "check_positive_only_tag_during_fit": "columns 0 and 1 are codes from 0, though covariates may be negative",
    "check_sample_weight_equivalence_on_dense_data": "draws real numbers where X holds codes; tested below on codes",
}


class FoldedShares(BradleyTerry):
    """The estimator on the checks' targets, which are any numbers: folded to the shares 0, 0.5 and 1."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> FoldedShares:
        numbers = None if y is None else np.asarray(y, dtype=np.float64)
        return super().fit(
            X, None if numbers is None else np.round(2 * np.clip(numbers, 0, 1)) / 2, sample_weight, groups
        )


@parametrize_with_checks([FoldedShares(prior="pairs")], expected_failed_checks=lambda _: NOT_APPLICABLE)
@pytest.mark.filterwarnings("ignore")  # the checks themselves warn
def test_it_is_an_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


def draws(n: int = 1500, models: int = 6) -> tuple[Any, Floats, Floats]:
    """Pairs, scores with ties, and two covariates, drawn from a known model."""
    rng = np.random.default_rng(7)
    pairs = np.array([rng.choice(models, 2, replace=False) for _ in range(n)])
    x = rng.normal(size=(n, 2)).astype(np.float32).astype(np.float64)
    theta = rng.normal(size=models)
    chance = 1 / (1 + np.exp(-(theta[pairs[:, 0]] - theta[pairs[:, 1]] + x @ [0.3, -0.2])))
    scores = (rng.random(n) < chance).astype(np.float64)
    scores[::9] = 0.5
    return pairs, scores, x


def test_the_fit_is_that_of_logistic_regression() -> None:
    pairs, scores, _ = draws()

    theta, _ = reference_fit(6, pairs, scores)

    np.testing.assert_allclose(
        ELO * ratings.fit(6, pairs, scores=scores).theta, ELO * theta, atol=1e-6, rtol=0
    )


def test_so_is_the_fit_with_covariates() -> None:
    pairs, scores, x = draws()

    theta, coef = reference_fit(6, pairs, scores, x)
    found = BradleyTerry().fit(np.column_stack([pairs, x]), scores)

    np.testing.assert_allclose(ELO * found.theta_, ELO * theta, atol=1e-6, rtol=0)
    np.testing.assert_allclose(found.coef_, coef, atol=1e-7, rtol=0)


def test_arrays_give_the_numbers_of_the_table() -> None:
    pairs, scores, _ = draws()
    voters = np.arange(len(pairs)) % 80
    table = pd.DataFrame({
        "model_a": [f"m{code}" for code in pairs[:, 0]],
        "model_b": [f"m{code}" for code in pairs[:, 1]],
        "winner": [{1.0: "model_a", 0.0: "model_b", 0.5: "tie"}[score] for score in scores],
        "session_id": [f"v{voter:03}" for voter in voters],
    })  # fmt: skip

    found = ratings.fit(6, pairs, scores=scores, voters=voters)
    rows = {row.model: row for row in ratings.rank(table, rounds=0, min_votes=0).models}

    told = np.array(
        [[getattr(rows[f"m{code}"], name) for name in ("rating", "se", "low", "high")] for code in range(6)]
    )
    np.testing.assert_allclose(
        np.column_stack([found.ratings, found.se, found.low, found.high]), told, atol=1e-7, rtol=0
    )
    np.testing.assert_allclose(np.sqrt(np.diag(found.covariance)), found.se, atol=1e-7)


def test_sides_may_be_swapped() -> None:
    pairs, scores, x = draws()

    one = ratings.fit(6, pairs, scores=scores, covariates=x)
    other = ratings.fit(6, pairs[:, ::-1], scores=1 - scores, covariates=-x)

    np.testing.assert_allclose(one.theta, other.theta, atol=1e-12)
    np.testing.assert_allclose(one.coef, other.coef, atol=1e-12)


def test_a_weight_of_two_is_two_comparisons_to_the_ratings() -> None:
    pairs, scores, _ = draws(300)
    weights = np.arange(300) % 3

    weighted = ratings.fit(6, pairs, scores=scores, weights=weights)
    repeated = ratings.fit(6, np.repeat(pairs, weights, axis=0), scores=np.repeat(scores, weights))

    np.testing.assert_allclose(weighted.ratings, repeated.ratings, atol=1e-6)


def test_models_that_no_comparison_links_stand_apart() -> None:
    found = ratings.fit(5, [[0, 1], [1, 0], [2, 3], [3, 2]])
    model = BradleyTerry(n_models=5).fit([[0, 1], [1, 0], [2, 3], [3, 2]], [1, 1, 1, 1])

    assert found.component.tolist() == [0, 0, 1, 1, -1]
    assert np.isnan(found.ratings).tolist() == [False, False, False, False, True]
    assert np.isnan(model.predict_proba([[0, 1], [0, 2], [0, 4]])[:, 1]).tolist() == [False, True, True]


def test_a_covariate_that_tells_nothing_is_dropped_and_named() -> None:
    pairs, scores, x = draws()
    x[:, 1] = 0

    found = ratings.fit(6, pairs, scores=scores, covariates=x)

    assert [column for column, _ in found.dropped] == [1]
    assert found.coef[1] == 0
    assert np.isnan(found.coef_se[1])


@pytest.mark.parametrize(
    ("pairs", "more"),
    [
        ([[0, 2]], {}),
        ([[0, -1]], {}),
        ([[0, 0.5]], {}),
        ([[0, 1, 2]], {}),
        (np.empty((0, 2)), {}),
        ([["a", "b"]], {}),
        ([[0, 1]], {"scores": [0.3]}),
        ([[0, 1]], {"scores": [np.nan]}),
        ([[0, 1]], {"scores": [1, 0]}),
        ([[0, 1]], {"weights": [-1]}),
        ([[0, 1]], {"weights": [0]}),
        ([[0, 1]], {"voters": [1, 2]}),
        ([[0, 1]], {"covariates": [1.0]}),
        ([[0, 1]], {"ties": "win"}),
        ([[0, 1]], {"prior": "ridge"}),
    ],
)
def test_what_is_no_comparison_is_refused(pairs: Any, more: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        ratings.fit(2, pairs, **more)


def test_chances_follow_the_record() -> None:
    model = clone(BradleyTerry()).fit([[0, 1]] * 3, [1, 1, 0])

    np.testing.assert_allclose(model.predict_proba([[0, 1], [1, 0]]), [[1 / 3, 2 / 3], [2 / 3, 1 / 3]])
    assert model.predict([[0, 1], [1, 0], [0, 0]]).tolist() == [1, 0, 0.5]
    with pytest.raises(ValueError, match="from 0 to 1"):
        model.predict([[0, 7]])


def test_davidson_ties_have_their_ratio() -> None:
    found = ratings.fit(2, [[0, 1]] * 4, scores=[1, 0, 0.5, 0.5], ties="davidson")

    # Two ties of four at even strength: P(tie) / sqrt(P(a) P(b)) = 0.5 / 0.25.
    assert found.nu == pytest.approx(2.0)


def test_the_package_alone_loads_neither_scipy_nor_scikit_learn() -> None:
    code = "import sys, ratings; print({'scipy', 'sklearn', 'numba'} & set(sys.modules)); ratings.fit; print('sklearn' in sys.modules)"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert said.split() == ["set()", "False"]
