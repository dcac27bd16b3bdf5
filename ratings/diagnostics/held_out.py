"""How well ratings predict votes they have not seen: log loss, Brier score and calibration, folds by voter.

Each voter is in one fold; ratings from the other folds predict the votes of this one. A vote's score s is 1, 1/2 or
0 and p the predicted share of a: log loss -(s ln p + (1 - s) ln(1 - p)), Brier score (s - p)^2 (Brier 1950). A coin
has ln 2 and, over decisive votes, 1/4. Intervals come from the spread over voters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from arena.errors import NoData
from arena.votes import UNKNOWN, VoteTable
from ratings.diagnostics import online_elo
from ratings.leaderboard import Plan
from ratings.ranking.rank import rank
from ratings.scale import Floats

FOLDS = 5
BINS = 10
MIN_BIN_VOTES = 20  # a bin with fewer is joined to its neighbour
Rater = Callable[[VoteTable], Floats]  # votes -> (K,) ratings in Elo by model, nan where it knows none
CERTAIN = 1e-6  # no prediction is closer to 0 or 1


@dataclass(frozen=True)
class Loss:
    """Mean loss of one way to predict, with its difference from the coin: mean, and the 95 % interval over voters."""

    name: str
    log_loss: float
    brier: float
    gain: float  # the coin's log loss minus this one's; positive is better than a coin
    gain_low: float | None  # null for the coin itself, and where nothing varies
    gain_high: float | None


@dataclass(frozen=True)
class Bin:
    """Held-out votes whose predicted share lies between `low` and `high`."""

    low: float
    high: float
    predicted: float
    observed: float
    votes: int


@dataclass(frozen=True)
class HeldOut:
    """What `held_out` found. `unpredicted`: votes on models without a common scale in the other folds."""

    folds: int
    votes: int
    unpredicted: int
    voters: int
    losses: tuple[Loss, ...]
    calibration: tuple[Bin, ...]  # of the plan's own ratings


def held_out(
    table: VoteTable,
    plan: Plan,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    others: Mapping[str, Rater] | None = None,
) -> HeldOut:
    """Predict every vote of `table` from the voters of the other folds.

    Compared: a coin, online Elo, the plain Bradley-Terry fit and, where `plan` has style, the fit with it (by its
    ratings alone: equal styles assumed). `others` are further ways to rate; only votes that all ways can predict count. Raises `NoData` with fewer
    than two voters whose votes can be predicted.
    """
    used, fold = _split(table.take(table.used & (table.a != table.b)), folds, np.random.default_rng(seed))
    if _voters(used) < 2:
        raise NoData("fewer than two voters: nothing to hold out")
    ways = _predictions(used, plan, fold, others or {})
    known = np.logical_and.reduce([np.isfinite(p) for p in ways.values()])
    if not known.any():
        raise NoData("no held-out vote is between models with a common scale")
    if _voters(used.take(known)) < 2:
        raise NoData("the votes of one voter alone can be foretold: too few voters to say how well")
    count, score = used.count[known], online_elo.SCORES[used.outcome[known]]
    losses = {name: _losses(score, p[known]) for name, p in ways.items()}
    own = "style" if "style" in ways else "bradley_terry"
    return HeldOut(
        folds=folds,
        votes=int(count.sum()),
        unpredicted=int(used.count[~known].sum()),
        voters=_voters(used.take(known)),
        losses=tuple(
            _loss(name, log, brier, losses["coin"][0], used.take(known))
            for name, (log, brier) in losses.items()
        ),
        calibration=_calibration(ways[own][known], score, count),
    )


def _voters(table: VoteTable) -> int:
    """How many voters; a vote without one is its own."""
    named = table.voter != UNKNOWN
    return len(np.unique(table.voter[named])) + int(table.count[~named].sum())


def _split(table: VoteTable, folds: int, rng: np.random.Generator) -> tuple[VoteTable, npt.NDArray[np.int64]]:
    """The rows of `table`, each in one fold (n,): a voter's all in the same, those of nobody shared out by vote."""
    named = table.take(table.voter != UNKNOWN)
    alone = table.take(table.voter == UNKNOWN)
    names, code = np.unique(named.voter, return_inverse=True)
    drawn = (rng.permutation(len(names)) % folds)[code]
    shares = rng.multinomial(alone.count, np.full(folds, 1 / folds)).reshape(len(alone), folds)
    row, fold = np.nonzero(shares)
    shared = replace(alone.take(row), count=shares[row, fold])
    return VoteTable.join([named, shared]), np.concatenate([drawn, fold]).astype(np.int64)


