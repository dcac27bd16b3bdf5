"""Reading: from paths to entries, with an account of what was read, refused and left aside."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.errors import BadInput, Problem
from ratings.benchmarks.readers.aggregates import explained
from ratings.benchmarks.readers.aliases import read_aliases
from ratings.benchmarks.readers.formats import Format, is_companion, known, recognise
from ratings.benchmarks.readers.identity import Attempts, Settled, claims_of, figures_of, settle
from ratings.benchmarks.readers.labels import labels_of, name_labels
from ratings.benchmarks.readers.sources import Source, find, refuse_whole
from ratings.benchmarks.results.dependence import UNUSED, Labels
from ratings.benchmarks.results.entries import Ask, Book, Claim, Entry, Figure, Unusable, shown_value

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Account:
    """What became of the files."""

    formats: Mapping[str, int]  # format -> files read in it
    entries: int
    refused: int  # records that could not be used
    problems: tuple[Problem, ...]  # the first of them
    ignored: tuple[str, ...]  # files of a folder that are none of ours
    notes: tuple[str, ...]
    reasons: Mapping[str, int] = field(default_factory=dict)  # why attempts are not ok
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()

    def lines(self) -> list[str]:
        """For a person, a line each."""
        read = ", ".join(f"{count} {name}" for name, count in self.formats.items())
        found = [
            f"read {self.entries:,} attempts from {read} file{'s' if sum(self.formats.values()) != 1 else ''}"
        ]
        if self.reasons:
            found.append(
                "not graded as usual: "
                + ", ".join(f"{count} {reason}" for reason, count in self.reasons.items())
            )
        if self.refused:
            found.append(f"refused {self.refused:,} records")
        if self.ignored:
            found.append(
                f"left aside {len(self.ignored)} files that hold no results: {', '.join(self.ignored[:3])}"
            )
        return found + [f"note: {note}" for note in self.notes]


@dataclass(frozen=True)
class Reading:
    """Entries in the order of the files, with their account."""

    entries: tuple[Entry, ...]
    account: Account
    labels: Labels = UNUSED


def read(
    paths: Sequence[str | Path],
    *,
    format: str = "auto",
    ask: Ask | None = None,
    skip_bad: bool = False,
    aliases: str | Path | None = None,
    progress: Progress | None = None,
    attempts: Attempts = "repeat",
) -> Reading:
    """The attempts in files, folders and globs, each file in the format that its content shows (or in `format`).

    Raises `BadInput` with every record that cannot be used, unless `skip_bad`; with the reason for a file that cannot be used at all. A file found
    in a folder that is of no format is left aside and named in the account; a file that was named is refused. What tells results apart
    (`identity`) is decided over all files; `attempts` says whether rows that tell one result in several ways are further attempts or refused.
    """
    names = {} if aliases is None else read_aliases(aliases)
    sources = find(paths)
    chosen, ignored = _chosen(sources, format)
    book = Book(ask or Ask())
    entries: list[Entry] = []
    for done, (source, found) in enumerate(chosen):
        entries += _entries(source, found, book)
        _release(source)
        if progress is not None:
            progress(done + 1, len(chosen))
    entries += book.owed.values()
    if book.refused and not skip_bad:
        raise BadInput(f"{book.refused} records cannot be used; --skip-bad leaves them out", book.problems)
    if not entries:
        raise BadInput(f"no results in {', '.join(str(path) for path in paths)}", book.problems)
    if names:
        entries = [_renamed(entry, names) for entry in entries]
    settled = _of_variant(settle(entries, attempts), book.ask.variant, attempts)
    book.notes.update(settled.notes)
    labels = labels_of(settled.entries, book)
    return Reading(settled.entries, _account(chosen, settled.entries, book, ignored, names), labels)


def _entries(source: Source, found: Format, book: Book) -> list[Entry]:
    try:
        entries = list(found.read(source, book))
    except Unusable as fault:
        shown = None if fault.value is None else shown_value(fault.value)
        raise refuse_whole(source, fault.reason, column=fault.column, value=shown) from None
    except (TypeError, AttributeError, KeyError) as error:
        # Something that no reader expected where it stands; the file is at fault, and where exactly is not known.
        log.info("%s does not read as %s", source.name, found.name, exc_info=True)
        raise refuse_whole(source, f"not of the shape of {found.name}: {error}") from None
    name_labels(entries, found.name, book)
    for entry in entries:  # fresh and ours; a million copies would take as long as the reading
        entry.source = source.name
    return entries


def _chosen(sources: Sequence[Source], format: str) -> tuple[list[tuple[Source, Format]], list[str]]:
    chosen, ignored = [], []
    for source in sources:
        found = known(format) if format != "auto" and source.named else _recognised(source, format)
        if found is not None:
            chosen.append((source, found))
        elif source.named and not (len(sources) > 1 and is_companion(source)):
            raise BadInput(_why_not(source))
        else:
            ignored.append(source.name)
    if not chosen:
        raise BadInput(
            "no file of a known format" + (f"; left aside: {', '.join(ignored[:5])}" if ignored else "")
        )
    return sorted(chosen, key=lambda pair: pair[1].last), ignored


def _recognised(source: Source, format: str) -> Format | None:
    if is_companion(source):
        return None
    found = recognise(source)
    return found if format == "auto" or (found is not None and found.name == format) else None


def _why_not(source: Source) -> str:
    if is_companion(source):
        return f"{source.name}: holds no results per item; it goes with another file of the same run"
    if not source.content.strip():
        return f"{source.name}: empty"
    if what_to_do := explained(source):
        return f"{source.name}: {what_to_do}"
    return f"{source.name}: in no format that is known; name one with --format, or its columns with --columns"


def _release(source: Source) -> None:
    """Forget a file's content, so that not all files are held at a time."""
    for name in ("content", "text", "document", "first"):
        source.__dict__.pop(name, None)


