"""The Bradley-Terry model as a scikit-learn estimator, and the reference fit by scikit-learn's logistic regression."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from arena.errors import BadInput
from ratings.api import arrays
from ratings.engine.choice import EngineName
from ratings.scale import Floats


class BradleyTerry(BaseEstimator):
    """Bradley-Terry model of pairwise comparisons: ratings with clustered errors.

    P(a beats b) = 1 / (1 + exp(-z)), z = theta[a] - theta[b] + x . coef, fitted without penalty by `ratings.fit`.

    Parameters
    ----------
    n_models : int, optional
        K; without it one more than the largest code of X.
    ties : {"half", "drop"}
        Ties as half a win each, or left out.
    prior : {"none", "pairs"}
        "pairs" adds half a win each way for every observed pair.
    rounds : int
        Replicates of the voter bootstrap that shape the intervals; 0: symmetric t intervals.
    seed : int
        Seed of the bootstrap.
    engine : {"auto", "compiled", "reference"}
        Code of the heavy sums.

    Attributes
    ----------
    ratings_, se_, low_, high_ : ndarray (K,)
        Elo points: ratings of mean 1000 in each component, standard errors (CR3) and 95 % intervals; nan if not known.
    theta_ : ndarray (K,)
        Log-odds.
    coef_ : ndarray (F,)
        Log-odds for one unit of each covariate; 0 where it could not be estimated.
    covariance_ : ndarray (K, K)
        Covariance (CR3) of `ratings_`, Elo points squared.
    component_ : ndarray (K,)
        Only models of one component can be compared.
    n_iter_ : int
        Newton steps.
    n_features_in_ : int
        Columns of X, 2 + F.
    fit_ : ArrayFit
        All of it, with what was asked for.

    References
    ----------
    Bradley & Terry 1952, Biometrika 39, 324-345. Hunter 2004, Annals of Statistics 32, 384-406 (existence).

    Examples
    --------
    >>> model = BradleyTerry().fit([[0, 1], [0, 1], [0, 1]], [1, 1, 0])
    >>> model.predict_proba([[0, 1]]).round(3).tolist()
    [[0.333, 0.667]]
    """

    def __init__(
        self,
        n_models: int | None = None,
        ties: Literal["half", "drop"] = "half",
        prior: Literal["none", "pairs"] = "none",
        rounds: int = 0,
        seed: int = 0,
        engine: EngineName = "auto",
    ) -> None:
        self.n_models = n_models
        self.ties = ties
        self.prior = prior
        self.rounds = rounds
        self.seed = seed
        self.engine = engine

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit to comparisons.

        Parameters
        ----------
        X : array_like (n, 2 + F)
            Columns 0 and 1: models a and b as whole numbers from 0; the others: covariates, differences a minus b.
        y : array_like (n,)
            a's share: 1 a won, 0 b won, 0.5 a tie.
        sample_weight : array_like (n,), optional
            Weights, 0 or more; only their ratios matter.
        groups : array_like (n,), optional
            Voters: errors are clustered by them. Without it each comparison is a voter of its own.

        Returns
        -------
        BradleyTerry
            Itself.

        Raises
        ------
        ValueError
            Codes that are no models, shares other than 0, 0.5 and 1, wrong shapes, numbers that are not finite.
        NotConverged
            Rather than give a half-good fit.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_features=2)
        if self.ties not in ("half", "drop"):
            raise ValueError("ties: one of half, drop")
        if isinstance(sample_weight, Real):
            sample_weight = np.full(len(X), float(sample_weight))
        count = int(max(X[:, :2].max(), 0)) + 1 if self.n_models is None else self.n_models
        try:
            self.fit_ = arrays.fit(
                count, X[:, :2], scores=y, weights=sample_weight, voters=groups, covariates=X[:, 2:],
                ties=self.ties, prior=self.prior, rounds=self.rounds, seed=self.seed, engine=self.engine,
            )  # fmt: skip
        except BadInput as error:
            raise ValueError(str(error)) from error
        self.ratings_, self.theta_, self.se_ = self.fit_.ratings, self.fit_.theta, self.fit_.se
        self.low_, self.high_ = self.fit_.low, self.fit_.high
        self.coef_, self.covariance_ = self.fit_.coef, self.fit_.covariance
        self.component_, self.n_iter_ = self.fit_.component, self.fit_.iterations
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Chances that b and that a wins, a tie counting half to each.

        Parameters
        ----------
        X : array_like (n, 2 + F)
            As in `fit`.

        Returns
        -------
        ndarray (n, 2)
            P(b wins), P(a wins); nan where the votes do not link the two models.

        Raises
        ------
        ValueError
            Codes that are no models of the fit, wrong shapes, numbers that are not finite.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        codes = X[:, :2].astype(np.intp)
        if (codes != X[:, :2]).any() or (codes < 0).any() or (codes >= len(self.theta_)).any():
            raise ValueError(f"X: columns 0 and 1 are whole numbers from 0 to {len(self.theta_) - 1}")
        a, b = codes.T
        share = expit(self.theta_[a] - self.theta_[b] + X[:, 2:] @ self.coef_)
        share[self.component_[a] != self.component_[b]] = np.nan
        return np.column_stack([1.0 - share, share])

    def predict(self, X: Any) -> Floats:
        """The likelier outcome as a's share.

        Parameters
        ----------
        X : array_like (n, 2 + F)
            As in `fit`.

        Returns
        -------
        ndarray (n,)
            1 where a is likelier to win, 0 where b is, 0.5 where both are alike, nan where the votes do not tell.

        Raises
        ------
        ValueError
            As `predict_proba`.
        """
        share = self.predict_proba(X)[:, 1]
        return np.where(np.isnan(share), np.nan, 0.5 + 0.5 * np.sign(share - 0.5))

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = BaseEstimator.__sklearn_tags__(self)
        tags.target_tags.required = True
        tags.input_tags.categorical = True
        return tags


def reference_fit(
    n_models: int, pairs: npt.ArrayLike, scores: npt.ArrayLike, covariates: npt.ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Theta (K,), mean zero, and coefficients (F,) by scikit-learn's logistic regression without penalty.

    The truth that tests hold the full fit against, to 1e-6 Elo. `rank --engine reference` does not call it: it ends within
    1e-6 Elo, where rankings are kept to 1e-7; it wants a dense column for each model; it knows no Davidson ties.
    """
    sides, share = np.asarray(pairs), np.asarray(scores, dtype=np.float64)
    identity = np.eye(n_models)
    x = identity[sides[:, 0]] - identity[sides[:, 1]]
    x = x[:, 1:] if covariates is None else np.column_stack([x[:, 1:], covariates])  # theta of the first is 0
    # A tie is half a win and half a loss.
    rows, won = np.vstack([x, x]), np.repeat([1, 0], len(x))
    model = LogisticRegression(
        C=np.inf, fit_intercept=False, solver="newton-cholesky", tol=1e-13, max_iter=200
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said where the last step is one of rounding
        model.fit(rows, won, sample_weight=np.append(share, 1.0 - share))
    theta = np.append(0.0, model.coef_[0, : n_models - 1])
    return theta - theta.mean(), model.coef_[0, n_models - 1 :]
