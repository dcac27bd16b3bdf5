"""Read vote files: find the files, tell the format of each, read every record, and give account of all of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from arena.errors import Problem
from arena.importers.account import tally_of
from arena.importers.files.contents import SAMPLED_AT_MOST, Content, open_content, sample
from arena.importers.files.csv_rows import CsvContent
from arena.importers.files.json_rows import DocumentContent
from arena.importers.files.parquet_rows import ParquetContent
from arena.importers.files.rows import Block, Row
from arena.importers.files.sources import Progress, Source, find
from arena.importers.files.streams import Watch, refused
from arena.importers.formats.battle_columns import ColumnRules
from arena.importers.formats.registry import AUTO, Choice, NoVotes, choose, choose_document
from arena.importers.rules import aliases as alias_files
from arena.importers.rules.checks import Checks, checks_of
from arena.importers.rules.columns import (
    GivenPairs,
    columns_mapping,
    looks_like,
    outcomes_mapping,
    rename_row,
    renamed,
)
from arena.importers.rules.gather import Gatherer
from arena.importers.rules.tally import Reading, RowsRejected, Tally
from arena.importers.values.values import NotVote, Reject
from arena.settings import bounds
from arena.votes import VoteTable

FUTURE_SECONDS = 86_400.0  # zones that were left out, and clocks that go ahead, reach no further


def read(
    paths: Sequence[str | Path],
    *,
    format: str = AUTO,
    skip_bad: bool = False,
    aliases: str | Path | None = None,
    outcomes: GivenPairs | None = None,
    columns: GivenPairs | None = None,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.time,
) -> Reading:
    """The votes of all files that `paths` name (files, folders, globs, "-") as one table, with the account.

    `aliases`: a file of (old, new) names to merge. `outcomes`: other words for outcomes. `columns`: columns of a
    generic table under other names; both also as the text `A=B,C=D`. `progress(done, total)` is told of stored bytes.
    Raises `RowsRejected` if any row is rejected and not `skip_bad`, and `BadInput` for a file refused whole.
    """
    sources = find(paths)
    try:
        reader = _Reader(format, checks_of(outcomes_mapping(outcomes)), columns_mapping(columns))
        for source, watch in _watched(sources, progress):
            reader.read_file(source, watch)
        table, tally = reader.finish()
    finally:
        for source in sources:
            source.close()
    timeless, future = _odd_times(table, clock())
    tally = replace(tally, timeless=timeless, future=future)
    if tally.rejected_count and not skip_bad:
        raise RowsRejected(tally)
    if aliases is not None:
        merged = alias_files.load(aliases, table.models)
        table = alias_files.merge(table, merged)
        tally = replace(tally, aliases=merged, excluded=table.excluded())
    return Reading(table, tally)


def _odd_times(table: VoteTable, now: float) -> tuple[int, int]:
    """Votes without a time, and those of a time to come. They go to the account only: no ranking depends on the clock."""
    timeless, future = np.isnan(table.at), table.at > now + FUTURE_SECONDS
    return int(table.count[timeless].sum()), int(table.count[future].sum())


def _watched(sources: Sequence[Source], progress: Progress | None) -> Iterator[tuple[Source, Watch | None]]:
    if progress is None:
        yield from ((source, None) for source in sources)
        return
    sizes = [source.size for source in sources]
    for index, source in enumerate(sources):
        before, total = sum(sizes[:index]), sum(sizes)
        yield source, lambda done, before=before, total=total: progress(before + done, total)  # type: ignore[misc]
    progress(sum(sizes), sum(sizes))


class _Reader:
    """Reads one file after the other into one table."""

    def __init__(self, format: str, checks: Checks, columns: Mapping[str, str]) -> None:
        self._format = format
        self._checks = checks
        self._mapping = columns
        self._gatherer = Gatherer()
        self._files: list[str] = []
        self._passed: list[NoVotes] = []  # files of a folder that hold no votes
        self._choices: dict[str, Choice] = {}
        self._ignored: dict[str, None] = {}

    def read_file(self, source: Source, watch: Watch | None) -> None:
        content = open_content(source)
        if content is None:
            self._files.append(source.name)
            self._checks.note(f"{source.name}: the file is empty")
            return
        if not isinstance(content, CsvContent | ParquetContent | DocumentContent) and not sample(content):
            self._read_nothing(source, content)
            return
        try:
            choice, names = self._choose(source, content)
        except NoVotes as error:
            if not source.found_in_folder:
                raise
            self._passed.append(error)
            self._checks.note(f"{source.name}: holds no votes, not read")
            return
        if choice.format.refusal:
            raise refused(source.name, choice.format.refusal)
        self._files.append(source.name)
        self._choices.setdefault(choice.format.name, choice)
        content = replace(content, watch=watch)
        self._checks.by_question = False
        rules = self._column_rules(content, choice, names)
        if rules is not None and isinstance(content, CsvContent | ParquetContent):
            self._read_columns(source, content, rules, names)
        else:
            self._read_rows(source, rows_of(content, choice, self._checks), choice, names)
        if self._checks.by_question:
            self._gatherer.by_question.add(len(self._files) - 1)

    def _read_nothing(self, source: Source, content: Content) -> None:
        """A file whose first records all are broken: no format can be told, so that the rest is not tried."""
        self._files.append(source.name)
        rows = list(islice(content.rows(), SAMPLED_AT_MOST))
        for row in rows:
            if row.fault is not None:
                self._turn_away(source, row, row.fault, {})
        if len(rows) == SAMPLED_AT_MOST:
            self._checks.note(
                f"{source.name}: none of the first {len(rows)} records can be read; nor was the rest tried"
            )
        self._after(source, len(rows), [])

    def _choose(self, source: Source, content: Content) -> tuple[Choice, dict[str, str]]:
        if isinstance(content, DocumentContent):
            document = choose_document(self._format, source.name, content.document)
            if document is not None:
                return document, {}
        first = sample(content)
        found = columns_of(content, first)
        names = renamed(found, self._mapping, source.name) if self._mapping else {}
        first = tuple(rename_row(values, names) for values in first) if names else first
        return choose(self._format, source.name, [names.get(name, name) for name in found], first), names

    def _column_rules(self, content: Content, choice: Choice, names: Mapping[str, str]) -> ColumnRules | None:
        """Rules on whole columns, for a flat table without texts; others are read record by record."""
        layout = choice.format.layout
        if layout is None or not isinstance(content, CsvContent | ParquetContent):
            return None
        if self._checks.by_name:  # whom a name means depends on its row
            return None
        columns = [names.get(name, name) for name in content.columns]
        if layout.by_row.intersection(columns) or len(set(layout.category).intersection(columns)) > 1:
            return None
        rules = ColumnRules(layout, columns, self._checks, self._gatherer)
        theirs = {name: column for column, name in names.items()}
        wanted = [theirs.get(name, name) for name in (*rules.coded, *rules.plain)]
        return rules if isinstance(content, CsvContent) or content.is_flat(wanted) else None

    def _read_columns(
        self,
        source: Source,
        content: CsvContent | ParquetContent,
        rules: ColumnRules,
        names: Mapping[str, str],
    ) -> None:
        theirs = {name: column for column, name in names.items()}
        coded, plain = ([theirs.get(name, name) for name in wanted] for wanted in (rules.coded, rules.plain))
        read = 0
        for block in content.blocks(coded, plain):
            read += len(block.number) + len(block.faults)
            _check_rows(source, read)
            block = replace(block, columns=rename_row(block.columns, names))
            verdicts = rules.read(block, len(self._files) - 1)
            odd: list[tuple[Row, Reject | NotVote]] = [
                (row, row.fault) for row in block.faults if row.fault is not None
            ]
            odd += [(row_at(block, at), verdict) for at, verdict in verdicts.items()]
            for row, verdict in sorted(odd, key=lambda each: each[0].number):
                self._turn_away(source, row, verdict, theirs)
        self._after(source, read, [name for name in content.columns if name not in (*coded, *plain)])

    def _read_rows(
        self, source: Source, rows: Iterator[Row], choice: Choice, names: Mapping[str, str]
    ) -> None:
        parse = (
            choice.format.parse if choice.format.begin is None else choice.format.begin(source, self._checks)
        )
        theirs = {name: column for column, name in names.items()}
        asked: set[str] = set()
        met: dict[str, None] = {}
        read = 0
        for row in rows:
            read += 1
            _check_rows(source, read)
            row.asked = asked
            met.update(dict.fromkeys(row.values))
            try:
                if row.fault is not None:
                    raise row.fault
                row.values = rename_row(row.values, names) if names else row.values
                votes = list(parse(row, self._checks))
            except (Reject, NotVote) as verdict:
                self._turn_away(source, row, verdict, theirs)
            except RecursionError:
                self._turn_away(source, row, Reject(None, None, "is nested too deeply"), theirs)
            else:
                for vote in votes:
                    self._gatherer.take(vote, len(self._files) - 1, row.number, row.line)
        self._after(source, read, [column for column in met if names.get(column, column) not in asked])

    def _turn_away(
        self, source: Source, row: Row, verdict: Reject | NotVote, theirs: Mapping[str, str]
    ) -> None:
        account = self._checks.account
        if isinstance(verdict, NotVote):
            account.not_vote(verdict.reason, Problem(source.name, verdict.reason, row.number, row.line))
            return
        column = theirs.get(verdict.column, verdict.column) if verdict.column else None
        account.reject(Problem(source.name, verdict.reason, row.number, row.line, column, verdict.value))

    def _after(self, source: Source, read: int, ignored: Sequence[str]) -> None:
        if not read:
            self._checks.note(f"{source.name}: no records in this file")
        self._ignored.update(dict.fromkeys(ignored))
        for column in ignored:
            ours = looks_like(column)
            if ours:
                self._checks.note(
                    f"the column {column} is not used; if it is the {ours} of the row, say --columns {column}={ours}"
                )

    def finish(self) -> tuple[VoteTable, Tally]:
        if self._passed and not self._files:
            raise self._passed[0]
        table, repeats = self._gatherer.finish(self._checks.named)
        tally = tally_of(table, repeats, self._checks, tuple(self._files), tuple(self._choices.values()))
        return table, replace(tally, ignored_columns=tuple(self._ignored))


def _check_rows(source: Source, read: int) -> None:
    if read > bounds.now().rows:
        raise refused(source.name, bounds.now().rows_fault(read) or "")


def columns_of(content: Content, first: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of a file: of its header or schema, else those that its first records have."""
    if isinstance(content, CsvContent | ParquetContent):
        return list(content.columns)
    return list(dict.fromkeys(key for values in first for key in values))


def rows_of(content: Content, choice: Choice, checks: Checks) -> Iterator[Row]:
    """The records of a file; of a document those that its format finds in it."""
    unfold = choice.format.unfold
    if unfold is None or not isinstance(content, DocumentContent):
        yield from content.rows()
    else:
        for number, values in enumerate(unfold(content.document, checks), 1):
            yield Row(number, None, values)


def row_at(block: Block, at: int) -> Row:
    line = int(block.line[at])
    return Row(int(block.number[at]), line if line > 0 else None, {})
