"""Results of games: winner and loser by name, or two named sides and who of them won."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import GENERIC, count_of, id_of, marks_of, prompt_of, voter_of
from arena.importers.formats.registry import Sample, reader
from arena.importers.rules.checks import Checks, score_of
from arena.importers.rules.pairs import VOTERS, first_of, sides, wins
from arena.importers.values.values import NotVote, boolean, identifier, is_missing, text
from arena.votes import Outcome, Vote

WINNERS = ("winner_name", "winner", "Winner", "winner_model", "chosen_model")
LOSERS = ("loser_name", "loser", "Loser", "loser_model", "rejected_model")
DATES = ("tourney_date", "date", "Date", "tstamp", "timestamp")
NO_RESULT = "no_result"


def _names_both(columns: Sequence[str], sample: Sample) -> bool:
    return first_of(WINNERS, columns) is not None and first_of(LOSERS, columns) is not None


@reader("winner_loser", "a table of games with the names of winner and loser", (), fits=_names_both)
def winner_loser(row: Row, checks: Checks) -> Iterator[Vote]:
    """The winner is written first: no side is known. A tennis file's `surface` is a category."""
    winner, loser = row.first(WINNERS), row.first(LOSERS)
    names = checks.pair(winner[1], loser[1], (winner[0], loser[0]))
    surface = text(row.get("surface"), "surface")
    marks = marks_of(row, checks)
    match = [part for name in ("tourney_id", "match_num") if (part := identifier(row.get(name), name))]
    yield Vote(
        vote_id="/".join(match) if len(match) == 2 else id_of(row, GENERIC, checks),
        model_a=names[0],
        model_b=names[1],
        outcome=Outcome.A,
        at=_date(row, checks),
        voter=_voter(row),
        prompt=prompt_of(row, GENERIC),
        language=marks["language"],
        count=count_of(row),
        weight=marks["weight"],
        categories=((surface,) if surface else ()) + marks["categories"],
        reason="self_battle" if names[0] == names[1] else None,
        side_known=False,
    )


RESULTS = ("outcome", "result", "score_a", "score", "Result")
UNFINISHED = frozenset({"NA", "*"})  # as R and chess write it
WORDS = {
    **dict.fromkeys(("W1", "1", "1.0", "1-0"), Outcome.A),
    **dict.fromkeys(("W2", "0", "0.0", "0-1"), Outcome.B),
    **dict.fromkeys(("D", "0.5", ".5", "1/2-1/2", "1/2"), Outcome.TIE),
}


DASH = re.compile("[\u2010-\u2015\u2212]")


def _has_result(columns: Sequence[str], sample: Sample) -> bool:
    column = first_of(RESULTS, columns)
    if column is None or sides(columns) is None or wins(columns) is not None:
        return False
    words = {str(values.get(column)) for values in sample if not is_missing(values.get(column))}
    return not words or any(score_of(word) or (column != "score" and _word(word) in WORDS) for word in words)


@reader("results_table", "a table of games: two names, and a result W1/W2/D or 1/0/0.5", (), fits=_has_result)
def results_table(row: Row, checks: Checks) -> Iterator[Vote]:
    """The result is the first name's. Where a column says that nobody was at home, no side is known."""
    columns = list(row.values)
    named = sides(columns) or ("player1", "player2")
    names = checks.pair(row.get(named[0]), row.get(named[1]), named)
    column, value = row.first(RESULTS)
    if is_missing(value) or str(value) in UNFINISHED:
        checks.named.update(names)
        raise NotVote(NO_RESULT)
    outcome = None if checks.by_name and str(value) in names else WORDS.get(_word(value))
    home = first_of(("home.ice", "home_ice", "at.home", "neutral"), columns)
    at_home = home is None or boolean(row.get(home), home) is not (home == "neutral")
    yield Vote(
        vote_id=id_of(row, GENERIC, checks),
        model_a=names[0],
        model_b=names[1],
        outcome=checks.outcome(value, column, names) if outcome is None else outcome,
        count=count_of(row),
        prompt=prompt_of(row, GENERIC),
        at=_date(row, checks),
        voter=_voter(row),
        reason="self_battle" if names[0] == names[1] else None,
        side_known=at_home,
        **marks_of(row, checks),
    )


def _word(value: Any) -> str:
    """A result with plain signs: `½–½` is 1/2-1/2."""
    return DASH.sub("-", str(value).strip().replace("\u00bd", "1/2"))


def _date(row: Row, checks: Checks) -> float | None:
    column = first_of(DATES, row.values.keys())
    return None if column is None else checks.times.read(row.get(column), column)


def _voter(row: Row) -> str | None:
    column = first_of(VOTERS, row.values.keys())
    return voter_of(row, (column,)) if column else None
