"""Voters without whom something could not be estimated: models they alone link, coefficients they alone inform."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ratings.bradley_terry import fit as bradley_terry_fit
from ratings.bradley_terry.fit import Fit
from ratings.design import threads
from ratings.design.comparisons import Comparisons
from ratings.design.components import cuts
from ratings.engine.choice import Engine
from ratings.engine.reference import jackknife
from ratings.engine.reference.jackknife import RowTerms
from ratings.scale import Bools, Floats, Ints

NOTHING_LEFT = 1e-8  # share of its information below which a direction has none
TOUCHED = 1e-6  # share of a direction's largest part below which a parameter has no part in it


def single_voter_dependence(
    data: Comparisons, terms: RowTerms, fit: Fit, share: Floats, engine: Engine
) -> dict[int, Bools]:
    """For each such voter, which parameters (D,) stay determined by the other voters.

    Models are cut off where the voter alone links them to the largest rest; besides, a parameter falls with any
    direction in which the others have no information (a trait that only one voter ever saw differ): then the
    leverages of the voter's rows, `share` (G,), sum to one or more, and they do for D - 1 voters at the most.
    """
    k, width = data.models, len(fit.params)
    rest = {
        cut.voter: cut.rest for cut in cuts(k, data.pair_a, data.pair_b, _sole_voters(data), _votes(data))
    }
    found = {}
    # One of several equal voters can always be spared.
    weighty = np.flatnonzero((share > 1 - 1e-6) & (data.size == 1)).tolist()
    voters = sorted(rest.keys() | set(weighty))

    def staying(voter: int, rows: Ints) -> Bools:
        stay = np.ones(width, dtype=np.bool_)
        stay[:k] = rest.get(voter, True)
        _, information_of_voter = engine.voter(data, terms, rows, width)
        stay[stay] = ~_undetermined(
            fit.information[np.ix_(stay, stay)], information_of_voter[np.ix_(stay, stay)], int(stay[:k].sum())
        )
        return stay

    jobs = list(zip(voters, _rows(data, voters), strict=True))
    for voter, stay in zip(voters, threads.in_order(lambda job: staying(*job), jobs), strict=True):
        if not stay.all():
            found[voter] = stay
    return found


def _rows(data: Comparisons, voters: list[int]) -> list[Ints]:
    """The rows of each of the voters (in order), from one pass over all."""
    # Narrow numbers are sorted in less time.
    number: npt.NDArray[np.integer] = np.full(
        len(data.size), -1, dtype=np.int16 if len(voters) < 2**15 else np.int32
    )
    number[voters] = np.arange(len(voters))
    which = number[data.voter]
    rows = np.flatnonzero(which >= 0)
    which = which[rows]
    ends = np.cumsum(np.bincount(which, minlength=len(voters)))
    return np.split(rows[np.argsort(which, kind="stable")], ends[:-1]) if voters else []


def without(data: Comparisons, terms: RowTerms, fit: Fit, voter: int, stay: Bools) -> Floats:
    """(D,) how the fit moves without `voter` on the parameters that stay, zero elsewhere."""
    s, information_of_voter = jackknife.voter(data, terms, np.flatnonzero(data.voter == voter), len(stay))
    kept = (fit.information - information_of_voter)[np.ix_(stay, stay)]
    models = int(stay[: data.models].sum())
    d = np.zeros(len(stay))
    if models > 1:
        d[stay] = np.linalg.solve(bradley_terry_fit.centred(kept, models), s[stay])
    return d


def _sole_voters(data: Comparisons) -> npt.NDArray[np.int32]:
    """(P,) the group of size one that alone voted on the pair, else -1."""
    first = data.starts[:-1]
    lowest = np.minimum.reduceat(data.voter, first)
    highest = np.maximum.reduceat(data.voter, first)
    return np.where((lowest == highest) & (data.size[lowest] == 1), lowest, -1).astype(np.int32)


def _votes(data: Comparisons) -> npt.NDArray[np.int64]:
    per_pair = np.add.reduceat(data.count, data.starts[:-1])
    votes = np.zeros(data.models, dtype=np.int64)
    np.add.at(votes, data.pair_a, per_pair)
    np.add.at(votes, data.pair_b, per_pair)
    return votes


def _undetermined(information: Floats, information_of_voter: Floats, models: int) -> Bools:
    """Which parameters have a part in a direction of which all information is `information_of_voter`."""
    whole = bradley_terry_fit.centred(information, models)
    size = np.sqrt(np.diag(whole))
    left = (whole - information_of_voter) / np.outer(size, size)
    if _positive(left):
        return np.zeros(len(left), dtype=np.bool_)
    values, vectors = np.linalg.eigh(left)
    none: Ints = np.flatnonzero(values < NOTHING_LEFT)
    directions = np.abs(vectors[:, none] / size[:, None])
    # A shift that most models share moves none of them.
    shared = np.median(vectors[:models, none] / size[:models, None], axis=0) if models else 0.0
    directions[:models] = np.abs(vectors[:models, none] / size[:models, None] - shared)
    largest = directions.max(axis=0, initial=0.0)
    return np.asarray((directions > TOUCHED * largest).any(axis=1), dtype=np.bool_)


def _positive(matrix: Floats) -> bool:
    """Surely positive definite, by the pivots of Cholesky's factor."""
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return bool(np.diag(factor).min(initial=1.0) ** 2 > 10 * NOTHING_LEFT)
