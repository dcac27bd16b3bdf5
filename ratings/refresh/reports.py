"""The report that a refresh publishes of each board: its sections as data, with pictures drawn and their specifications."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.errors import ArenaError, NoData
from arena.votes import VoteTable
from ratings.benchmarks.library.published import MANIFEST
from ratings.benchmarks.library.store import BenchmarkShelf
from ratings.benchmarks.results.assembly import assemble
from ratings.charts import charts, palette
from ratings.crossref import findings, measures
from ratings.diagnostics import differences
from ratings.diagnostics.diagnosis import Diagnosis
from ratings.ranking.analysis import Analysis
from ratings.releases.payloads import ReportData
from ratings.releases.release import HistoryPoint, View
from ratings.reports import board_tables
from ratings.reports import sections as reports_sections
from ratings.reports.comparison_tables import comparison_section
from ratings.tables import Picture, Section, to_object

COMPARED = 5  # models at the top that the report compares
FORETOLD_VOTES = 200_000  # up to so many, a benchmark also foretells unseen votes: five fits

Sketch = Callable[[View, str], Mapping[str, Any]]  # the specification of a view's chart

log = logging.getLogger(__name__)


class Reports:
    """Gathers what only an analysis tells, while the boards of one collection are ranked; by the names of the views."""

    def __init__(self, table: VoteTable, benchmarks: BenchmarkShelf | None) -> None:
        self._table, self._benchmarks = table, benchmarks
        self.digest = digest(benchmarks)
        self.data: dict[str, ReportData] = {}

    def look(self, name: str, analysis: Analysis, trusted: Diagnosis) -> None:
        """Take diagnosis, comparison and cross-references of the view `name`, unless it is one with style control."""
        if analysis.plan.style or analysis.selection.used == 0:
            return
        sections = [reports_sections.of_diagnosis(trusted)]
        for part in (self._comparison(analysis), *self._beside(analysis)):
            if part is not None:
                sections.append(part)
        self.data[name] = ReportData.of({"benchmarks": self.digest, **_as_data("told", sections)})

    def fit(self, old: View) -> bool:
        """Does an earlier view say what would be said now? One with style control has no report of its own."""
        if old.name == "style" or old.leaderboard.snapshot.votes_used == 0:
            return True
        return old.report is not None and old.report.content.get("benchmarks") == self.digest

    def _comparison(self, analysis: Analysis) -> Section | None:
        names = _first(analysis)
        if len(names) < 2:
            return None
        section = comparison_section(differences.compare(analysis, names))
        return replace(section, title=f"Comparison of the first {len(names)}")

    def _beside(self, analysis: Analysis) -> Iterator[Section]:
        """Each imported benchmark that shares enough models; one that fails says why and stops nothing."""
        number = 0
        for name in self._benchmarks.names() if self._benchmarks is not None else ():
            try:
                found = list(self._crossrefs(name, analysis))
            except NoData as none:
                log.info("benchmark %s: %s", name, none)
                continue
            except (
                ArenaError,
                OSError,
                ValueError,
                KeyError,
            ) as error:  # a broken shelf must not stop the board
                log.warning("benchmark %s is not set beside the votes: %s", name, error)
                yield Section(f"Arena beside {name}", (), (f"not done: {error}",))
                continue
            for one in found:
                number += 1
                yield reports_sections.of_crossref(one, number)

    def _crossrefs(self, name: str, analysis: Analysis) -> Iterator[findings.CrossReference]:
        kept = None if self._benchmarks is None else self._benchmarks.load(name)
        if kept is None:
            return
        board = measures.arena(analysis)
        votes = (self._table, analysis.plan) if analysis.selection.used <= FORETOLD_VOTES else None
        known = findings.Known(votes=votes, card=kept.card, seed=analysis.plan.seed)
        for results in assemble(kept.settled, kept.name, kept.labels).values():
            yield findings.of_items(board, results, known)


def _first(analysis: Analysis) -> list[str]:
    """The best ranked models, best first."""
    if not analysis.parts:
        return []
    part = analysis.parts[0]
    ranked = [index for index in range(len(part.members)) if part.ranked[index]]
    ranked.sort(key=lambda index: -float(part.fit.theta[index]))
    return [analysis.selection.models[part.members[index]] for index in ranked[:COMPARED]]


def digest(benchmarks: BenchmarkShelf | None) -> str:
    """Changes whenever an imported benchmark does."""
    state = hashlib.sha256()
    for path in sorted(benchmarks.root.glob(f"*/{MANIFEST}")) if benchmarks is not None else ():
        state.update(path.read_bytes())
    return state.hexdigest()


def completed(
    plain: View, styled: View | None, history: Sequence[HistoryPoint], sketch: Sketch
) -> ReportData | None:
    """The report of a view with its board in front, whose pictures are the release's own charts."""
    if plain.report is None or "board" in plain.report.content:
        return plain.report  # none, or that of an unchanged view, whose history is unchanged too
    board = plain.leaderboard
    sections = [
        replace(board_tables.ratings_section(board), pictures=_drawn(plain, ("whiskers",), sketch)),
        replace(
            board_tables.meetings_section(board),
            pictures=_drawn(plain, ("winrates", "counts", "meetings", "averages"), sketch),
        ),
    ]
    style = None if styled is None else board_tables.style_section(styled.leaderboard)
    if styled is not None and style is not None:
        sections.append(replace(style, pictures=_drawn(styled, ("style",), sketch)))
    over_time = board_tables.history_section(board, history, charts.MAX_LINES)
    if over_time is not None:
        sections.append(replace(over_time, pictures=_drawn(plain, ("history",), sketch)))
    names = [row.model for row in board.models]
    return ReportData.of({**plain.report.content, "models": names, **_as_data("board", sections)})


def _drawn(view: View, names: Sequence[str], sketch: Sketch) -> tuple[Picture, ...]:
    return tuple(
        Picture(name, palette.CAPTIONS[name], view.charts[name], sketch(view, name))
        for name in names
        if name in view.charts
    )


def _as_data(part: str, sections: Sequence[Section]) -> dict[str, Any]:
    """Sections under `part`, and their pictures by name under `part_pictures`."""
    found = {
        one.name: {"svg": one.svg, "spec": dict(one.spec)} for section in sections for one in section.pictures
    }
    return {part: [to_object(section) for section in sections], f"{part}_pictures": found}
