"""The sections of a report with their pictures: board, meetings, style, history, diagnosis, comparison, cross-reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from arena.errors import NoData
from ratings.charts import agreement_map, calibration, charts, forest, heat_maps, palette, scatter
from ratings.charts.forest import PAGE_ROWS
from ratings.charts.rendering import Chart, rendered, specification, unchecked
from ratings.crossref import writing
from ratings.crossref.result import CrossReference
from ratings.diagnostics import judges
from ratings.diagnostics.diagnosis import Diagnosis
from ratings.diagnostics.held_out import Bin
from ratings.diagnostics.judges import JudgeReport
from ratings.leaderboard import Leaderboard
from ratings.releases.release import HistoryPoint
from ratings.reports import board_tables, diagnosis_tables
from ratings.stats.intervals import Z95, score_bounds
from ratings.tables import Picture, Section, count, percent, percent_interval

Drawing = Callable[[], Chart]


def of_board(board: Leaderboard, history: Sequence[HistoryPoint] = ()) -> list[Section]:
    """What the leaderboard gives by itself. Large boards are drawn in pieces that a page of paper holds."""
    sections = [
        replace(board_tables.ratings_section(board), pictures=_whiskers(board)),
        replace(board_tables.meetings_section(board), pictures=_meetings(board)),
    ]
    style = board_tables.style_section(board)
    if style is not None:
        sections.append(replace(style, pictures=pictures("style", lambda: charts.plot(board, "style"))))
    over_time = board_tables.history_section(board, history, charts.MAX_LINES)
    if over_time is not None:
        drawn = pictures("history", lambda: charts.plot(board, "history", history=history))
        sections.append(replace(over_time, pictures=drawn))
    return sections


def of_diagnosis(found: Diagnosis) -> Section:
    """Can this board be trusted, with the calibration of its forecasts."""
    section = diagnosis_tables.section(found)
    if found.held_out is None or not found.held_out.calibration:
        return section
    points = [_point(one) for one in found.held_out.calibration]
    columns = ("Foretold", "Came true", "95 % interval (Wilson, votes as independent)", "Votes")
    rows = tuple(
        (percent(p.predicted), percent(p.observed), percent_interval(p.low, p.high), count(p.votes))
        for p in points
    )
    drawn = pictures("calibration", lambda: calibration.draw(points))
    return replace(section, tables=(*section.tables, (columns, rows)), pictures=drawn)


def _point(one: Bin) -> calibration.Point:
    low, high = score_bounds(one.observed * one.votes, one.votes, Z95)
    return calibration.Point(one.predicted, one.observed, float(low), float(high), one.votes)


def of_crossref(found: CrossReference, number: int = 1) -> Section:
    """A benchmark beside the board: rating against score, and the order of every pair. `number` tells several apart."""
    line = found.exchange
    off = set() if line is None else {row.model for row in line.residuals if row.flagged}
    spots = [
        scatter.Spot(
            one.model, one.score, one.rating, one.score_low, one.score_high, one.rating_low, one.rating_high,
            one.model in off,
        )
        for one in found.models
    ]  # fmt: skip
    orders = [agreement_map.Order(pair.a, pair.b, pair.cell) for pair in found.pairs.pairs]
    names = [one.model for one in found.models]
    end = "" if number == 1 else f"-{number}"
    slope, intercept = (None, 0.0) if line is None else (line.slope, line.intercept)
    drawn = (
        *pictures(f"scatter{end}", lambda: scatter.draw(spots, slope=slope, intercept=intercept)),
        *pictures(f"orders{end}", lambda: agreement_map.draw(names, orders)),
    )
    return replace(writing.section(found), pictures=drawn)


def of_judge(found: JudgeReport) -> Section:
    """A model judge beside people; with both boards where there are enough models for them."""
    board = found.board
    if board is None:
        return judges.section(found)
    spots = [
        scatter.Spot(
            one.model, one.judge_rating, one.people_rating, one.judge_low, one.judge_high, one.people_low, one.people_high,
            one.verdict is not None,
        )
        for one in board.models
    ]  # fmt: skip
    words = ("rating by the judge", "rating by people")
    drawn = pictures("judge", lambda: scatter.draw(spots, words=words))
    return replace(judges.section(found), pictures=drawn)


CAPTIONS = {
    **palette.CAPTIONS,
    "calibration": "Share of unseen votes that came true against the share foretold, with 95 % intervals",
    "scatter": "Rating against benchmark score of each shared model, with intervals of both and the line through them",
    "judge": "Rating by people against rating by the judge, with intervals of both; diamonds: over- or under-rated",
    "orders": "For each two shared models: whether votes and benchmark agree on their order",
}


def pictures(name: str, *drawings: Drawing) -> tuple[Picture, ...]:
    """The pictures of a kind, numbered where there are several; none where there is nothing to draw."""
    found: list[Picture] = []
    kind = name.split("-")[0]
    for number, draw in enumerate(drawings, 1):
        try:
            with unchecked():
                drawn = specification(draw())
        except NoData:
            continue
        own = name if len(drawings) == 1 else f"{name}-{number}"
        part = "" if len(drawings) == 1 else f", part {number} of {len(drawings)}"
        found.append(Picture(own, CAPTIONS[kind] + part, rendered(drawn).decode(), drawn))
    return tuple(found)


def _whiskers(board: Leaderboard) -> tuple[Picture, ...]:
    try:
        parts = forest.parts(board)
    except NoData:
        return ()
    return pictures("whiskers", *(_given(part) for part in parts))


def _given(chart: Chart) -> Drawing:
    return lambda: chart


def _meetings(board: Leaderboard) -> tuple[Picture, ...]:
    voted = sum(row.votes > 0 for row in board.models)
    # Blocks along the diagonal: models near each other, where a win rate decides something.
    blocks = range(0, max(voted, 1), heat_maps.MAX_CELLS)
    pages = range(0, max(voted, 1), PAGE_ROWS)
    return (
        *pictures("winrates", *(_rates(board, start) for start in blocks)),
        *pictures("counts", lambda: heat_maps.counts(board)),
        *pictures("meetings", lambda: heat_maps.meetings_of_all(board)),
        *pictures("averages", *(_averages(board, start) for start in pages)),
    )


def _rates(board: Leaderboard, start: int) -> Drawing:
    return lambda: heat_maps.win_rates(board, start)


def _averages(board: Leaderboard, start: int) -> Drawing:
    return lambda: heat_maps.averages(board, start, PAGE_ROWS)
