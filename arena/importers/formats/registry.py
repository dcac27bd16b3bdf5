"""The register of vote formats, and how a file is told from its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import BadInput, Problem, WrongUsage
from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import Layout
from arena.importers.rules.advice import advice, renaming
from arena.importers.rules.checks import Checks
from arena.votes import Vote

AUTO = "auto"
AS_ASKED = "as asked"
PLAIN = "generic"  # a file that is nearly several formats is told what this one lacks

Parse = Callable[[Row, Checks], Iterable[Vote]]
Sample = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Format:
    """One vote format: how its files look, and how one record becomes votes.

    `parse` yields the votes of a record, raises `Reject` for a record that cannot be read and `NotVote` for one
    that holds no vote. A file fits if it has all columns of `needs`, and `fits` holds for its first records.
    """

    name: str
    what: str  # one line for people
    parse: Parse
    needs: frozenset[str]
    fits: Callable[[Sequence[str], Sample], bool] = lambda columns, sample: True
    refusal: str | None = None  # a format that is known and holds no pairwise votes: why
    unfold: Callable[[Mapping[str, Any], Checks], Iterable[Mapping[str, Any]]] | None = (
        None  # of one JSON object
    )
    layout: Layout | None = None  # of flat tables that can be read by columns as well
    begin: Callable[[Any, Checks], Parse] | None = None  # makes `parse` for one file (companion files, salts)


class NoVotes(BadInput):
    """A file that looks like no vote file at all."""

    code = "no_votes"


FORMATS: dict[str, Format] = {}


def reader(name: str, what: str, needs: Iterable[str], **more: Any) -> Callable[[Parse], Parse]:
    """Register the decorated function as the reader of the format `name`; `more`: other fields of `Format`."""

    def register(parse: Parse) -> Parse:
        if name in FORMATS or name == AUTO:
            raise ValueError(f"format {name!r} is registered already")
        FORMATS[name] = Format(name, what, parse, frozenset(needs), **more)
        return parse

    return register


def known() -> str:
    """The names of the formats that can be read, for a help text."""
    return ", ".join((AUTO, *sorted(name for name, each in FORMATS.items() if each.refusal is None)))


@dataclass(frozen=True)
class Choice:
    """The format of one file and why."""

    format: Format
    why: str


def choose(name: str, file: str, columns: Sequence[str], sample: Sample) -> Choice:
    """The format called `name`, or by content for "auto"; `BadInput` if none fits, or if several do."""
    if name != AUTO:
        return Choice(_named(name, file, columns), AS_ASKED)
    fitting = [each for each in FORMATS.values() if each.unfold is None and fits(each, columns, sample)]
    if not fitting:
        raise _none(file, columns, [each for each in FORMATS.values() if each.unfold is None])
    return best(file, fitting)


def choose_document(name: str, file: str, document: Mapping[str, Any]) -> Choice | None:
    """The same for the formats that are one JSON object; None if the object only wraps or is a record."""
    possible = [each for each in FORMATS.values() if each.unfold is not None and name in (AUTO, each.name)]
    fitting = [each for each in possible if fits(each, list(document), [document])]
    if not fitting:
        return None
    return best(file, fitting) if name == AUTO else Choice(fitting[0], AS_ASKED)


def fits(each: Format, columns: Sequence[str], sample: Sample) -> bool:
    return each.needs <= set(columns) and each.fits(columns, sample)


def best(file: str, fitting: Sequence[Format]) -> Choice:
    """Of two that fit, the one that asks for all columns of the other and more knows the file better."""
    found = [each for each in fitting if not any(each.needs < other.needs for other in fitting)]
    if len(found) == 1:
        needs = sorted(found[0].needs)
        return Choice(found[0], f"by its columns {', '.join(needs)}" if needs else f"it is {found[0].what}")
    names = ", ".join(sorted(each.name for each in found))
    reason = f"fits several formats; choose one with --format: {names}"
    raise BadInput(f"{file}: {reason}", [Problem(file, reason)])


def _named(name: str, file: str, columns: Sequence[str]) -> Format:
    try:
        found = FORMATS[name]
    except KeyError:
        raise WrongUsage(f"unknown format {name!r}; known: {AUTO}, {', '.join(sorted(FORMATS))}") from None
    missing = sorted(found.needs - set(columns))
    if missing:
        raise _missing(file, found, missing, columns)
    if not found.needs and not found.fits(columns, ()):
        reason = f"has no columns for format {name} ({found.what}); found columns: {_listed(columns)}"
        raise BadInput(f"{file}: {reason}", [Problem(file, reason)])
    return found


def _none(file: str, columns: Sequence[str], possible: Sequence[Format]) -> BadInput:
    """Name what the nearest format lacks: the one with most of its columns here, the simplest of those."""
    found = set(columns)
    near = [
        each for each in possible if len(each.needs & found) * 2 >= len(each.needs) > len(each.needs & found)
    ]
    if not near:
        reason = f"fits no known vote format; found columns: {_listed(columns)}; {advice(columns)}"
        return NoVotes(f"{file}: {reason}", [Problem(file, reason)])
    nearest = min(
        near,
        key=lambda each: (
            len(each.needs - found) / len(each.needs),
            len(each.needs),
            each.name != PLAIN,
            each.name,
        ),
    )
    return _missing(file, nearest, sorted(nearest.needs - found), columns)


def _missing(file: str, nearest: Format, missing: Sequence[str], columns: Sequence[str]) -> BadInput:
    reason = (
        f"column {', '.join(missing)} is missing for format {nearest.name}; found columns: {_listed(columns)}"
    )
    near = renaming(columns)
    reason += f"; {near}" if near else ""
    problems = [Problem(file, f"is missing for format {nearest.name}", column=column) for column in missing]
    return BadInput(f"{file}: {reason}", problems)


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(columns[:40]) or "none"
    return shown + (f" and {len(columns) - 40} more" if len(columns) > 40 else "")
