"""What each result belongs to, decided over all files together: model, variant, pairing and attempt.

A result is known by benchmark, item, model, variant (prompt, scorer, filter, judge, opponent or baseline, split, perturbation) and attempt.
A reader hands over what its file says of these (`Entry.marks`, `setup`, `run`, `pairing`); what of it must be told apart
is known only when every file is read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from arena.errors import BadInput, Problem
from ratings.benchmarks.results.entries import EVERY, PROBLEMS_KEPT, Claim, Entry, Figure, Marks

Attempts = Literal[
    "repeat", "refuse"
]  # rows of one model and item that differ, where nothing tells runs apart
# Of these kinds of mark a model's only one needs no name, whatever other models were given.
PER_MODEL = ("prompt", "prompt id", "prompt #")
Cell = tuple[str, str, str, str]  # benchmark, model, variant, item
Row = tuple[str, str, str, str, int | None]  # and attempt
Outcome = tuple[str, float | None]


@dataclass(frozen=True)
class Settled:
    """Entries by their full names, and what had to be decided for it."""

    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()


def settle(entries: Sequence[Entry], attempts: Attempts = "repeat") -> Settled:
    """The entries under the names that tell them apart. Settled entries may be settled again together with others.

    Raises `BadInput` with `attempts="refuse"` for rows that differ and could be attempts or mistakes.
    """
    entries, notes = _of_setups(entries), []
    entries, said = _paired(entries)
    notes += said
    entries = _varied(_of_every(entries))
    entries, said = _numbered(entries)
    notes += said
    entries, said = _retold(entries, attempts)
    return Settled(tuple(entries), (*notes, *said))


def variants(entries: Iterable[Entry]) -> dict[tuple[str, str], str]:
    """(benchmark, value of a mark) -> the variant it goes by, where that is one alone."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for benchmark, marks, variant in {
        (entry.benchmark, entry.marks, entry.variant) for entry in entries if entry.marks
    }:
        for _, value in marks:
            found[benchmark, value].add(variant)
    return {key: next(iter(names)) for key, names in found.items() if len(names) == 1}


def claims_of(claims: Iterable[Claim], entries: Sequence[Entry]) -> tuple[Claim, ...]:
    """Stated scores under the variants' settled names."""
    known = variants(entries)
    return tuple(
        replace(claim, variant=known.get((claim.benchmark, claim.variant), claim.variant))
        if claim.variant
        else claim
        for claim in claims
    )


def figures_of(figures: Iterable[Figure], entries: Sequence[Entry]) -> tuple[Figure, ...]:
    """Figures that say of which variant they are, where there are several."""
    known = {(entry.benchmark, entry.marks): entry.variant for entry in entries if entry.marks}
    named = ((figure, known.get((figure.benchmark, figure.marks), "")) for figure in figures)
    return tuple(
        replace(figure, what=f"{figure.what} ({name})") if name else figure for figure, name in named
    )


def _of_setups(entries: Sequence[Entry]) -> list[Entry]:
    """A provider that was set up in several ways goes by the labels of these, in whatever files they are."""
    labels: dict[str, set[str]] = defaultdict(set)
    for provider, label in {entry.setup for entry in entries if entry.setup is not None}:
        labels[provider].add(label)
    if not labels:
        return list(entries)
    several = {provider: found for provider, found in labels.items() if len(found) > 1}
    uses = Counter(label for found in several.values() for label in found if label)
    uses.update(labels.keys())
    named = {
        (provider, label): _setup_name(provider, label, uses) if provider in several else provider
        for provider, found in labels.items()
        for label in found
    }
    return [entry if entry.setup is None else _with(entry, model=named[entry.setup]) for entry in entries]


def _setup_name(provider: str, label: str, uses: Mapping[str, int]) -> str:
    if not label:
        return provider
    return label if uses[label] == 1 else f"{provider} {label}"


