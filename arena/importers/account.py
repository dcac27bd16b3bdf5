"""The account of a reading, closed: everything that was counted and noticed, as one Tally."""

from __future__ import annotations

from collections.abc import Sequence

from arena.errors import Problem
from arena.importers.formats.registry import Choice
from arena.importers.rules.checks import Checks
from arena.importers.rules.duplicates import Conflict, Repeats
from arena.importers.rules.tally import Tally
from arena.votes import VoteTable


def tally_of(
    table: VoteTable, repeats: Repeats, checks: Checks, files: tuple[str, ...], choices: tuple[Choice, ...]
) -> Tally:
    """Close the books: every vote read is accepted, rejected, a duplicate, or none."""
    account = checks.account
    accepted = int(table.count.sum())
    return Tally(
        format=" + ".join(choice.format.name for choice in choices) or "none",
        why="; ".join(dict.fromkeys(choice.why for choice in choices)) or "no file holds a record",
        files=files,
        read=accepted + repeats.count + account.rejected_count + sum(account.not_votes.values()),
        accepted=accepted,
        rejected=tuple(account.rejected),
        rejected_count=account.rejected_count,
        duplicates=repeats.count,
        conflicts=tuple(_told(conflict, files) for conflict in repeats.conflicts),
        conflict_count=repeats.conflict_count,
        not_votes=dict(sorted(account.not_votes.items())),
        examples=tuple(account.examples),
        excluded=table.excluded(),
        ignored_columns=(),
        warnings=_warnings(table, repeats, checks),
        measures={name: dict(sorted(each.items())) for name, each in account.measures.items()},
    )


def _warnings(table: VoteTable, repeats: Repeats, checks: Checks) -> tuple[str, ...]:
    found = checks.warnings(table.models)
    if repeats.questions:
        found += (
            "question_id stands for several pairs or voters: it is read as the prompt, not as the id of a vote "
            "(--columns question_id=vote_id reads it as the id)",
        )
    # As many conflicts as votes: the column is no id of votes.
    if repeats.conflict_count >= max(len(table), 1):
        found += (
            "most ids stand for several different votes: if the id column names prompts, "
            "say so (--columns COLUMN=prompt)",
        )
    return found


def _told(conflict: Conflict, files: Sequence[str]) -> Problem:
    there = f"row {conflict.first_row}"
    if conflict.first_file != conflict.file:
        there += f" of {files[conflict.first_file]}"
    return Problem(
        files[conflict.file],
        f"this vote id came before in {there} with another {', '.join(conflict.differs)}; the first is kept",
        conflict.row,
        conflict.line if conflict.line > 0 else None,
        None,
        conflict.vote_id,
    )
