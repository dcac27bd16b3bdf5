"""The arena's own prompts as items: votes, disagreement, and how well each prompt's votes agree with the ratings of the others.

For a vote with a's score s (1, 1/2 or 0) and the share p that ratings from the votes on other prompts foretell, a prompt's

    discrimination = sum (s - 1/2)(p - 1/2) / sum (p - 1/2)^2
    correlation    = sum (s - 1/2)(p - 1/2) / sqrt(sum (s - 1/2)^2 sum (p - 1/2)^2)

both the same whichever side a stood on. Discrimination is 1 where votes follow the ratings as they should, 0 where they have
nothing to do with them, negative where they go against them. Errors: delete-one-voter jackknife, t with G - 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from arena.errors import NoData
from arena.votes import UNKNOWN, VoteTable
from ratings.design.selection import votes_of
from ratings.diagnostics import item_sums, online_elo
from ratings.engine.reference.pairs import expit
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse
from ratings.scale import Floats
from ratings.stats.multiplicity import adjusted

FOLDS = 10  # of prompts: each is foretold by the ratings of the other folds
MIN_VOTES = 10  # fewer say nothing of a prompt
MIN_VOTERS = 5
FALSE_DISCOVERIES = 0.1
CERTAIN = 1e-6  # no prediction is closer to 0 or 1

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class PromptItem:
    """One prompt, or one category of prompts. Numbers are None where the votes are too few, with `why`."""

    name: str
    votes: int
    voters: int
    models: int
    pairs: int
    tie_share: float  # ties and both bad
    disagreement: float | None  # P(two votes on the same pair of models differ); None: no pair has two
    gain: float | None  # log loss of a coin minus that of the foretold share, a vote
    discrimination: float | None
    low: float | None  # 95 %
    high: float | None
    shrunk: float | None  # discrimination drawn to the mean of all by its error (empirical Bayes)
    correlation: float | None
    correlation_low: float | None  # 95 %, by Fisher's z
    correlation_high: float | None
    p: float | None  # two-sided, discrimination 0
    p_adjusted: float | None  # Benjamini-Hochberg over those tested
    verdict: str  # "separates" models as the ratings do, "reversed", or "silent"
    why: str | None


@dataclass(frozen=True)
class PromptReport:
    """Prompts by shrunk discrimination, the sharpest first, the untested ones last by votes; categories alike."""

    prompts: tuple[PromptItem, ...]
    categories: tuple[PromptItem, ...]
    tested: int
    silent_for_few_votes: int
    unpredicted: int  # votes on models without a common scale in the other folds
    spread: (
        float | None
    )  # sd of the true discriminations (DerSimonian-Laird); None: fewer than two prompts tested


def prompt_items(table: VoteTable, plan: Plan) -> PromptReport:
    """The report of the votes that count on the board of `plan`. Raises `NoData` where fewer than two prompts are named."""
    votes = votes_of(table, plan)
    used = votes.take(votes.used & (votes.a != votes.b) & (votes.prompt >= 0) & (votes.count > 0))
    if len(np.unique(used.prompt)) < 2:
        raise NoData("fewer than two prompts are named by the votes: nothing to hold one against")
    p = _foretold(used, plan.seed)
    known = np.isfinite(p)
    everything = np.arange(len(used))
    prompts, spread = _items(used, p, everything, used.prompt.astype(np.intp), used.prompts)
    categories = _of_categories(used, p)
    return PromptReport(
        prompts=prompts,
        categories=categories,
        tested=sum(item.p is not None for item in prompts),
        silent_for_few_votes=sum(item.p is None for item in prompts),
        unpredicted=int(used.count[~known].sum()),
        spread=spread,
    )


def _foretold(table: VoteTable, seed: int) -> Floats:
    """(n,) a's share by the ratings of votes on other prompts; nan where these do not link the two models."""
    prompts, code = np.unique(table.prompt, return_inverse=True)
    fold = (np.random.default_rng(seed).permutation(len(prompts)) % FOLDS)[code]
    share = np.full(len(table), np.nan)
    # Voters do not matter for the point: without them equal votes are one row.
    nobody = replace(table, voter=np.full(len(table), UNKNOWN, dtype=np.int32), traits={}, labels={})
    for number in np.unique(fold):
        inside = fold == number
        theta = _thetas(nobody.take(~inside))
        share[inside] = expit(theta[table.a[inside]] - theta[table.b[inside]])
    return share


def _thetas(table: VoteTable) -> Floats:
    """(models,) log-odds on the largest board; nan for the others."""
    analysis = analyse(table, Plan(rounds=0))
    found = dict.fromkeys(table.models, np.nan)
    if analysis.parts:
        part = analysis.parts[0]
        on_board = analysis.components.on_board()[part.members]
        for index, theta in zip(part.members[on_board], part.fit.theta[on_board], strict=True):
            found[analysis.selection.models[index]] = float(theta)
    return np.array([found[name] for name in table.models])


