"""The pictures and files of each board of a release; what is unchanged is taken from the release before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.errors import NoData
from ratings import exports
from ratings.charts import charts, palette
from ratings.charts.rendering import rendered
from ratings.refresh.reports import completed
from ratings.releases.release import HistoryPoint, PublishedBoard, View, ViewName

FILES = ("csv", "parquet")  # the exports of each view that a release carries beside its JSON


class Sketches:
    """The specifications of a board's charts, each made once: for its picture, and for the page that draws it itself."""

    def __init__(self, history: Sequence[HistoryPoint]) -> None:
        self._history = history
        self._made: dict[tuple[ViewName, str], Mapping[str, Any]] = {}

    def __call__(self, view: View, name: str) -> Mapping[str, Any]:
        """The specification of the chart `name` of `view`; `NoData` when there is nothing to draw."""
        key = (view.name, name)
        if key not in self._made:
            self._made[key] = charts.specify(view.leaderboard, name, history=self._history)
        return self._made[key]


def drawn(
    board: PublishedBoard, history: Sequence[HistoryPoint], known: Mapping[str, View]
) -> PublishedBoard:
    """`board` with the pictures and files of its views."""
    sketch = Sketches(history)
    views = tuple(
        replace(
            view,
            charts=_charts(view, sketch, known),
            exports={ending: exports.write(view.leaderboard, ending) for ending in FILES},
        )
        for view in board.views
    )
    styled = views[1] if len(views) > 1 else None
    plain = replace(views[0], report=completed(views[0], styled, history, sketch))
    return replace(board, views=(plain, *views[1:]))


def _charts(view: View, sketch: Sketches, known: Mapping[str, View]) -> dict[str, str]:
    """The pictures that there is something for; those of an unchanged view as they were, but for the history."""
    old = known.get(view.leaderboard.snapshot.id)
    found: dict[str, str] = {}
    for name in palette.CHARTS:
        if name in palette.PLAIN_ONLY and view.name != "plain":
            continue
        if old is not None and name != "history" and name in old.charts:
            found[name] = old.charts[name]
            continue
        try:
            found[name] = rendered(sketch(view, name)).decode()
        except NoData:
            continue
    return found
