"""The tables of a report that a leaderboard and its history give by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ratings.charts.win_rates import average_win_rates, meetings
from ratings.exports import shown_rank
from ratings.leaderboard import Leaderboard, tiers
from ratings.releases.release import HistoryPoint
from ratings.scale import ELO
from ratings.tables import (
    DASH,
    Rows,
    Section,
    Table,
    count,
    estimate,
    interval,
    number,
    percent,
    percent_interval,
)

SMALL = 12  # models whose win matrix is also a table
POINTS_SHOWN = 12  # releases in the table of a history


def ratings_section(board: Leaderboard) -> Section:
    """Every model with its rank, tier, rating and interval."""
    tier = {model: str(one.tier) for one in tiers(board.models) for model in one.models}
    rows = tuple(
        (
            row.model, shown_rank(row), tier.get(row.model, DASH), number(row.rating),
            interval(row.low, row.high), count(row.votes), "" if row.status == "ranked" else row.status, row.why or "",
        )
        for row in board.models
    )  # fmt: skip
    columns = ("Model", "Rank", "Tier", "Rating", "95 % interval", "Votes", "Status", "Remark")
    tell = "A tier ends where a model's upper bound is below the lower bound of the tier's first model."
    return Section("Ratings", ((columns, rows),), (tell, *board.warnings))


def meetings_section(board: Leaderboard) -> Section:
    """Who met whom: average win rates, and the win matrix of a small board."""
    known = average_win_rates(board.pairs)
    rows = tuple(
        (one.model, percent(one.rate), percent_interval(one.low, one.high), count(one.opponents), count(one.votes))
        for row in board.models
        if (one := known.get(row.model)) is not None
    )  # fmt: skip
    columns = ("Model", "Average win rate", "95 % interval", "Opponents", "Votes")
    notes = (
        "The average counts every opponent once. Its interval takes votes as independent and the opponents as they "
        "were: the ratings are the comparison to rely on. The JSON file has the votes of every pair.",
    )
    tables: list[Table] = [(columns, rows)]
    names = [row.model for row in board.models if row.model in known]
    if 1 < len(names) <= SMALL:
        tables.append((("Row against column", *names), _matrix(board, names)))
    return Section("Who met whom", tuple(tables), notes)


def _matrix(board: Leaderboard, names: Sequence[str]) -> Rows:
    found = {(one.model, one.other): one for one in meetings(board.pairs)}

    def cell(a: str, b: str) -> str:
        one = found.get((a, b))
        return DASH if one is None else f"{percent(one.rate, 0)} of {count(one.votes)}"

    return tuple((a, *(cell(a, b) for b in names)) for a in names)


def style_section(board: Leaderboard) -> Section | None:
    """What style and side are worth in Elo; None where nothing was controlled for."""
    known = [one for one in board.coefficients if one.value is not None and one.elo is not None]
    if not known and not board.dropped:
        return None
    rows = [
        (one.name, number(one.elo, sign=True), interval(_points(one.low), _points(one.high), sign=True), "")
        for one in known
    ]  # fmt: skip
    rows += [(one.name, DASH, DASH, f"left out: {one.why}") for one in board.dropped]
    columns = ("Trait", "Elo for one RMS more of it", "95 % interval", "Remark")
    return Section("Effect of style", ((columns, tuple(rows)),))


def _points(log_odds: float | None) -> float | None:
    return None if log_odds is None else ELO * log_odds


def history_section(board: Leaderboard, history: Sequence[HistoryPoint], models: int) -> Section | None:
    """Ratings of the first `models` over the last releases; None below two releases."""
    shown = history[-POINTS_SHOWN:]
    if len(shown) < 2:
        return None
    names = [row.model for row in board.models if row.rating is not None][:models]
    days = tuple(datetime.fromtimestamp(point.at, UTC).strftime("%Y-%m-%d %H:%M") for point in shown)
    rows = tuple((name, *(_rating(point, name) for point in shown)) for name in names)
    return Section(
        "History", ((("Model", *days), rows),), ("Times are UTC. Ratings with their 95 % intervals.",)
    )


def _rating(point: HistoryPoint, name: str) -> str:
    rating, low, high, _ = point.ratings.get(name, (None, None, None, None))
    return estimate(rating, low, high, 0)
