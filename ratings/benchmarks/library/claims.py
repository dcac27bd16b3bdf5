"""A stated score against the items it should come from: exact, another denominator, or not of these items at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from arena.errors import BadInput
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.results.assembly import Origins, Part
from ratings.benchmarks.results.entries import Claim
from ratings.benchmarks.results.records import NOT_RUN
from ratings.benchmarks.results.results import ItemResults

EXACTLY = 5e-7  # for a claim in full precision
NEAR_ITEMS = 0.1  # denominators within this share of the items are looked at
NEAR_PASSES = 2
NEAR_DENOMINATORS = 5
PUBLISHED = "published"  # what a score of a file of stated scores is called
BENCHMARKS = ("benchmark", "task", "dataset")
VARIANTS = ("variant", "split", "scorer", "filter", "metric")
COUNTS = ("n", "items", "samples", "total")
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


def check_claims(
    claims: Iterable[Claim], results: ItemResults, origins: Origins | None = None
) -> tuple[Check, ...]:
    """Every claim about a model of `results`, in order of model.

    With `origins` a claim is held against the items of its own benchmark and variant (split, scorer, filter) alone, and left out where the results have none of
    these: it is about something else.
    """
    known = sorted(
        (claim for claim in claims if claim.model in results.models), key=lambda c: (c.model, c.what)
    )
    own = ((claim, _own(claim, results, origins)) for claim in known)
    return tuple(_of_its_run(claim, part) for claim, part in own if part is not None)


def _of_its_run(claim: Claim, results: ItemResults) -> Check:
    """The claim against the attempts of the file that makes it, where other files hold more of them; against all where only that is exact."""
    whole, run = _check(claim, results), _run(claim, results)
    if run is None or whole.verdict == "exact":
        return whole
    own = _check(claim, run)
    # A run that lacks items shares their result with another file (equal ones count once): alone it is not what was stated.
    return own if own.verdict == "exact" or own.items == whole.items else whole


def _run(claim: Claim, results: ItemResults) -> ItemResults | None:
    if claim.source not in results.sources:
        return None
    own = results.alone(claim.model)
    here = own.source == own.sources.index(claim.source)
    if not here.any() or here[own.status != NOT_RUN].all():
        return None
    score, status = np.where(here, own.score, np.nan), np.where(here, own.status, np.int8(NOT_RUN))
    return replace(own, score=score, status=status)


def is_about(claim: Claim, results: ItemResults, part: Part) -> bool:
    """The claim is about this benchmark and variant of the files, which is part of these results."""
    name, variants = part
    shown = {results.benchmark, *(results.benchmark.removesuffix(f":{variant}") for variant in variants)}
    if claim.benchmark not in ("", name, *shown):
        return False
    return claim.variant in variants or (claim.what == PUBLISHED and not claim.variant)


def _own(claim: Claim, results: ItemResults, origins: Origins | None) -> ItemResults | None:
    """The results on the items that a claim is about; None where it is about others."""
    if not origins:
        return results
    meant = [items for part, items in origins.items() if is_about(claim, results, part)]
    if not meant or len(meant) == len(origins):
        return results if meant else None
    wanted = set().union(*meant)
    return results.take(items=np.array([item in wanted for item in results.items], dtype=np.bool_))


def _of_run(claim: Claim, results: ItemResults) -> ItemResults:
    """The attempts of the claim's own file alone, where other files hold further attempts at the same items."""
    if claim.source not in results.sources:
        return results
    row = results.row(claim.model)
    source, tried = results.source[row], results.status[row] != NOT_RUN
    mine = source == results.sources.index(claim.source)
    if not ((mine & tried).any(axis=1) & (~mine & tried).any(axis=1)).any():
        return results
    status = results.status.copy()
    status[row] = np.where(mine, status[row], NOT_RUN)
    return replace(results, status=status)


def _check(claim: Claim, results: ItemResults) -> Check:
    means = {
        policy: _known(_of_run(claim, results).means(policy)[results.row(claim.model)])
        for policy in ("zero", "exclude")
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
        return "exact", f"{_count(right)} of {n} items{_stated_count(claim, n)}"
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
    if claim.n is not None and claim.n > n:
        return (
            "contradicts",
            f"the items hold {_count(right)} of {n} ({own}), the claim is {stated}{_stated_count(claim, n)}",
        )
    return (
        "contradicts",
        f"the items hold {_count(right)} of {n} ({own}), the claim of {stated} would need about {claim.value * n:.0f}: they do not belong together",
    )


def _stated_count(claim: Claim, n: int) -> str:
    """The number of items that the claim states, where it is not the one that is here."""
    if claim.n is None or claim.n == n:
        return ""
    if n < claim.n:
        return f"; stated of {claim.n:,}: {n:,} of {claim.n:,} items are here"
    return f"; stated of {claim.n:,} items, {n:,} are here"


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
    """Claims in a file: a table or a JSON list of objects with a name (model, folder, name) and a value (published, score, resolved, ...), and
    perhaps what it is of (benchmark, task; variant, split, scorer, filter; n, items).

    Values above 1 are per cent; digits as printed.
    """
    source = Source(Path(path))
    rows: Iterable[tuple[int, Mapping[str, Any]]]
    rows = source.rows() if source.first else source.text_rows()
    claims, problems = [], []
    per_cent: list[bool] = []
    for row, record in rows:
        found = _claim(source, record)
        if isinstance(found, str):
            problems.append(source.problem(found, row=row))
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
    benchmark, variant = (_text(record, keys) for keys in (BENCHMARKS, VARIANTS))
    count = _text(record, COUNTS)
    if count and not count.isdecimal():
        return f"{count!r} is no number of items"
    digits_known = max(1, digits) if digits < 10 else None
    return Claim(
        name, number, source.name, benchmark, variant, int(count) if count else None, digits_known, PUBLISHED
    )


def _text(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next((str(record[key]).strip() for key in keys if record.get(key) not in (None, "")), "")


def _as_share(claim: Claim) -> Claim:
    digits = None if claim.digits is None else claim.digits + 2
    return replace(claim, value=claim.value / 100, digits=digits)


def _known(row: Any) -> Any:
    return row[~np.isnan(row)]


def _count(right: float) -> str:
    return f"{right:.0f}" if abs(right - round(right)) < 1e-9 else f"{right:.4g}"
