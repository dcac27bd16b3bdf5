"""The judge's board beside the people's: ratings of the same pairs of answers, and which models the judge over- and under-rates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from arena.errors import NoData
from arena.votes import UNKNOWN, VoteTable
from ratings.bradley_terry import intervals, ranks
from ratings.leaderboard import Plan
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse
from ratings.scale import BASE, ELO, Floats
from ratings.stats.arguments import Undefined
from ratings.stats.correlation import correlations, disattenuated_interval, fisher_interval, reliability
from ratings.stats.multiplicity import adjusted

FALSE_DISCOVERIES = 0.1
NO_ERROR = 1e-9  # log-odds; an error below it is rounding


@dataclass(frozen=True)
class JudgedModel:
    """One model on both boards: Elo points, mean 1000 over the models that both boards rank."""

    model: str
    people_rank: int
    people_rating: float
    people_low: float  # 95 %, voters as clusters
    people_high: float
    judge_rank: int
    judge_rating: float
    judge_low: float  # 95 %, each verdict for itself
    judge_high: float
    difference: (
        float  # judge minus people on people's scale: the judge's rating brought to their spread first
    )
    low: float  # 95 %
    high: float
    p: float  # two-sided, no difference at all
    p_adjusted: float  # Benjamini-Hochberg over the models
    verdict: str | None  # "over" or "under": false discoveries below 10 %; None: not told apart


@dataclass(frozen=True)
class JudgeBoard:
    """Both boards over the pairs that people and judge have judged, by people's rating."""

    models: tuple[JudgedModel, ...]
    spread: (
        float  # the judge's ratings lie so many times as far apart as people's, the noise of both taken off
    )
    pearson: float | None
    pearson_low: float | None  # Fisher's limits
    pearson_high: float | None
    spearman: float | None
    kendall_tau_b: float | None
    disattenuated: float | None  # Pearson's r freed of the noise of both boards
    disattenuated_low: float | None
    disattenuated_high: float | None
    left_out: tuple[str, ...]  # models that one of the boards does not rank


def beside(people: VoteTable, judge: VoteTable) -> JudgeBoard:
    """Both boards of tables that hold the same prompts and pairs. Raises `NoData` where they share fewer than two models.

        d_k = J_k / spread - P_k,   spread = sd(J) / sd(P)

    with J and P the ratings around the mean of the shared models and the sds freed of noise: one judge is more of
    one mind than a crowd, so that its ratings lie further apart without any model being over-rated. The error of
    d_k is that of both boards, which vary on their own (voters; verdicts), on these prompts and given the spread.
    """
    by_voter, by_verdict = _analysed(people, "people"), _analysed(_unclustered(judge), "the judge")
    names = _common(by_voter, by_verdict)
    left, right = _estimate(by_voter, names), _estimate(by_verdict, names)
    spread = _spread(left, right)
    gap = right.value / spread - left.value
    error = np.sqrt(np.diag(right.covariance) / spread**2 + np.diag(left.covariance))
    if error.min() < NO_ERROR:
        raise NoData("neither people nor the judge show any spread: no errors to hold the boards against")
    nu = np.minimum(left.nu, right.nu)
    p = 2 * stdtr(nu, -np.abs(gap / error))
    corrected = adjusted(p, "fdr_bh")
    half = stdtrit(nu, 1 - (1 - intervals.LEVEL) / 2) * error
    own, said, columns = left.lines(), right.lines(), (gap, gap - half, gap + half)
    models = []
    for k, name in enumerate(names):
        difference = [float(column[k]) * ELO for column in columns]
        values: list[Any] = [name, *own[k], *said[k], *difference, float(p[k]), float(corrected[k])]
        models.append(JudgedModel(*values, *[_verdict(gap[k], corrected[k])]))
    known = {*by_voter.selection.models} & {*by_verdict.selection.models}
    return JudgeBoard(
        models=tuple(sorted(models, key=lambda row: (-row.people_rating, row.model))),
        spread=spread,
        **_association(left, right),
        left_out=tuple(sorted(known - set(names))),
    )


