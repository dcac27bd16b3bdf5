"""The report of a board: what was published with the release, shown section by section. Computes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from flask import Blueprint, Response, abort, current_app, render_template

from ratings.releases.payloads import ReportData
from ratings.releases.release import PublishedBoard, Release
from web import current, standings

blueprint = Blueprint("report", __name__)

VEGA_LITE = "6.4"  # of the specifications that a release carries
# In a process of its own, which takes its 100 MB along when it ends.
BUNDLE = f"""
import sys, vl_convert
script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", "{VEGA_LITE}")
sys.stdout.buffer.write(script.encode())
"""
ONE_AT_A_TIME = Lock()
DAY = "public, max-age=86400"  # a picture of a release never changes
Section = Mapping[str, Any]


@dataclass(frozen=True)
class ShownReport:
    """A board with its report. `hidden`: the private models that the report may not name."""

    release: Release
    board: PublishedBoard
    data: ReportData | None
    hidden: frozenset[str]

    @property
    def sections(self) -> list[Section]:
        return [] if self.data is None else list(redacted(self.data.sections, self.hidden))


@blueprint.get("/report")
@blueprint.get("/report/<name>")
def show(name: str | None = None) -> str:
    """Ratings, meetings, diagnosis, comparison and benchmarks of board `name`, or of the first that has votes."""
    release = current.latest().release()
    if release is None or not release.boards:
        return render_template(
            "leaderboard_empty.html", release=release, board=None, options=current.options()
        )
    found = _found(release, name)
    if found.board.empty:
        return render_template(
            "leaderboard_empty.html", release=release, board=found.board, options=current.options()
        )
    return render_template(
        "report.html",
        release=release,
        board=found.board,
        snapshot=found.board.plain.leaderboard.snapshot,
        sections=found.sections,
        hidden=len(found.hidden),
    )


@blueprint.get("/report/<name>/report.json")
def report(name: str) -> Response:
    """The same as JSON, without pictures."""
    found = _found(current.release(), name)
    body = {
        "board": found.board.name,
        "release": found.release.id,
        "snapshot": found.board.plain.leaderboard.snapshot.id,
        "sections": [{key: one[key] for key in ("title", "tables", "notes")} for one in found.sections],
    }
    answer = json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1)
    return current_app.response_class(answer, content_type="application/json; charset=utf-8")


@blueprint.get("/report/<name>/<release_id>/<picture>.svg")
def picture(name: str, release_id: str, picture: str) -> tuple[str, dict[str, str]]:
    """A picture of the report as a file."""
    svg = str(_picture(name, release_id, picture)["svg"])
    return svg, {"Content-Type": "image/svg+xml; charset=utf-8", "Cache-Control": DAY}


@blueprint.get("/report/<name>/<release_id>/<picture>.json")
def specification(name: str, release_id: str, picture: str) -> tuple[str, dict[str, str]]:
    """What draws the picture in a page: a Vega-Lite specification."""
    spec = json.dumps(_picture(name, release_id, picture)["spec"], ensure_ascii=False, allow_nan=False)
    return spec, {"Content-Type": "application/json; charset=utf-8", "Cache-Control": DAY}


@blueprint.get("/report/charts.js")
def charts() -> tuple[str, dict[str, str]]:
    """The library that draws the pictures in a page, from the package that drew them; nothing is fetched."""
    with ONE_AT_A_TIME:
        return _library(), {"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": DAY}


@lru_cache(maxsize=1)
def _library() -> str:
    return subprocess.run([sys.executable, "-c", BUNDLE], capture_output=True, check=True).stdout.decode()


def _found(release: Release, name: str | None) -> ShownReport:
    hidden = current.arena().roster.hidden
    board = standings.find(release, name, style=False, hidden=hidden).board
    data = board.plain.report
    named = frozenset() if data is None else hidden & set(data.content.get("models", ()))
    return ShownReport(release, board, data, named)


def _picture(name: str, release_id: str, picture: str) -> Mapping[str, Any]:
    found = _found(current.release(), name)
    # Its marks hold names that have become private since it was drawn.
    if found.data is None or found.hidden or found.release.id != release_id:
        abort(404)
    drawn = found.data.picture(picture)
    if drawn is None:
        abort(404)
    return drawn


def redacted(sections: Sequence[Section], hidden: frozenset[str]) -> Iterator[Section]:
    """The sections without any row or note that names a hidden model, and then without pictures."""
    for section in sections:
        if not hidden:
            yield section
            continue
        tables = [_table(columns, rows, hidden) for columns, rows in section["tables"]]
        notes = [note for note in section["notes"] if not _names(note, hidden)]
        yield {**section, "tables": tables, "notes": notes, "pictures": []}


def _table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], hidden: frozenset[str]
) -> tuple[list[str], list[list[str]]]:
    kept = [place for place, name in enumerate(columns) if not _names(name, hidden)]
    shown = [[row[place] for place in kept] for row in rows]
    return [columns[place] for place in kept], [
        row for row in shown if not any(_names(cell, hidden) for cell in row)
    ]


def _names(text: str, hidden: frozenset[str]) -> bool:
    return any(name in text for name in hidden)
