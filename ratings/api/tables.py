"""The front door for scripts and notebooks: `ratings.rank("votes.csv", style=["length"], seed=1)`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from arena.errors import BadInput, NoData
from arena.importers.reading import read
from arena.importers.rules.tally import Reading
from ratings import exports
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking.rank import rank as rank_votes
from ratings.releases.boards import checked

if TYPE_CHECKING:
    import pandas as pd

    from ratings.charts.rendering import Chart
    from ratings.releases.release import HistoryPoint

TABLE_NAME = "table"  # what messages call a table that came from memory
Progress = Callable[[int, int], None]


class RankedBoard(Leaderboard):
    """A leaderboard with what a notebook asks of it. The numbers are those of the command."""

    def to_frame(self) -> pd.DataFrame:
        """One row a model, in display order; columns as in the CSV export, missing numbers as NA."""
        import pandas as pd

        rows = pd.DataFrame([asdict(row) for row in self.models], columns=list(exports.COLUMNS))
        real = [name for name in exports.COLUMNS if name not in exports.WHOLE + exports.TEXTS]
        return rows.astype(dict.fromkeys(exports.WHOLE, "Int64") | dict.fromkeys(real, "float64"))

    def summary(self) -> str:
        """The table that `python -m ratings rank` prints."""
        return exports.write(self, "table").decode()

    def plot(
        self, name: str = "whiskers", *, top: int | None = None, history: Sequence[HistoryPoint] = ()
    ) -> Chart:
        """An Altair chart of all models or the first `top`: one of `ratings.charts.palette.CHARTS`.

        Raises `NoData` where there is nothing to draw.
        """
        from ratings.charts import charts

        return charts.plot(replace(self, models=self.models[:top]), name, history=history)

    def _repr_html_(self) -> str:
        return exports.write(self, "html").decode()

    def __repr__(self) -> str:
        snapshot = self.snapshot
        return f"<{type(self).__name__} {snapshot.id[:12]}: {snapshot.models} models, {snapshot.votes_used:,} votes>"


def rank(
    votes: Any,
    *,
    format: str = "auto",
    skip_bad: bool = False,
    aliases: str | Path | None = None,
    outcomes: Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **plan: Any,
) -> RankedBoard:
    """Rank the models of a table of votes, as `python -m ratings rank` does.

    Parameters
    ----------
    votes : path, list of paths, or pandas, polars or Arrow table
        A row a vote, in any format that the command reads.
    format : str
        Name of a vote format; "auto" looks at the columns.
    skip_bad : bool
        Count rows that cannot be used and go on, instead of refusing the table.
    aliases : path, optional
        File of names of one and the same model.
    outcomes : mapping, optional
        Words of the table -> outcomes (`model_a`, `model_b`, `tie`, `both_bad`).
    columns : mapping, optional
        Meaning -> column of the table, where names do not tell.
    progress : callable, optional
        Called with replicates done and replicates in all.
    **plan
        Fields of `Plan`, the command's options: `rounds` (replicates, default 1000), `seed`, `cluster`, `ties`, `prior`,
        `anchor=(model, Elo points)`, `style=[traits]`, `side`, `category`, `language`, `since` and `until` (seconds, UTC),
        `reweight`, `min_votes`.

    Returns
    -------
    RankedBoard
        A row a model: ratings, standard errors and 95 % intervals in Elo points, the mean of models with `min_votes` at 1000.

    Raises
    ------
    BadInput
        With every problem of the input, or an option that is not known.
    NoData
        The table holds no vote.
    NotConverged
        Rather than give a half-good ranking.

    References
    ----------
    Bradley & Terry 1952, Biometrika 39, 324-345. Hunter 2004, Annals of Statistics 32, 384-406 (existence).

    Examples
    --------
    >>> board = ratings.rank("votes.csv", style=["length"], seed=1)  # doctest: +SKIP
    >>> board.to_frame()  # doctest: +SKIP
    """
    wanted = make_plan(**plan)
    reading = _read(
        votes, format=format, skip_bad=skip_bad, aliases=aliases, outcomes=outcomes, columns=columns
    )
    if reading.tally.read == 0:
        raise NoData(f"{', '.join(reading.tally.files)}: no votes, nothing to rank")
    board = rank_votes(reading.table, wanted, tally=reading.tally, progress=progress)
    return RankedBoard(**{field.name: getattr(board, field.name) for field in fields(Leaderboard)})


def make_plan(**plan: Any) -> Plan:
    """A plan of keyword arguments; `BadInput` for a name or a value that it does not know."""
    known = {field.name for field in fields(Plan)}
    unknown = sorted(set(plan) - known)
    if unknown:
        raise BadInput(f"unknown option {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    if isinstance(plan.get("style"), str):
        raise BadInput(f"style is a list of names, such as style=[{plan['style']!r}]")
    plan = {name: tuple(value) if isinstance(value, list) else value for name, value in plan.items()}
    return checked(Plan(**plan))


def _read(votes: Any, **options: Any) -> Reading:
    if isinstance(votes, str | Path):
        return read([votes], **options)
    table = _arrow(votes)
    if table is None:
        return read(list(votes), **options)
    # A table takes the way of a file, so that the same rules hold for it to the letter.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{TABLE_NAME}.parquet"
        pq.write_table(table, path)
        try:
            reading = read([path], **options)
        except BadInput as error:
            problems = [replace(problem, file=TABLE_NAME) for problem in error.problems]
            raise BadInput(str(error).replace(str(path), TABLE_NAME), problems) from None
    return replace(reading, tally=replace(reading.tally, files=(TABLE_NAME,)))


def _arrow(votes: Any) -> pa.Table | None:
    """`votes` as an Arrow table; None when it is not a table but paths."""
    if isinstance(votes, pa.Table):
        return votes
    if isinstance(votes, pa.RecordBatch):
        return pa.Table.from_batches([votes])
    module = type(votes).__module__.split(".")[0]
    if module == "pandas":
        return _of_pandas(votes)
    if module == "polars":
        return getattr(votes, "collect", lambda: votes)().to_arrow()  # a lazy frame is collected first
    if isinstance(votes, Sequence) and all(isinstance(path, str | Path) for path in votes):
        return None
    raise BadInput(f"votes are a path, a list of paths, or a table; not {type(votes).__name__}")


def _of_pandas(frame: Any) -> pa.Table:
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise BadInput(f"{TABLE_NAME}: a column mixes kinds of values: {error}") from None
