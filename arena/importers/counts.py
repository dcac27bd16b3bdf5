"""Votes given as counts of pairs: LMSYS's count file, and tables with wins of either side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.importers.checks import Checks
from arena.importers.formats import reader
from arena.importers.rows import Row
from arena.importers.values import Reject, whole
from arena.votes import Outcome, Vote

OUTCOMES = ("wins_a", "wins_b", "ties", "both_bad")


def _unfold(document: Mapping[str, Any], checks: Checks) -> Iterator[Mapping[str, Any]]:
    """One record for each pair of `X`; models that no pair names are kept as names."""
    models, pairs, counts = (document.get(key) for key in ("models", "X", "Y"))
    if not (isinstance(models, list) and isinstance(pairs, list) and isinstance(counts, list)):
        yield {"fault": "models, X and Y must be lists"}
        return
    if len(pairs) != len(counts):
        yield {"fault": f"X has {len(pairs)} pairs, Y has {len(counts)}"}
        return
    for name in models:
        try:
            checks.named.add(checks.names.read(name, "models"))
        except Reject as reject:
            yield {"fault": f"models: {reject.reason}"}
    for pair, numbers in zip(pairs, counts, strict=True):
        yield {"models": models, "pair": pair, "numbers": numbers}


@reader(
    "pair_counts",
    "pair counts: models, X [[i, j]], Y [[wins_i, wins_j, ties, both_bad]]",
    ("models", "X", "Y"),
    unfold=_unfold,
)
def pair_counts(row: Row, checks: Checks) -> Iterator[Vote]:
    """Which side was left is not known: the pairs are sorted."""
    if "fault" in row.values:
        raise Reject(None, None, str(row.values["fault"]))
    models, pair, numbers = (row.get(key) for key in ("models", "pair", "numbers"))
    if not (isinstance(pair, list) and len(pair) == 2):
        raise Reject("X", pair, "must be a list of two model indices")
    if not (isinstance(numbers, list) and 3 <= len(numbers) <= 4):
        raise Reject("Y", numbers, "must be a list of wins, wins of the other, ties and (if any) both bad")
    names = tuple(_named(models, index, checks) for index in pair)
    yield from counted((names[0], names[1]), [whole(number, "Y") for number in numbers])


def _named(models: list[Any], index: Any, checks: Checks) -> str:
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(models):
        raise Reject("X", index, f"must be an index into models (0 to {len(models) - 1})")
    return checks.names.read(models[index], "models")


def counted(
    names: tuple[str, str], numbers: list[int | None], *, voter: str | None = None, side: bool = False
) -> Iterator[Vote]:
    """One vote of count n for each outcome that has n > 0; `numbers` in the order of `Outcome`."""
    for outcome, number in zip(Outcome, numbers, strict=False):
        if number:
            reason = "self_battle" if names[0] == names[1] else None
            yield Vote("", *names, outcome, voter=voter, reason=reason, count=number, side_known=side)
