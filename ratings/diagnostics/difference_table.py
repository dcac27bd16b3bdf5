"""The gaps of all pairs of a board at once, for a release: the same numbers as `compare` gives, adjusted for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from ratings.diagnostics.differences import contrasts, remark, shares, without_interval
from ratings.diagnostics.sample_size import ALPHA, MOST, POWER
from ratings.ranking.analysis import Analysis, ComponentFit
from ratings.releases.payloads import NUMBERS, GapTable
from ratings.scale import ELO, Floats, Ints
from ratings.stats.multiplicity import adjusted

STEPS = 50  # of the fixed point at the most; each gains about a digit
CLOSE = 1e-4  # relative; two digits are published
DIGITS = 6  # of Elo points and shares
P_DIGITS = 4  # significant
BOUNDS = ("low", "high", "se", "win_low", "win_high", "effective_voters", "p")  # as `gaps.Contrasts` has them

Columns = dict[str, Any]  # name -> (m,), nan for what is not known; `why` a list


def gap_table(analysis: Analysis) -> GapTable:
    """Every pair of models that share a scale, in order of name; Holm's correction is over all pairs with a P value."""
    parts = [_of_part(part) for part in analysis.parts]
    found: Columns = {
        name: np.concatenate([part[name] for part in parts]) if parts else np.empty(0)
        for name in ("a", "b", *NUMBERS)
    }
    tested = np.isfinite(found["p"])
    found["p_adjusted"][tested] = adjusted(found["p"][tested])
    found["more_votes"] = more_votes(
        found["gap"], found["se"], found["effective_voters"], found["p"], analysis.selection.used
    )
    why = [reason for part in parts for reason in part["why"]]
    reasons = sorted({reason for reason in why if reason})
    place = {reason: number for number, reason in enumerate(reasons)}
    columns = {
        "a": found["a"].astype(int).tolist(),
        "b": found["b"].astype(int).tolist(),
        "why": [None if reason is None else place[reason] for reason in why],
        **{name: _listed(name, found[name]) for name in NUMBERS},
    }
    settings = {"tested": int(tested.sum()), "correction": "holm", "alpha": ALPHA, "power": POWER}
    return GapTable.of_columns(analysis.selection.models, reasons, columns, **settings)


def _listed(name: str, values: Floats) -> Sequence[float | int | None]:
    """A column as JSON has it: unknown is None, digits beyond what it can tell left out."""
    if name in ("p", "p_adjusted"):
        return [None if p != p else float(f"{p:.{P_DIGITS}g}") for p in values.tolist()]
    if name == "more_votes":
        return [None if n != n else int(float(f"{n:.2g}")) for n in values.tolist()]
    return [None if x != x else x for x in np.round(values, DIGITS).tolist()]


def _of_part(part: ComponentFit) -> Columns:
    k = len(part.members)
    at, against = np.triu_indices(k, 1)
    m = len(at)
    gap = part.fit.theta[at] - part.fit.theta[against]
    columns: Columns = {name: np.full(m, np.nan) for name in NUMBERS}
    columns |= {"a": part.members[at], "b": part.members[against]}
    columns["gap"], columns["win_probability"] = gap * ELO, shares(part, gap)
    columns["why"] = [None] * m
    barred = np.ones(k, dtype=np.bool_) if part.spread is None else part.spread.disconnected_without_one_voter
    # One model's pairs at a time: all rounds of all pairs at once would be too much.
    for first in range(k - 1):
        _fill(part, columns, np.flatnonzero((at == first) & ~barred[at] & ~barred[against]), at, against)
    for row in np.flatnonzero(barred[at] | barred[against]):
        columns["why"][row] = without_interval(part, int(at[row]), int(against[row]))
    return columns


def _fill(part: ComponentFit, columns: Columns, rows: Ints, at: Ints, against: Ints) -> None:
    if not len(rows):
        return
    found = contrasts(part, at[rows], against[rows])
    for name in BOUNDS:
        columns[name][rows] = getattr(found, name)
    voters, fisher = found.effective_voters.tolist(), found.fisher.tolist()
    for place, row in enumerate(rows.tolist()):
        columns["why"][row] = remark(voters[place], fisher[place])


def more_votes(gap: Floats, se: Floats, nu: Floats, p: Floats, votes: int) -> Floats:
    """(m,) votes missing until a pair's test has the usual power, were its gap as estimated; nan: none, or no end.

    `vote_planning.plan_votes` solves P(|T| > t_crit) = power for the factor f by which the votes must grow. Its far
    tail is nothing at this power, which leaves f = ((t(f nu, 1 - alpha/2) + t(f nu, power)) se / gap)^2, a fixed point.
    """
    more = np.full(len(gap), np.nan)
    rows = np.flatnonzero((p >= ALPHA) & (gap != 0))
    ratio = np.abs(gap[rows]) / se[rows]
    with np.errstate(over="ignore", divide="ignore"):
        factor = (float(ndtri(1 - ALPHA / 2) + ndtri(POWER)) / ratio) ** 2
    ends = factor <= MOST
    rows, ratio, factor = rows[ends], ratio[ends], factor[ends]
    for _ in range(STEPS):
        freedom = factor * nu[rows]
        again = ((stdtrit(freedom, 1 - ALPHA / 2) + stdtrit(freedom, POWER)) / ratio) ** 2
        done = bool((np.abs(again - factor) <= CLOSE * factor).all())
        factor = again
        if done:
            break
    more[rows] = np.maximum((factor - 1) * votes, 1.0)
    return more