def _paired(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Verdicts on two answers: an item is a question in one pairing, so that models are compared on what they were judged on together.

    A lone pairing needs no name. Against one fixed baseline (the second of every pair), the others are compared on the questions.
    """
    pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for benchmark, pairing in {(entry.benchmark, entry.pairing) for entry in entries if entry.pairing}:
        pairs[benchmark].add(pairing)
    baselines = {benchmark: _baseline(found) for benchmark, found in pairs.items()}
    several = {benchmark for benchmark, found in pairs.items() if len(set(map(frozenset, found))) > 1}
    kept = [
        entry
        if entry.pairing is None or entry.benchmark not in several
        else _in_pairing(entry, baselines[entry.benchmark])
        for entry in entries
        if entry.pairing is None or entry.model != baselines[entry.benchmark]
    ]
    return kept, [f"scores are against the baseline {name}" for name in baselines.values() if name]


def _baseline(pairs: set[tuple[str, str]]) -> str | None:
    second = {other for _, other in pairs}
    return next(iter(second)) if len(pairs) > 1 and len(second) == 1 else None


def _in_pairing(entry: Entry, baseline: str | None) -> Entry:
    named = f" {' vs '.join(sorted(entry.pairing or ()))}"
    return entry if baseline or entry.item.endswith(named) else _with(entry, item=entry.item + named)


def _of_every(entries: Sequence[Entry]) -> list[Entry]:
    """An attempt without any verdict once for each that others of its benchmark have."""
    bare = {entry.marks for entry in entries if entry.marks and entry.marks[0][1] == EVERY}
    if not bare:
        return list(entries)
    known: dict[str, dict[Marks, None]] = defaultdict(dict)
    for entry in entries:
        if entry.marks and entry.marks not in bare:
            known[entry.benchmark].setdefault(entry.marks)
    return [
        _with(entry, marks=marks)
        for entry in entries
        for marks in (known[entry.benchmark] or [entry.marks] if entry.marks in bare else [entry.marks])
    ]


def _varied(entries: Sequence[Entry]) -> list[Entry]:
    """Entries with the variant that their marks make: the kinds of mark that take several values within the benchmark."""
    seen: dict[str, dict[tuple[str, Marks], None]] = defaultdict(dict)
    for entry in entries:
        if entry.marks:
            seen[entry.benchmark].setdefault((entry.model, entry.marks))
    if not seen:
        return list(entries)
    names = {benchmark: _variant_names(list(found)) for benchmark, found in seen.items()}
    return [
        _with(entry, variant=names[entry.benchmark][entry.model, entry.marks]) if entry.marks else entry
        for entry in entries
    ]


def _variant_names(seen: Sequence[tuple[str, Marks]]) -> dict[tuple[str, Marks], str]:
    shared = _telling([marks for _, marks in seen], own=False)
    own = {model: _telling([marks for name, marks in seen if name == model], own=True) for model, _ in seen}
    return {(model, marks): _variant_name(dict(marks), shared, own[model]) for model, marks in seen}


def _variant_name(mark: Mapping[str, str], shared: Sequence[str], own: Sequence[str]) -> str:
    parts = [
        *(mark.get(kind, "") for kind in shared),
        " ".join(value for kind in own if (value := mark.get(kind))),
    ]
    return ", ".join(part for part in parts if part)


def _telling(marks: Sequence[Marks], *, own: bool) -> list[str]:
    """The kinds of mark that tell verdicts apart, each only where those before it do not."""
    found = [dict(mark) for mark in marks]
    chosen: list[str] = []
    for kind in dict.fromkeys(kind for mark in found for kind in mark if (kind in PER_MODEL) == own):
        with_it = {tuple(mark.get(name, "") for name in (*chosen, kind)) for mark in found}
        without = {tuple(mark.get(name, "") for name in chosen) for mark in found}
        if len(with_it) > len(without):
            chosen.append(kind)
    return list(dict.fromkeys((PER_MODEL[0], *chosen))) if own and chosen else chosen


def _numbered(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Attempts that files give in order get their numbers, and a later run's come after those of an earlier one."""
    entries = _in_order(entries)
    if not any(entry.run for entry in entries):
        return entries, []
    runs: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for benchmark, model, variant, run in dict.fromkeys(
        (e.benchmark, e.model, e.variant, e.run) for e in entries
    ):
        runs[benchmark, model, variant].setdefault(run)
    several = {key for key, found in runs.items() if len(found) > 1}
    if not several:
        return entries, []
    cells: dict[tuple[str, str, str, str], set[tuple[str, int]]] = defaultdict(set)
    for entry in entries:
        if (entry.benchmark, entry.model, entry.variant) in several:
            cells[entry.benchmark, entry.model, entry.variant, entry.run].add((entry.item, entry.repeat or 0))
    offsets = {
        (*key, run): by
        for key in several
        for run, by in _offsets({run: cells[*key, run] for run in runs[key]}).items()
    }
    shifted = [
        _with(entry, repeat=(entry.repeat or 0) + by)
        if (by := offsets.get((entry.benchmark, entry.model, entry.variant, entry.run), 0))
        else entry
        for entry in entries
    ]
    later = Counter(key[1] for key, by in offsets.items() if by)
    return shifted, [
        f"{model}: further runs of the same items are further attempts" for model in sorted(later)
    ]


def _offsets(cells: Mapping[str, set[tuple[str, int]]]) -> dict[str, int]:
    """By how much each run's attempts move up so that no two runs share one; runs of other items stay where they are."""
    taken: set[tuple[str, int]] = set()
    found = {}
    for run, own in cells.items():
        found[run] = 0
        if taken & own:
            found[run] = 1 + max(repeat for _, repeat in taken) - min(repeat for _, repeat in own)
        taken |= {(item, repeat + found[run]) for item, repeat in own}
    return found


def _in_order(entries: Sequence[Entry]) -> list[Entry]:
    """Rows of a format that writes attempts one after the other, numbered within their run, which is the file where none is named."""
    if not any(entry.repeat is None for entry in entries):
        return list(entries)
    count: dict[tuple[str, ...], int] = defaultdict(int)
    found = []
    for entry in entries:
        if entry.repeat is not None:
            found.append(entry)
            continue
        run = entry.run or entry.source or ""
        key = (entry.benchmark, entry.model, entry.variant, entry.item, run, entry.source or "")
        found.append(_with(entry, repeat=count[key], run=run))
        count[key] += 1
    return found


def _retold(entries: Sequence[Entry], attempts: Attempts) -> tuple[list[Entry], list[str]]:
    """Rows of one attempt: where all of an item are equal they are repeats (left as they are, and counted once), else further attempts.

    Equal rows of a model are attempts too where all its items have as many rows and some of them differ: that is a plan of so many attempts.
    """
    if _all_different(entries):
        return list(entries), []
    told = Counter(
        [(e.benchmark, e.model, e.variant, e.item, e.repeat) for e in entries if e.status != "not_run"]
    )
    twice = {key for key, count in told.items() if count > 1}
    if not twice:
        return list(entries), []
    rows: dict[Row, list[int]] = defaultdict(list)
    for place, entry in enumerate(entries):
        key = (entry.benchmark, entry.model, entry.variant, entry.item, entry.repeat)
        if key in twice and entry.status != "not_run":
            rows[key].append(place)
    differing = {
        key for key, places in rows.items() if len({_outcome(entries[place]) for place in places}) > 1
    }
    if attempts == "refuse" and differing:
        raise _refusal(entries, [rows[key] for key in rows if key in differing])
    planned = _planned(told, differing)
    items = {key[:4] for key in differing}
    moved = [key for key in rows if key[:4] in items or key[:3] in planned]
    return _moved(entries, {key: rows[key] for key in moved}), _words(rows, moved, differing)


def _all_different(entries: Sequence[Entry]) -> bool:
    """No attempt is told twice: the usual case, found out by columns, since of millions of rows that is three times as fast."""
    codes = np.zeros(len(entries), dtype=np.int64)
    for name in ("benchmark", "model", "variant", "item", "repeat"):
        values = [getattr(entry, name) for entry in entries]
        known = {value: code for code, value in enumerate(dict.fromkeys(values))}
        codes = codes * len(known) + np.fromiter(map(known.__getitem__, values), np.int64, len(values))
    return len(np.unique(codes)) == len(codes)


def _outcome(entry: Entry) -> Outcome:
    return entry.status, entry.score


def _planned(told: Mapping[Row, int], differing: set[Row]) -> set[tuple[str, str, str]]:
    """Models (of a benchmark and variant) with some differing rows, and the same number of rows everywhere."""
    sizes: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for key, count in told.items():
        sizes[key[:3]].add(count)
    return {key[:3] for key in differing if len(sizes[key[:3]]) == 1}


def _moved(entries: Sequence[Entry], rows: Mapping[Row, Sequence[int]]) -> list[Entry]:
    """The rows after the first of each attempt under numbers that their item does not use."""
    items = {key[:4] for key in rows}
    highest: dict[Cell, int] = {}
    for entry in entries:
        cell = (entry.benchmark, entry.model, entry.variant, entry.item)
        if cell in items:
            highest[cell] = max(highest.get(cell, 0), entry.repeat or 0)
    found = list(entries)
    for key, places in rows.items():
        for place in places[1:]:
            highest[key[:4]] += 1
            found[place] = _with(entries[place], repeat=highest[key[:4]])
    return found


def _words(
    rows: Mapping[Row, Sequence[int]],
    moved: Sequence[Row],
    differing: set[Row],
) -> list[str]:
    further = sum(len(rows[key]) - 1 for key in moved)
    equal = sum(len(places) - 1 for places in rows.values()) - further
    found = []
    if further:
        found.append(
            f"{further:,} rows tell of a model and item again, {len(differing):,} times with another result, and no column of runs or trials tells them "
            "apart: taken as further attempts (--attempts refuse refuses them)"
        )
    if equal:
        found.append(f"{equal:,} rows repeat an earlier one with the same result: each counts once")
    return found


def _refusal(entries: Sequence[Entry], rows: Sequence[Sequence[int]]) -> BadInput:
    problems = []
    for first, *others in rows[:PROBLEMS_KEPT]:
        told = entries[first]
        other = next(entries[place] for place in others if _outcome(entries[place]) != _outcome(told))
        reason = f"{told.model} on {told.item} once more, with another result than {_shown(told)}"
        problems.append(Problem(other.source or other.benchmark, reason, column="score", value=_shown(other)))
    message = f"{len(rows)} results are told in several ways without a column of runs or trials; first: {problems[0]}"
    return BadInput(message, problems)


def _shown(entry: Entry) -> str:
    return entry.status if entry.score is None else f"{entry.score:g}"


def _with(entry: Entry, **changes: object) -> Entry:
    """The entry with these changes; itself where they change nothing, since millions need none."""
    if all(getattr(entry, name) == value for name, value in changes.items()):
        return entry
    return replace(entry, **changes)  # type: ignore[arg-type]
