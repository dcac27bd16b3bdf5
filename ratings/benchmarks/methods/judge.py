"""An automatic judge on trial: order consistency, taste for position and length, agreement with people's votes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from arena.votes import Outcome, VoteTable
from ratings.stats.arguments import BadNumber, Float, inner, same_length, vector
from ratings.stats.clusters import clustered
from ratings.stats.intervals import Interval, pass_interval, t_interval
from ratings.stats.kappa import Kappa, jackknife_kappa

ALIKE = "all votes agree, or none does: the Wilson interval over prompts instead of one without width"
LABELS = ("a", "b", "tie")  # both bad is a tie here: a judge asked for the better answer cannot say it
CODES = {Outcome.A: 0, Outcome.B: 1, Outcome.TIE: 2, Outcome.BOTH_BAD: 2}


@dataclass(frozen=True)
class Bias:
    """How often, of n decisive verdicts, the judge took the favoured answer; 1/2 without bias. p: exact binomial test."""

    share: Interval
    taken: int
    n: int
    p: float | None


@dataclass(frozen=True)
class OrderReport:
    """Two verdicts on each pair of answers, shown in both orders."""

    pairs: int
    missing: int  # pairs without both verdicts
    consistent: Interval  # the same answer (or a tie) both times
    first: Bias  # of all decisive verdicts, for the answer shown first
    flips_to_first: int  # pairs in which whatever stood first won
    flips_to_second: int


def order_report(
    shown: Sequence[Outcome | None], swapped: Sequence[Outcome | None], level: float = 0.95
) -> OrderReport:
    """Does the judge stand by its verdict when the answers change places?

    `shown[i]` and `swapped[i]` are verdicts on one pair, A meaning the answer that then stood first; None where the judge failed.
    The two verdicts of a pair are not independent, so the interval of `first` is a little too narrow.
    """
    same_length(shown=shown, swapped=swapped)
    both = [
        (one, other)
        for one, other in zip(shown, swapped, strict=True)
        if one is not None and other is not None
    ]
    pairs = [(CODES[one], CODES[other.mirrored]) for one, other in both]
    decisive = [verdict for pair in both for verdict in pair if CODES[verdict] != 2]
    first = sum(verdict == Outcome.A for verdict in decisive)
    flips = [one for one, other in both if one == other and CODES[one] != 2]
    return OrderReport(
        pairs=len(pairs),
        missing=len(shown) - len(pairs),
        consistent=pass_interval(sum(one == other for one, other in pairs), len(pairs), level),
        first=_bias(first, len(decisive), level),
        flips_to_first=sum(verdict == Outcome.A for verdict in flips),
        flips_to_second=sum(verdict == Outcome.B for verdict in flips),
    )


@dataclass(frozen=True)
class LengthReport:
    """How often the longer answer is taken, by the judge and by people on the same pairs."""

    judge: Bias
    people: Bias | None
    gap: Interval | None  # judge minus people, over pairs that both decided: paired


def length_report(
    verdicts: Sequence[Outcome | None],
    length_a: Sequence[float] | Float,
    length_b: Sequence[float] | Float,
    people: Sequence[Outcome | None] | None = None,
    level: float = 0.95,
) -> LengthReport:
    """Does the judge favour length, and more than people do?

    Pairs of equal length, ties and missing verdicts are left out. People may like longer answers for good reasons: the gap to them is the bias.
    """
    longer = np.sign(vector("length_a", length_a, least=0) - vector("length_b", length_b, least=0))
    same_length(verdicts=verdicts, lengths=longer)
    judge = _took_longer(verdicts, longer)
    bias = _bias(int(np.nansum(judge)), int((~np.isnan(judge)).sum()), level)
    if people is None:
        return LengthReport(bias, None, None)
    same_length(verdicts=verdicts, people=people)
    voters = _took_longer(people, longer)
    own = _bias(int(np.nansum(voters)), int((~np.isnan(voters)).sum()), level)
    both = ~(np.isnan(judge) | np.isnan(voters))
    return LengthReport(bias, own, _mean(judge[both] - voters[both], level))


@dataclass(frozen=True)
class AgainstPeople:
    """The judge against the votes of this arena on the same prompts and pairs of models."""

    votes: int
    prompts: int
    agreement: Interval  # over all votes, ties as a third answer; clustered by prompt
    agreement_decisive: Interval  # over votes where neither says tie
    kappa: Kappa  # three answers, jackknife by prompt
    people: Interval  # two voters on the same pair: what no judge can be asked to exceed by much


def judge_against_votes(
    verdicts: Mapping[tuple[str, str, str], Outcome], table: VoteTable, level: float = 0.95
) -> AgainstPeople:
    """Agreement of a judge with the people who voted on what it judged.

    `verdicts` maps (prompt id, model a, model b) to the judge's outcome, in either order of the models. Votes that count, have a prompt
    and were judged are compared; each vote weighs one. Intervals take a prompt's votes as one cluster.
    """
    judged = {
        _key(prompt, a, b): _seen_from_first(a, b, outcome) for (prompt, a, b), outcome in verdicts.items()
    }
    own, judge, prompt = _matched(judged, table)
    agree = np.array([one == other for one, other in zip(own, judge, strict=True)], dtype=np.float64)
    decisive = np.array([2 not in pair for pair in zip(own, judge, strict=True)], dtype=np.bool_)
    groups = np.array(prompt)
    return AgainstPeople(
        votes=len(own),
        prompts=len(set(prompt)),
        agreement=_clustered(agree, groups, level),
        agreement_decisive=_clustered(agree[decisive], groups[decisive], level),
        kappa=jackknife_kappa(_tables(own, judge, prompt), level=level),
        people=_people(table, level),
    )


def _matched(
    judged: Mapping[tuple[str, str, str], int], table: VoteTable
) -> tuple[list[int], list[int], list[str]]:
    own, judge, prompts = [], [], []
    for key, outcome, count in _votes(table):
        verdict = judged.get(key)
        if verdict is not None:
            own += [outcome] * count
            judge += [verdict] * count
            prompts += [key[0]] * count
    return own, judge, prompts


def _votes(table: VoteTable) -> list[tuple[tuple[str, str, str], int, int]]:
    """(prompt, models in order of name), outcome seen from the first, number of equal votes."""
    rows = np.flatnonzero(table.used & (table.prompt >= 0))
    found = []
    for row in rows:
        a, b = table.models[table.a[row]], table.models[table.b[row]]
        key = _key(table.prompts[table.prompt[row]], a, b)
        found.append((key, _seen_from_first(a, b, Outcome(int(table.outcome[row]))), int(table.count[row])))
    return found


def _people(table: VoteTable, level: float) -> Interval:
    """Share of pairs of votes on one prompt and pair of models that agree, clustered by prompt."""
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for key, outcome, count in _votes(table):
        counts[key][outcome] += count
    per_prompt: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, (a, b, tie) in counts.items():
        n = a + b + tie
        per_prompt[key[0]][0] += sum(c * (c - 1) / 2 for c in (a, b, tie))
        per_prompt[key[0]][1] += n * (n - 1) / 2
    sums = np.array([pair for pair in per_prompt.values() if pair[1] > 0]).reshape(-1, 2)
    if len(sums) < 2:
        return Interval(
            None, None, None, level, "cluster", "fewer than two prompts have two votes on one pair"
        )
    rate = float(sums[:, 0].sum() / sums[:, 1].sum())
    # A ratio over prompts: linearised residuals, CR1.
    residual = sums[:, 0] - rate * sums[:, 1]
    groups = len(sums)
    se = float(np.sqrt(groups / (groups - 1) * (residual**2).sum()) / sums[:, 1].sum())
    low, high = t_interval(rate, se, groups - 1, level)
    return Interval(rate, max(0.0, low), min(1.0, high), level, "cluster")


def _clustered(agree: Float, groups: npt.NDArray[np.str_], level: float) -> Interval:
    if len(agree) == 0:
        return Interval(None, None, None, level, "cluster", "no vote was judged")
    if len(set(groups.tolist())) < 2:
        return Interval(float(agree.mean()), None, None, level, "cluster", "all votes are on one prompt")
    found = clustered(agree, groups)
    if found.naive == 0:
        alike = pass_interval(found.clusters if found.mean == 1 else 0, found.clusters, level)
        return Interval(found.mean, alike.low, alike.high, level, "wilson", ALIKE)
    low, high = found.interval(level)
    return Interval(found.mean, max(0.0, low), min(1.0, high), level, "cluster")


def _tables(own: Sequence[int], judge: Sequence[int], prompt: Sequence[str]) -> Float:
    number = {name: code for code, name in enumerate(dict.fromkeys(prompt))}
    tables = np.zeros((len(number), 3, 3))
    for one, other, name in zip(own, judge, prompt, strict=True):
        tables[number[name], one, other] += 1
    return tables


def _took_longer(verdicts: Sequence[Outcome | None], longer: Float) -> Float:
    """1 where the longer answer won, 0 the shorter, nan where neither."""
    side = np.array(
        [0 if v is None or CODES[v] == 2 else (1 if v == Outcome.A else -1) for v in verdicts], np.float64
    )
    match = side * longer
    return np.where(match == 0, np.nan, (match + 1) / 2)


def _bias(taken: int, n: int, level: float) -> Bias:
    return Bias(pass_interval(taken, n, level), taken, n, float(binomtest(taken, n).pvalue) if n else None)


def _mean(d: Float, level: float) -> Interval:
    if len(d) < 2:
        return Interval(None, None, None, inner("level", level), "paired t", "fewer than two pairs")
    se = float(d.std(ddof=1) / np.sqrt(len(d)))
    low, high = t_interval(float(d.mean()), se, len(d) - 1, level)
    return Interval(float(d.mean()), low, high, level, "paired t")


def _key(prompt: str, a: str, b: str) -> tuple[str, str, str]:
    if a == b:
        raise BadNumber(f"a verdict between {a!r} and itself")
    return (prompt, a, b) if a < b else (prompt, b, a)


def _seen_from_first(a: str, b: str, outcome: Outcome) -> int:
    return CODES[outcome if a < b else outcome.mirrored]
