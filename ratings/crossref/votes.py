"""Unseen votes foretold by a benchmark's scores, beside the Bradley-Terry fit and a coin."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit

from arena.votes import VoteTable
from ratings.design.selection import votes_of
from ratings.diagnostics import online_elo
from ratings.diagnostics.held_out import HeldOut, held_out
from ratings.leaderboard import Plan
from ratings.scale import ELO, Floats

NAME = "benchmark"
STEEPEST = 30.0  # log-odds for one standard deviation of the score: beyond it all predictions are certain


def foretold(table: VoteTable, plan: Plan, scores: Mapping[str, float], *, seed: int = 0) -> HeldOut:
    """Held-out losses on the votes between models of `scores` (by the board's names), folds by voter.

    The benchmark's prediction is P(a beats b) = 1/(1 + exp(-beta (s_a - s_b))), beta fitted by maximum likelihood on the other
    folds' votes: Bradley-Terry with the scores for strengths, which is the best that their gaps can do in log loss.
    Raises `NoData` where nothing can be held out.
    """
    return held_out(votes_of(table, plan), plan, seed=seed, others={NAME: rater(table.models, scores)})


def rater(models: tuple[str, ...], scores: Mapping[str, float]) -> Callable[[VoteTable], Floats]:
    """Votes -> (K,) ratings in Elo, beta times the score; nan for models without one."""
    score = np.array([scores.get(name, np.nan) for name in models])

    def rate(votes: VoteTable) -> Floats:
        return ELO * slope(votes, score) * score

    return rate


def slope(votes: VoteTable, score: Floats) -> float:
    """beta of the votes between models with a score (K,); 0 where these have no votes or no gaps."""
    gap = score[votes.a] - score[votes.b]
    known = np.isfinite(gap) & (gap != 0)
    if not known.any():
        return 0.0
    unit = float(np.nanstd(score))
    z, share, count = gap[known] / unit, online_elo.SCORES[votes.outcome[known]], votes.count[known]

    def loss(beta: float) -> float:
        return -float(count @ (share * log_expit(beta * z) + (1 - share) * log_expit(-beta * z)))

    found = minimize_scalar(loss, bounds=(-STEEPEST, STEEPEST), method="bounded", options={"xatol": 1e-8})
    return float(found.x) / unit