def _spread(left: _Estimate, right: _Estimate) -> float:
    """sd of the judge's ratings over that of people's, each freed of noise; 1 where one of them is all noise."""
    true = []
    for one in (left, right):
        try:
            kept = reliability(one.value, one.covariance)
        except Undefined:
            kept = 0.0
        true.append(float(np.var(one.value, ddof=1)) * kept)
    return float(np.sqrt(true[1] / true[0])) if min(true) > 0 else 1.0


def _verdict(difference: float, p: float) -> str | None:
    return None if p >= FALSE_DISCOVERIES else "over" if difference > 0 else "under"


def _analysed(table: VoteTable, whose: str) -> Analysis:
    analysis = analyse(table, Plan(rounds=0))
    if not analysis.parts or analysis.parts[0].spread is None:
        raise NoData(f"the votes of {whose} on the shared pairs are too few for a board")
    return analysis


def _unclustered(table: VoteTable) -> VoteTable:
    return replace(table, voter=np.full(len(table), UNKNOWN, dtype=np.int32))


def _common(one: Analysis, other: Analysis) -> list[str]:
    ranked = [
        {analysis.selection.models[index] for index in analysis.parts[0].members[analysis.parts[0].ranked]}
        for analysis in (one, other)
    ]
    names = sorted(ranked[0] & ranked[1])
    if len(names) < 2:
        raise NoData("people and judge rank fewer than two models in common")
    return names


@dataclass(frozen=True)
class _Estimate:
    """Ratings around the mean of the common models, in log-odds."""

    value: Floats  # (m,)
    covariance: Floats  # (m, m)
    nu: Floats  # (m,) effective clusters

    def lines(self) -> list[tuple[int, float, float, float]]:
        """(rank, rating, low, high) of each model, in Elo."""
        half = stdtrit(self.nu, 1 - (1 - intervals.LEVEL) / 2) * np.sqrt(np.diag(self.covariance))
        low, high = self.value - half, self.value + half
        bounds = (BASE + ELO * values for values in (self.value, low, high))
        return list(zip(ranks.by_overlap(low, high).tolist(), *(b.tolist() for b in bounds), strict=True))


def _estimate(analysis: Analysis, names: list[str]) -> _Estimate:
    part = analysis.parts[0]
    assert part.spread is not None
    place = {analysis.selection.models[index]: at for at, index in enumerate(part.members)}
    at = np.array([place[name] for name in names])
    rows = np.zeros((len(at), len(part.fit.params)))
    rows[:, at] = np.eye(len(at)) - 1 / len(at)
    covariance = rows @ part.spread.cr3 @ rows.T
    return _Estimate(rows @ part.fit.params, (covariance + covariance.T) / 2, part.spread.effective[at])


def _association(left: _Estimate, right: _Estimate) -> dict[str, float | None]:
    found = correlations(left.value, right.value)
    out: dict[str, float | None] = dict.fromkeys(
        ("pearson_low", "pearson_high", "disattenuated", "disattenuated_low", "disattenuated_high")
    )
    out |= {"pearson": found.pearson, "spearman": found.spearman, "kendall_tau_b": found.kendall_tau_b}
    if found.pearson is None:
        return out
    try:
        out["pearson_low"], out["pearson_high"] = fisher_interval(found.pearson, found.n)
        noise = (reliability(one.value, one.covariance) for one in (left, right))
        freed = disattenuated_interval(found.pearson, found.n, *noise)
        out |= {
            "disattenuated": freed.r_dis,
            "disattenuated_low": freed.ci[0],
            "disattenuated_high": freed.ci[1],
        }
    except Undefined:
        pass  # too few models, or ratings that are all noise: the parts that are defined stay
    return out
