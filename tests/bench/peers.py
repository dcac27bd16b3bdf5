"""The peers' tasks of the benchmark: each told to do its best on the same votes, from its own prepared form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.votes import TRAITS, Taken, read, timed

ELO = 400.0 / np.log(10.0)
REPEATS = 3
SCORES = np.array([1.0, 0.0, 0.5, 0.5])
Found = Iterator[tuple[str, Taken, float | None]]


def tasks(folder: Path, name: str) -> Found:
    """The tasks of one peer. Raises `SystemExit` where it is unknown or not installed."""
    if name not in PEERS:
        raise SystemExit(f"unknown peer {name!r}; known: {', '.join(PEERS)}")
    yield from PEERS[name](folder)


def _arena_rank(folder: Path) -> Found:
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
    from arena_rank.utils.data_utils import ContextualPairDataset, PairDataset

    models, _ = read(folder, "counts")
    names = np.array([f"model-{index:04d}" for index in range(models)])
    words = np.array(["model_a", "model_b", "tie", "both_bad"])
    frame = pd.DataFrame(
        {
            "model_a": names[read(folder, "a")],
            "model_b": names[read(folder, "b")],
            "winner": words[read(folder, "outcome")],
        }
    )
    taken, data = timed(lambda: PairDataset.from_pandas(frame))
    yield "prepare", taken, None

    def plain() -> Any:
        model = BradleyTerry(int(models))
        model.fit(data)
        return np.asarray(model.params["ratings"])

    yield _fit("plain", folder, plain)
    for name, column in zip(TRAITS, _features(folder).T, strict=True):
        frame[name] = column
    wide = ContextualPairDataset.from_pandas(frame, list(TRAITS), reweighted=False, normalize_features=False)

    def styled() -> Any:
        model = ContextualBradleyTerry(int(models), len(TRAITS), reg=0.0)
        model.fit(wide)
        return np.asarray(model.params["ratings"])

    yield _fit("style", folder, styled)


def _evalica(folder: Path) -> Found:
    import evalica

    models, _ = read(folder, "counts")
    names = np.array([f"model-{index:04d}" for index in range(models)]).tolist()
    xs = [names[code] for code in read(folder, "a")]
    ys = [names[code] for code in read(folder, "b")]
    kinds = [evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.Draw]
    winners = [kinds[code] for code in read(folder, "outcome")]
    taken, (_, _, index) = timed(lambda: evalica.indexing(xs, ys))
    yield "prepare", taken, None

    def plain() -> Any:
        result = evalica.bradley_terry(xs, ys, winners, index=index, tolerance=1e-8, limit=10_000)
        return np.log(result.scores.reindex(names).to_numpy())

    yield _fit("plain", folder, plain)


def _choix(folder: Path) -> Found:
    import choix

    taken, wins = timed(lambda: _wins(folder))
    yield "prepare", taken, None
    assert isinstance(wins, np.ndarray)
    yield _fit("plain", folder, lambda: choix.ilsr_pairwise_dense(wins, max_iter=1000, tol=1e-9))


def _scikit_learn(folder: Path) -> Found:
    from scipy.sparse import coo_array
    from sklearn.linear_model import LogisticRegression

    models, _ = read(folder, "counts")
    k = int(models)

    def design(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> Any:
        n = len(a)
        place = np.arange(n)
        columns = [a, b, *(np.full(n, k + f) for f in range(x.shape[1]))]
        values = [np.ones(n), -np.ones(n), *x.T]
        joined = (np.concatenate(values), (np.tile(place, len(columns)), np.concatenate(columns)))
        return coo_array(joined, shape=(n, k + x.shape[1])).tocsr()

    def fitted(rows: Any, outcome: np.ndarray, weight: np.ndarray) -> Any:
        model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-9, max_iter=2000)
        return model.fit(rows, outcome, sample_weight=weight).coef_[0, :k]

    wins = _wins(folder)
    a, b = np.nonzero(wins)
    rows = design(np.concatenate([a, b]), np.concatenate([b, a]), np.empty((2 * len(a), 0)))
    outcome = np.repeat([1, 0], len(a))
    weight = np.tile(wins[a, b] / 2, 2)
    yield _fit("plain", folder, lambda: fitted(rows, outcome, weight))
    # A tie is two rows of half a vote.
    score = SCORES[read(folder, "outcome")]
    some = [np.flatnonzero(score > 0), np.flatnonzero(score < 1)]
    both = np.concatenate(some)
    wide = design(read(folder, "a")[both], read(folder, "b")[both], _features(folder)[both])
    won = np.repeat([1, 0], [len(part) for part in some])
    halves = np.where(score[both] == 0.5, 0.5, 1.0)
    yield _fit("style", folder, lambda: fitted(wide, won, halves))


def _fit(task: str, folder: Path, fit: Callable[[], Any]) -> tuple[str, Taken, float]:
    """A fit once for compilation, then timed; and how far it is from the reference, both centred."""
    fit()
    taken, theta = timed(fit, REPEATS)
    reference = read(folder, f"reference_{task}")[: len(theta)]
    off = (theta - theta.mean()) - (reference - reference.mean())
    return task, taken, float(np.abs(off).max() * ELO)


def _wins(folder: Path) -> np.ndarray:
    """(K, K) wins of row over column, ties half."""
    models, _ = read(folder, "counts")
    a, b, score = read(folder, "a"), read(folder, "b"), SCORES[read(folder, "outcome")]
    cells = np.bincount(a.astype(np.int64) * models + b, weights=score, minlength=models**2)
    cells += np.bincount(b.astype(np.int64) * models + a, weights=1 - score, minlength=models**2)
    return cells.reshape(models, models)


def _features(folder: Path) -> np.ndarray:
    """(n, F) ratios, scaled as ours."""
    columns = []
    for name in TRAITS:
        trait = read(folder, name)
        total = trait.sum(axis=1)
        columns.append(
            np.where(total > 0, (trait[:, 0] - trait[:, 1]) / np.where(total > 0, total, 1.0), 0.0)
        )
    x = np.stack(columns, axis=1)
    return x / np.sqrt((x**2).mean(axis=0))


PEERS: dict[str, Callable[[Path], Found]] = {
    "arena-rank": _arena_rank,
    "evalica": _evalica,
    "choix": _choix,
    "scikit-learn": _scikit_learn,
}
