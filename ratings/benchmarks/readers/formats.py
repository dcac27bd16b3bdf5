"""The formats there are: each one a decorated function, found by what a file holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arena.errors import WrongUsage
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.results.entries import Book, Entry

Read = Callable[[Source, Book], Iterable[Entry]]


@dataclass(frozen=True)
class Format:
    """A format: its name, how it is known, and the function that reads one file of it."""

    name: str
    about: str
    recognises: Callable[[Source], bool]
    read: Read
    last: bool = False  # read after all others, because it needs what they list
    companion: Callable[[Source], bool] = lambda source: False  # files that belong to it and hold no items


FORMATS: dict[str, Format] = {}


def reader(
    name: str,
    about: str,
    recognises: Callable[[Source], bool],
    *,
    last: bool = False,
    companion: Callable[[Source], bool] | None = None,
) -> Callable[[Read], Read]:
    """Register a reader. Order of registration is order of recognition, so particular formats come first."""

    def register(read: Read) -> Read:
        FORMATS[name] = Format(name, about, recognises, read, last, companion or (lambda source: False))
        return read

    return register


def known(name: str) -> Format:
    if name not in FORMATS:
        raise WrongUsage(f"unknown format {name!r}; known: auto, {', '.join(FORMATS)}")
    return FORMATS[name]


def recognise(source: Source) -> Format | None:
    """The first format that knows the file; generic tables come last."""
    return next((found for found in FORMATS.values() if found.recognises(source)), None)


def is_companion(source: Source) -> bool:
    """The file goes with another one and holds no items itself."""
    return any(found.companion(source) for found in FORMATS.values())