def _of_categories(table: VoteTable, p: Floats) -> tuple[PromptItem, ...]:
    masks = [table.labels[name] for name in sorted(table.labels)]
    if not masks:
        return ()
    rows = [np.flatnonzero(mask) for mask in masks]
    group = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
    return _items(table, p, np.concatenate(rows), group, sorted(table.labels))[0]


def _items(
    table: VoteTable, p: Floats, rows: Codes, group: Codes, names: Sequence[str]
) -> tuple[tuple[PromptItem, ...], float | None]:
    """One item for each group that occurs among `rows` (m,) with their groups (m,), and the spread of their truths."""
    counts = item_sums.counts(table, rows, group, len(names))
    known = np.isfinite(p[rows])
    inside, of = rows[known], group[known]
    score = online_elo.SCORES[table.outcome[inside]]
    sums = item_sums.sums(table, inside, of, len(names), score - 0.5, p[inside] - 0.5)
    jack = item_sums.jackknife(sums)
    safe = np.clip(p[inside], CERTAIN, 1 - CERTAIN)
    gains = np.log(2) + score * np.log(safe) + (1 - score) * np.log1p(-safe)
    weight = np.bincount(of, weights=table.count[inside], minlength=len(names))
    gain = np.bincount(of, weights=gains * table.count[inside], minlength=len(names)) / np.maximum(weight, 1)
    tested = (weight >= MIN_VOTES) & (sums.voters >= MIN_VOTERS) & (jack.error > 0) & np.isfinite(jack.value)
    shrunk, spread = _shrunk(jack.value, jack.error, tested)
    numbers = _tests(jack, sums.voters, tested) | {"gain": gain, "shrunk": shrunk}
    items = [
        _item(names[at], at, counts, numbers, bool(tested[at]))
        for at in np.flatnonzero(counts["votes"] > 0).tolist()
    ]
    order = sorted(items, key=lambda i: (i.shrunk is None, -(i.shrunk or 0.0), -i.votes, i.name))
    return tuple(order), spread


def _tests(jack: item_sums.Jackknife, voters: Floats, tested: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    freedom = np.maximum(voters - 1, 1)
    t = stdtrit(freedom, 0.975)
    p = np.where(tested, 2 * stdtr(freedom, -np.abs(jack.value) / np.where(tested, jack.error, 1.0)), np.nan)
    corrected = np.full(len(p), np.nan)
    corrected[tested] = adjusted(p[tested], "fdr_bh")
    z = np.arctanh(np.clip(jack.correlation, -1 + 1e-12, 1 - 1e-12))
    return {
        "discrimination": jack.value,
        "low": jack.value - t * jack.error,
        "high": jack.value + t * jack.error,
        "correlation": jack.correlation,
        "correlation_low": np.tanh(z - t * jack.correlation_error),
        "correlation_high": np.tanh(z + t * jack.correlation_error),
        "p": p,
        "p_adjusted": corrected,
    }


def _shrunk(value: Floats, error: Floats, tested: npt.NDArray[np.bool_]) -> tuple[Floats, float | None]:
    """Each value drawn to the mean of all by its own error, and the sd of the truths (DerSimonian & Laird 1986)."""
    out = np.full(len(value), np.nan)
    if tested.sum() < 2:
        out[tested] = value[tested]
        return out, None
    x, v = value[tested], error[tested] ** 2
    w = 1 / v
    mean = (w * x).sum() / w.sum()
    excess = (w * (x - mean) ** 2).sum() - (len(x) - 1)
    between = max(0.0, float(excess / (w.sum() - (w**2).sum() / w.sum())))
    w = 1 / (v + between)
    mean = (w * x).sum() / w.sum()
    out[tested] = mean + (x - mean) * between / (between + v)
    return out, float(np.sqrt(between))


def _item(
    name: str, at: int, counts: Mapping[str, Floats], numbers: Mapping[str, Floats], tested: bool
) -> PromptItem:
    found = {key: float(values[at]) if tested else None for key, values in numbers.items()}
    p, d = found["p_adjusted"], found["discrimination"]
    verdict = "silent"
    if p is not None and d is not None and p < FALSE_DISCOVERIES:
        verdict = "separates" if d > 0 else "reversed"
    differ = float(counts["disagreement"][at])
    return PromptItem(
        name=name,
        **{key: int(counts[key][at]) for key in ("votes", "voters", "models", "pairs")},
        tie_share=float(counts["tie_share"][at]),
        disagreement=None if np.isnan(differ) else differ,
        **found,  # type: ignore[arg-type]
        verdict=verdict,
        why=None if tested else f"fewer than {MIN_VOTES} foretold votes or {MIN_VOTERS} voters, or no spread",
    )
