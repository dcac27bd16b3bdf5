"""Whether sides were drawn by lot: where models stand on one side more than that allows, the share of left wins shows models too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import bdtr, chdtrc

from arena.votes import UNKNOWN, Outcome, VoteTable

PLAIN = 0.001  # a doubt about somebody's data wants more than one in twenty
NOT_DRAWN = "sides were not drawn by lot: the share of left wins also shows which models stood left; see the side term"

SORTED = 0.98  # of decisive votes won by one side: no voter, human or machine, leans so far over many models
SORTED_TABLE = (
    "the side is not known: the same side wins all or nearly all decisive votes, as in a table that lists the winner "
    "first, so no effect of the side can be told"
)


def winners_first(table: VoteTable) -> bool:
    """Whether a table names winners (or losers) first, so that its columns are no sides.

    One side wins at least `SORTED` of the decisive votes, and more than drawn sides would with probability `PLAIN`.
    Votes of battles whose draw is recorded have true sides, and a table with any such vote is not doubted.
    """
    known = table.used & table.side_known & (table.a != table.b)
    if np.isfinite(table.drawn_p[known]).any():
        return False
    left = int(table.count[known & (table.outcome == Outcome.A)].sum())
    right = int(table.count[known & (table.outcome == Outcome.B)].sum())
    fewer, decisive = min(left, right), left + right
    return fewer <= (1 - SORTED) * decisive and 2 * float(bdtr(fewer, decisive, 0.5)) < PLAIN


def without_sides(table: VoteTable) -> VoteTable:
    """The same votes, no side of them known."""
    return replace(table, side_known=np.zeros(len(table), dtype=np.bool_))


def sides_p(table: VoteTable) -> float | None:
    """P of sides so uneven, were they drawn by lot for each battle; None where no side is known.

    Sum over pairs of d^2/v against chi-square with a degree for each pair, d = n_ab - n_ba (Pearson 1900). A prompt
    on which a pair met may be one battle with one draw for all its votes, so v sums its own d^2 over the pair's prompts;
    votes without a prompt were drawn each by itself. With few draws a pair P is too large, never too small.
    """
    known = table.take(table.used & table.side_known & (table.a != table.b) & (table.count > 0))
    if not len(known):
        return None
    low, high = np.minimum(known.a, known.b).astype(np.int64), np.maximum(known.a, known.b)
    pairs, pair = np.unique(low * len(known.models) + high, return_inverse=True)
    lead = np.where(known.a == low, known.count, -known.count).astype(np.float64)
    alone = known.prompt == UNKNOWN
    variance = np.bincount(pair[alone], weights=known.count[alone], minlength=len(pairs))
    prompts = len(known.prompts) + 1
    battles, battle = np.unique(pair[~alone] * prompts + known.prompt[~alone], return_inverse=True)
    apart = np.bincount(battle, weights=lead[~alone], minlength=len(battles))
    variance = variance + np.bincount(battles // prompts, weights=apart**2, minlength=len(pairs))
    told = variance > 0
    if not told.any():
        return None
    total = np.bincount(pair, weights=lead, minlength=len(pairs))
    return float(chdtrc(int(told.sum()), (total[told] ** 2 / variance[told]).sum()))


def drawn_by_lot(table: VoteTable) -> bool:
    """Nothing plainly speaks against a draw of sides by lot."""
    p = sides_p(table)
    return p is None or p >= PLAIN
