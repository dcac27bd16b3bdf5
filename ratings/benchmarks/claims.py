"""A stated score against the items it should come from: exact, another denominator, or not of these items at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from arena.errors import BadInput, Problem
from ratings.benchmarks.readers.delimited import text_rows
from ratings.benchmarks.readers.entries import Claim
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.results import ItemResults

EXACTLY = 5e-7  # for a claim in full precision
NEAR_ITEMS = 0.1  # denominators within this share of the items are looked at
NEAR_PASSES = 2
NEAR_DENOMINATORS = 5
NAMES = ("model", "folder", "name", "system", "")
VALUES = ("published", "score", "resolved", "win_rate", "accuracy", "acc", "value")

Verdict = Literal["exact", "other policy", "other denominator", "contradicts", "no items"]


@dataclass(frozen=True)
class Check:
    """One claim and what the items say to it."""

    model: str
    what: str
    source: str
    published: float  # a share
    computed: float | None  # from the items, errors as 0
    right: float | None  # sum of the item scores
    items: int
    verdict: Verdict
    explanation: str


def check_claims(claims: Iterable[Claim], results: ItemResults) -> tuple[Check, ...]:
    """Every claim about a model of `results`, in order of model."""
    known = [claim for claim in claims if claim.model in results.models]
    return tuple(
        _check(claim, results) for claim in sorted(known, key=lambda claim: (claim.model, claim.what))
    )


def _check(claim: Claim, results: ItemResults) -> Check:
    means = {
        policy: _known(results.means(policy)[results.row(claim.model)]) for policy in ("zero", "exclude")
    }
    row = means["zero"]
    if len(row) == 0:
        return Check(
            claim.model,
            claim.what,
            claim.source,
            claim.value,
            None,
            None,
            0,
            "no items",
            "no item has a score",
        )
    verdict, words = _explain(claim, row, means["exclude"])
    return Check(
        claim.model,
        claim.what,
        claim.source,
        claim.value,
        float(row.mean()),
        float(row.sum()),
        len(row),
        verdict,
        words,
    )


def _explain(claim: Claim, row: Any, excluded: Any) -> tuple[Verdict, str]:
    half = EXACTLY if claim.digits is None else 0.5 * 10**-claim.digits + 1e-12
    n, right = len(row), float(row.sum())
    if abs(right / n - claim.value) <= half:
        return "exact", f"{_count(right)} of {n} items"
    if len(excluded) and abs(excluded.mean() - claim.value) <= half:
        return (
            "other policy",
            f"{_count(float(excluded.sum()))} of {len(excluded)} items: failed runs are left out, here they count as 0",
        )
    other = _denominator(claim, right, n, half)
    if other is not None:
        return (
            "other denominator",
            f"{_count(right)} of {other}: the claim divides by {other}, the items are {n}",
        )
    near = _near(claim, right, n, half)
    if near is not None:
        return "other denominator", f"{near[0]} of {near[1]}: the items hold {_count(right)} of {n}"
    stated, own = f"{100 * claim.value:.4g} %", f"{100 * right / n:.4g} %"
    return (
        "contradicts",
        f"the items hold {_count(right)} of {n} ({own}), the claim of {stated} would need about {claim.value * n:.0f}: they do not belong together",
    )


def _denominator(claim: Claim, right: float, n: int, half: float) -> int | None:
    near = range(max(1, int(n * (1 - NEAR_ITEMS))), int(n * (1 + NEAR_ITEMS)) + 1)
    tried = [*([claim.n] if claim.n else []), *sorted(near, key=lambda m: abs(m - n))]
    return next((m for m in tried if m > 0 and abs(right / m - claim.value) <= half), None)


def _near(claim: Claim, right: float, n: int, half: float) -> tuple[int, int] | None:
    """A few passes and items more or less; only for a claim exact enough to tell."""
    if claim.digits is not None and claim.digits < 4:
        return None
    tried = [
        (round(right) + k, n + m)
        for k in range(-NEAR_PASSES, NEAR_PASSES + 1)
        for m in range(-NEAR_DENOMINATORS, NEAR_DENOMINATORS + 1)
    ]
    fitting = [(k, m) for k, m in tried if m > 0 and abs(k / m - claim.value) <= half]
    return min(fitting, key=lambda pair: abs(pair[1] - n) + abs(pair[0] - right), default=None)


def read_published(path: str | Path) -> tuple[Claim, ...]:
    """Claims in a file: a table or a JSON list of objects with a name (model, folder, name) and a value (published, score, resolved, ...).

    Values above 1 are per cent; digits as printed.
    """
    source = Source(Path(path))
    rows: Iterable[tuple[int, Mapping[str, Any]]]
    rows = source.rows() if source.first else text_rows(source)
    claims, problems = [], []
    per_cent: list[bool] = []
    for row, record in rows:
        found = _claim(source, record)
        if isinstance(found, str):
            problems.append(Problem(source.name, found, row=row))
        else:
            claims.append(found)
            per_cent.append(found.value > 1)
    if problems:
        raise BadInput(str(problems[0]), problems)
    if not claims:
        raise refuse_whole(source, "no published score in it")
    return tuple(_as_share(claim) for claim in claims) if any(per_cent) else tuple(claims)


def _claim(source: Source, record: Any) -> Claim | str:
    if not isinstance(record, Mapping):
        return "not an object"
    name = next(
        (record[key] for key in NAMES if isinstance(record.get(key), str) and record[key].strip()), None
    )
    value = next((record[key] for key in VALUES if record.get(key) not in (None, "")), None)
    if name is None or value is None or isinstance(value, bool):
        return f"needs a name ({', '.join(NAMES[:-1])}) and a value ({', '.join(VALUES)})"
    try:
        number, text = float(value), str(value)
    except (TypeError, ValueError):
        return f"{value!r} is no number"
    if not 0 <= number <= 100:
        return f"{number:g} is no share and no percentage"
    digits = len(text.partition(".")[2]) if "e" not in text else 12
    return Claim(name, number, source.name, digits=max(1, digits) if digits < 10 else None, what="published")


def _as_share(claim: Claim) -> Claim:
    digits = None if claim.digits is None else claim.digits + 2
    return Claim(claim.model, claim.value / 100, claim.source, digits=digits, what=claim.what)


def _known(row: Any) -> Any:
    return row[~np.isnan(row)]


def _count(right: float) -> str:
    return f"{right:.0f}" if abs(right - round(right)) < 1e-9 else f"{right:.4g}"
