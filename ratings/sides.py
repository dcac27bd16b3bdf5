"""Whether sides were drawn by lot: where models stand on one side more than that allows, the share of left wins shows models too."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from arena.votes import UNKNOWN, VoteTable

PLAIN = 0.001  # a doubt about somebody's data wants more than one in twenty
NOT_DRAWN = "sides were not drawn by lot: the share of left wins also shows which models stood left; see the side term"


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
