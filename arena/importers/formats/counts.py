"""Votes given as counts of pairs: LMSYS's count file, tables with the wins of both sides, and matrices of wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.files.sources import Source
from arena.importers.formats.battle_rows import GENERIC, marks_of, prompt_of, voter_of
from arena.importers.formats.registry import Parse, Sample, reader
from arena.importers.rules.checks import Checks
from arena.importers.rules.pairs import BOTH_BAD, TIES, VOTERS, first_of, sides, wins
from arena.importers.values.values import NotVote, Reject, whole
from arena.votes import Outcome, Vote

NO_COUNTS = "no_counts"
Spans = Sequence[tuple[int, tuple[str, ...]]]  # how many votes, and their categories


def unfold(document: Mapping[str, Any], checks: Checks) -> Iterator[Mapping[str, Any]]:
    """One record for each pair of `X`; models that no pair names are kept as names."""
    models, pairs, numbers = (document.get(key) for key in ("models", "X", "Y"))
    if not (isinstance(models, list) and isinstance(pairs, list) and isinstance(numbers, list)):
        yield {"fault": "models, X and Y must be lists"}
        return
    if len(pairs) != len(numbers):
        yield {"fault": f"X has {len(pairs)} pairs, Y has {len(numbers)}"}
        return
    for name in models:
        try:
            checks.named.add(checks.names.read(name, "models"))
        except Reject as reject:
            yield {"fault": f"models: {reject.reason}"}
    for pair, counts in zip(pairs, numbers, strict=True):
        yield {"models": models, "pair": pair, "numbers": counts}


@reader(
    "pair_counts",
    "pair counts: models, X [[i, j]], Y [[wins_i, wins_j, ties, both_bad]]",
    ("models", "X", "Y"),
    unfold=unfold,
)
def pair_counts(row: Row, checks: Checks) -> Iterator[Vote]:
    """Which side was left is not known: the pairs are sorted."""
    yield from counted(names_of(row, checks), numbers_of(row.get("numbers")))


def names_of(row: Row, checks: Checks) -> tuple[str, str]:
    if "fault" in row.values:
        raise Reject(None, None, str(row.values["fault"]))
    models, pair = row.get("models"), row.get("pair")
    if not (isinstance(pair, list) and len(pair) == 2):
        raise Reject("X", pair, "must be a list of two model indices")
    return _named(models, pair[0], checks), _named(models, pair[1], checks)


def numbers_of(numbers: Any, column: str = "Y") -> list[int | None]:
    if not (isinstance(numbers, list) and 3 <= len(numbers) <= 4):
        raise Reject(column, numbers, "must be a list of wins, wins of the other, ties and (if any) both bad")
    return [whole(number, column) for number in numbers]


def _named(models: list[Any], index: Any, checks: Checks) -> str:
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(models):
        raise Reject("X", index, f"must be an index into models (0 to {len(models) - 1})")
    return checks.names.read(models[index], "models")


def counted(
    names: tuple[str, str],
    numbers: Sequence[int | None],
    *,
    spans: Sequence[Spans] | None = None,
    **more: Any,
) -> Iterator[Vote]:
    """One vote of count n for each outcome with n > 0; `numbers` in the order of `Outcome`. `NotVote` if all are 0.

    `spans`: the counts again, cut by categories. `more`: what else is known of all of them. No side is, unless said.
    """
    if not any(numbers):
        raise NotVote(NO_COUNTS)
    reason = "self_battle" if names[0] == names[1] else None
    more = {"side_known": False, **more}
    for at, (outcome, number) in enumerate(zip(Outcome, numbers, strict=False)):
        for count, categories in (
            spans[at] if spans is not None else [(number or 0, more.get("categories", ()))]
        ):
            if count:
                facts = {**more, "categories": categories, "reason": reason, "count": count}
                yield Vote("", *names, outcome, **facts)


def _has_wins(columns: Sequence[str], sample: Sample) -> bool:
    return sides(columns) is not None and wins(columns) is not None


@reader("counts_table", "a table of pairs with the wins of both sides (and ties)", (), fits=_has_wins)
def counts_table(row: Row, checks: Checks) -> Iterator[Vote]:
    """`home.team, away.team, home.wins, away.wins` and the like. The first column of a pair is the left side."""
    columns = list(row.values)
    named, won = sides(columns), wins(columns)
    if named is None or won is None:
        raise Reject(
            None, None, "must have two columns of names and two of wins, such as team1, team2, win1, win2"
        )
    names = checks.pair(row.get(named[0]), row.get(named[1]), named)
    more = [first_of(which, columns) for which in (TIES, BOTH_BAD)]
    numbers = [whole_or_na(row, column) for column in (*won, *more)]
    voter = first_of(VOTERS, columns)
    checks.named.update(names)
    yield from counted(
        names,
        numbers,
        voter=voter_of(row, (voter,)) if voter else None,
        side_known=True,
        prompt=prompt_of(row, GENERIC),
        **marks_of(row, checks),
    )


def whole_or_na(row: Row, column: str | None) -> int | None:
    """A count; R writes NA where there is none."""
    if column is None:
        return None
    value = row.get(column)
    return None if value == "NA" else whole(value, column)


def _is_matrix(columns: Sequence[str], sample: Sample) -> bool:
    names = [str(values.get(columns[0])) for values in sample] if columns else []
    return len(columns) > 2 and (not sample or sorted(names) == sorted(columns[1:]))


def _begin(source: Source, checks: Checks) -> Parse:
    checks.note("each cell counts how often the row's name beat the column's; the diagonal is left out")
    return win_matrix


@reader("win_matrix", "a square table: row beats column so many times", (), fits=_is_matrix, begin=_begin)
def win_matrix(row: Row, checks: Checks) -> Iterator[Vote]:
    first, *others = row.values
    winner = checks.names.read(row.get(first), first)
    checks.named.add(winner)
    found = [(checks.names.read(other, "header"), whole_or_na(row, other)) for other in others]
    votes = [(name, number) for name, number in found if number and name != winner]
    if not votes:
        raise NotVote(NO_COUNTS)
    for name, number in votes:
        yield Vote("", winner, name, Outcome.A, count=number or 0, side_known=False)
