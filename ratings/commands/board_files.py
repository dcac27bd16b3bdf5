"""A board as a file or a picture, for the commands that write one."""

from __future__ import annotations

from typing import Any

from ratings import exports
from ratings.charts import palette
from ratings.leaderboard import Leaderboard


def content_of(board: Leaderboard, as_: str, chart: str, **more: Any) -> bytes:
    """The board as a file or as a picture."""
    if as_ not in palette.PICTURES:
        return exports.write(board, as_)
    from ratings.charts import charts  # loads the drawing library, for pictures only

    return charts.write(board, chart, as_=as_, **more)


def is_text(as_: str) -> bool:
    return as_ not in ("parquet", "png", "pdf")
