"""What each format's labels of items are called, and which of them are clusters by their harness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.errors import BadInput
from ratings.benchmarks.readers.columns import PART
from ratings.benchmarks.results.dependence import Labels, looks_like_groups
from ratings.benchmarks.results.entries import Ask, Book, Entry

# Fixed parts of a benchmark: labels only, unless they are asked for.
PARTS: Mapping[str, str] = {
    "lm-eval": "subtask", "lighteval": "subtask", "helm": "subject", "alpaca-eval": "dataset", "swebench": "repo",
    "swebench-instance": "repo", "swebench-experiments": "repo", "swebench-leaderboard": "repo",
}  # fmt: skip
# One question cut into items by the harness (both orders of a game, the turns of a talk): clusters, whoever looks.
TIED: Mapping[str, str] = {"arena-hard": "question", "mt-bench": "question", "mt-bench-pair": "question"}


def name_labels(entries: list[Entry], format: str, book: Book) -> None:
    """Note what the labels of one file's entries are called, and take them off where another label is asked for."""
    name = PARTS.get(format) or TIED.get(format)
    if name is None or not any(entry.group for entry in entries):
        return
    book.labels[name] = format in TIED
    if book.ask.label not in (None, name):
        for entry in entries:
            entry.group = ()
    elif format in TIED:
        book.tied.update(entry.benchmark for entry in entries)


def labels_of(entries: Sequence[Entry], book: Book) -> Labels:
    """What the labels of all entries are for. Raises `BadInput` where none bears the label that is asked for.

    A label that could group items, and was not asked for, is noted.
    """
    ask = book.ask
    if len({entry.benchmark for entry in entries}) > 1 and ask.benchmark is not None:
        book.labels.setdefault(PART, False)
    if ask.label is not None and ask.label != PART and not any(entry.group for entry in entries):
        there = f"; there is: {', '.join(book.labels)}" if book.labels else ""
        raise BadInput(f"no item says its {ask.label!r}{there}")
    if ask.label is not None:
        _say_blanks(entries, book, ask)
        return Labels(ask.dependence, (ask.label,), frozenset())
    alike = {entry.group for entry in entries if entry.group}
    lone = set(PARTS.values()) if len(alike) == 1 else set()  # one subject alone divides nothing
    idle = [name for name, tied in book.labels.items() if not tied and name not in lone]
    if idle:
        book.note(looks_like_groups(idle))
    return Labels(None, tuple(book.labels), frozenset(book.tied))


def _say_blanks(entries: Sequence[Entry], book: Book, ask: Ask) -> None:
    if ask.label == PART:
        return
    blank = len({(entry.benchmark, entry.item) for entry in entries if not entry.group})
    if blank:
        kind = "each a cluster of its own" if ask.group else "a stratum of their own"
        book.note(f"{blank:,} items without {ask.label!r}: {kind}")
