"""Sums of votes over groups of them (prompts, categories): counts, disagreement, and ratios with their jackknife over voters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arena.votes import UNKNOWN, Outcome, VoteTable
from ratings.scale import Floats

Codes = npt.NDArray[np.intp]


def counts(table: VoteTable, rows: Codes, group: Codes, groups: int) -> dict[str, Floats]:
    """(groups,) votes, voters, models, pairs, tie_share and disagreement of `rows` (m,) by their `group` (m,)."""
    a, b, outcome = table.a[rows], table.b[rows], table.outcome[rows]
    n = table.count[rows].astype(np.float64)
    votes = _total(group, n, groups)
    tied = outcome >= Outcome.TIE
    both = np.concatenate([a, b])
    models = _distinct(np.tile(group, 2), both, groups)
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b)
    pair = low * len(table.models) + high
    return {
        "votes": votes,
        "voters": _voters(table, rows, group, groups),
        "models": models,
        "pairs": _distinct(group, pair, groups),
        "tie_share": _total(group, n * tied, groups) / np.maximum(votes, 1),
        "disagreement": _disagreement(table, rows, group, groups, pair, n),
    }


def _total(group: Codes, value: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, weights=value, minlength=groups), dtype=np.float64)


def _distinct(group: Codes, value: npt.NDArray[np.integer], groups: int) -> Floats:
    pairs = np.unique(np.column_stack([group, value]), axis=0)
    return np.bincount(pairs[:, 0], minlength=groups).astype(np.float64)


def _voters(table: VoteTable, rows: Codes, group: Codes, groups: int) -> Floats:
    """Voters of each group; a vote without one is its own."""
    named = table.voter[rows] != UNKNOWN
    alone = np.bincount(group[~named], weights=table.count[rows][~named], minlength=groups)
    return _distinct(group[named], table.voter[rows][named], groups) + alone


def _disagreement(
    table: VoteTable, rows: Codes, group: Codes, groups: int, pair: npt.NDArray[np.int64], n: Floats
) -> Floats:
    """P(two votes on one prompt and pair differ), over all such pairs of votes; nan where no two votes meet."""
    prompt = table.prompt[rows].astype(np.int64)
    cells, code = np.unique(np.column_stack([group, prompt, pair]), axis=0, return_inverse=True)
    code = code.reshape(-1)
    flipped = table.a[rows] > table.b[rows]
    outcome = np.minimum(table.outcome[rows], Outcome.TIE).astype(np.int64)
    said = np.where(flipped & (outcome < Outcome.TIE), 1 - outcome, outcome)
    each = np.bincount(code * 3 + said, weights=n, minlength=3 * len(cells)).reshape(-1, 3)
    total = each.sum(axis=1)
    met = np.bincount(cells[:, 0], weights=total * (total - 1), minlength=groups)
    differ = np.bincount(cells[:, 0], weights=total**2 - (each**2).sum(axis=1), minlength=groups)
    return np.where(met > 0, differ / np.where(met > 0, met, 1.0), np.nan)


@dataclass(frozen=True)
class ItemSums:
    """Sums x y, y y and x x of each group, and of each voter in it (a row of equal anonymous votes: one of `size`)."""

    total: Floats  # (groups, 3)
    voter: Floats  # (cells, 3)
    group: Codes  # (cells,)
    size: Floats  # (cells,) voters that the cell stands for
    voters: Floats  # (groups,)


def sums(table: VoteTable, rows: Codes, group: Codes, groups: int, x: Floats, y: Floats) -> ItemSums:
    """The sums of `x` and `y` (m,) over `rows` (m,), weighted by the count of each row."""
    n = table.count[rows].astype(np.float64)
    products = np.column_stack([x * y, y * y, x * x])
    voter = table.voter[rows].astype(np.int64)
    named = voter != UNKNOWN
    cells, code = np.unique(np.column_stack([group[named], voter[named]]), axis=0, return_inverse=True)
    code = code.reshape(-1)
    own = np.column_stack(
        [np.bincount(code, weights=(products[:, k] * n)[named], minlength=len(cells)) for k in range(3)]
    )
    each = np.concatenate([own, products[~named]])
    of = np.concatenate([cells[:, 0], group[~named]]).astype(np.intp)
    size = np.concatenate([np.ones(len(cells)), n[~named]])
    total = np.column_stack([np.bincount(of, weights=each[:, k] * size, minlength=groups) for k in range(3)])
    return ItemSums(
        np.asarray(total, dtype=np.float64),
        np.asarray(each, dtype=np.float64),
        of,
        size,
        _total(of, size, groups),
    )


@dataclass(frozen=True)
class Jackknife:
    """(groups,) sum xy / sum yy with its error; the correlation about zero with the error of its Fisher z."""

    value: Floats
    error: Floats
    correlation: Floats
    correlation_error: Floats


def jackknife(found: ItemSums) -> Jackknife:
    """Both ratios and their delete-one-voter errors, sqrt((G - 1)/G sum (r_g - mean r)^2); nan where not defined."""
    left = found.total[found.group] - found.voter
    value, r = _ratios(found.total)
    value_left, r_left = _ratios(left)
    return Jackknife(value, _error(found, value_left), r, _error(found, _fisher(r_left)))


def _ratios(total: Floats) -> tuple[Floats, Floats]:
    xy, yy, xx = total.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(yy > 0, xy / yy, np.nan), np.where(yy * xx > 0, xy / np.sqrt(yy * xx), np.nan)


def _fisher(r: Floats) -> Floats:
    return np.asarray(np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)))


def _error(found: ItemSums, left: Floats) -> Floats:
    groups, voters = len(found.voters), np.maximum(found.voters, 1)
    mean = np.bincount(found.group, weights=left * found.size, minlength=groups) / voters
    squares = np.bincount(found.group, weights=(left - mean[found.group]) ** 2 * found.size, minlength=groups)
    return np.asarray(np.sqrt((voters - 1) / voters * squares))