def _predictions(
    table: VoteTable, plan: Plan, fold: npt.NDArray[np.int64], more: Mapping[str, Rater]
) -> Mapping[str, Floats]:
    plain = replace(plan, rounds=0, style=(), anchor=None)
    ways: dict[str, Floats] = {
        "coin": np.full(len(table), 0.5),
        "elo": np.full(len(table), np.nan),
        "bradley_terry": np.full(len(table), np.nan),
    }
    if plan.style:
        ways["style"] = np.full(len(table), np.nan)
    ways |= {name: np.full(len(table), np.nan) for name in more}
    for number in np.unique(fold):
        inside = fold == number
        others = table.take(~inside)
        rated = {"elo": online_elo.online(others), "bradley_terry": _ratings(others, plain)}
        if plan.style:
            rated["style"] = _ratings(others, replace(plan, rounds=0, anchor=None))
        rated |= {name: rate(others) for name, rate in more.items()}
        for name, ratings in rated.items():
            gaps = ratings[table.a[inside]] - ratings[table.b[inside]]
            ways[name][inside] = online_elo.expected(gaps)
    return ways


def _ratings(table: VoteTable, plan: Plan) -> Floats:
    """(K,) ratings of the largest board; nan for models that are not on its scale."""
    standings = {row.model: row for row in rank(table, plan).models}
    first = min((row.component for row in standings.values() if row.component), default=None)
    on_scale = [standings[name] for name in table.models]
    return np.array(
        [row.rating if row.rating is not None and row.component == first else np.nan for row in on_scale]
    )


def _losses(score: Floats, p: Floats) -> tuple[Floats, Floats]:
    safe = np.clip(p, CERTAIN, 1 - CERTAIN)
    return -(score * np.log(safe) + (1 - score) * np.log1p(-safe)), (score - p) ** 2


def _loss(name: str, log: Floats, brier: Floats, coin: Floats, table: VoteTable) -> Loss:
    gain, half = _mean_over_voters(coin - log, table)
    return Loss(
        name=name,
        log_loss=float(np.average(log, weights=table.count)),
        brier=float(np.average(brier, weights=table.count)),
        gain=gain,
        gain_low=gain - half if half > 0 else None,
        gain_high=gain + half if half > 0 else None,
    )


def _mean_over_voters(value: Floats, table: VoteTable) -> tuple[float, float]:
    """The mean over votes and the half-width of its 95 % interval, voters as clusters (CR1, t with G - 1)."""
    mean = float(np.average(value, weights=table.count))
    named = table.voter != UNKNOWN
    _, group = np.unique(table.voter[named], return_inverse=True)
    sums = np.bincount(group, weights=((value - mean) * table.count)[named])
    squares = (sums**2).sum() + ((value - mean) ** 2 * table.count)[~named].sum()
    voters = _voters(table)
    se = np.sqrt(voters / (voters - 1) * squares) / table.count.sum()
    return mean, float(stdtrit(voters - 1, 0.975) * se)


def _calibration(p: Floats, score: Floats, count: npt.NDArray[np.int64]) -> tuple[Bin, ...]:
    edges = np.linspace(0.0, 1.0, BINS + 1)
    place = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, BINS - 1)
    bins, low, held = [], 0.0, np.zeros(len(p), dtype=np.bool_)
    for number in range(BINS):
        held |= place == number
        if count[held].sum() < MIN_BIN_VOTES:
            continue
        bins.append(_bin(low, edges[number + 1], p[held], score[held], count[held]))
        low, held = float(edges[number + 1]), np.zeros(len(p), dtype=np.bool_)
    return tuple(bins)


def _bin(low: float, high: float, p: Floats, score: Floats, count: npt.NDArray[np.int64]) -> Bin:
    return Bin(
        low=float(low),
        high=float(high),
        predicted=float(np.average(p, weights=count)),
        observed=float(np.average(score, weights=count)),
        votes=int(count.sum()),
    )