def _of_variant(settled: Settled, variant: str | None, attempts: Attempts) -> Settled:
    """The entries of one variant, or of one judge, scorer, baseline or split: what varies among these still is told apart."""
    if variant is None:
        return settled
    kept = [entry for entry in settled.entries if entry.variant == variant] or [
        entry for entry in settled.entries if variant in (value for _, value in entry.marks)
    ]
    if not kept:
        there = sorted({entry.variant for entry in settled.entries if entry.variant})
        raise BadInput(f"no variant {variant!r}; there are: {', '.join(there) or 'none'}")
    again = settle([replace(entry, variant="") for entry in kept], attempts)
    return Settled(again.entries, tuple(dict.fromkeys((*settled.notes, *again.notes))))


def _renamed(entry: Entry, names: Mapping[str, str]) -> Entry:
    def of(name: str) -> str:
        return names.get(name, name)

    if entry.setup is not None:  # decided later which of the two is the model's name
        return replace(entry, model=of(entry.model), setup=(of(entry.setup[0]), of(entry.setup[1])))
    if entry.pairing is not None:
        return replace(entry, model=of(entry.model), pairing=(of(entry.pairing[0]), of(entry.pairing[1])))
    return entry if of(entry.model) == entry.model else replace(entry, model=of(entry.model))


def _account(
    chosen: Sequence[tuple[Source, Format]], entries: tuple[Entry, ...], book: Book, ignored: Sequence[str], names: Mapping[str, str]
) -> Account:  # fmt: skip
    notes = [note if count == 1 else f"{note} ({count} times)" for note, count in book.notes.items()]
    return Account(
        formats=Counter(found.name for _, found in chosen),
        entries=len(entries),
        refused=book.refused,
        problems=tuple(book.problems),
        ignored=tuple(ignored),
        notes=tuple(notes),
        reasons=Counter(entry.reason for entry in entries if entry.reason),
        claims=claims_of(
            (replace(claim, model=names.get(claim.model, claim.model)) for claim in book.claims), entries
        ),
        figures=figures_of(
            (replace(figure, model=names.get(figure.model, figure.model)) for figure in book.figures), entries
        ),
    )
