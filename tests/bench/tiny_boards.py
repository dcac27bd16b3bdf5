"""Asks every question of random tiny boards: `python -m tests.bench.tiny_boards [BOARDS] [SEED]`.

Nothing but the project's own errors may come out: no other exception, no warning, no number that is none (nan,
infinity). Prints each seed that breaks this with the question and what happened, then a count; status 1 if there was one.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from arena.errors import ArenaError
from arena.votes import Outcome, Vote, VoteTable
from ratings import exports
from ratings.commands.prompts import section as prompts_section
from ratings.crossref import findings, measures, writing
from ratings.crossref.result import Known
from ratings.diagnostics import diagnosis, differences, judges
from ratings.diagnostics.drift import drift
from ratings.diagnostics.prompt_items import prompt_items
from ratings.diagnostics.sample_size import plan_top, plan_votes
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse
from ratings.ranking.standings import leaderboard
from ratings.refresh.answers import Answers
from ratings.refresh.reports import Reports
from ratings.reports import diagnosis_tables
from ratings.reports import sections as reports_sections
from ratings.reports.comparison_tables import comparison_section, planning_section
from ratings.tables import Section, markdown, report_text, to_plain
from ratings.tables import plain as as_text

BOARDS = 2_000
DAY = 86_400.0
NO_NUMBER = re.compile(r"(?<![\w-])[+-]?(nan|inf)(?![\w-])", re.IGNORECASE)
KINDS = ("mixed", "ties", "decisive", "both_bad", "loser", "sorted")


def table_of(rng: np.random.Generator) -> VoteTable:
    """A board of 2-6 models, 1-4 voters (or votes of nobody) and 1-12 votes, with every column or without."""
    models, voters = rng.integers(2, 7), rng.integers(1, 5)
    kind, has = str(rng.choice(KINDS)), {name: bool(rng.random() < 0.6) for name in ("voter", "at", "trait", "label", "count")}  # fmt: skip
    prompts = int(rng.choice([0, 1, 2, 5]))
    span = float(rng.choice([0.0, 1.0, 40.0, 400.0])) * DAY
    return VoteTable.of(
        [
            _vote(rng, n, int(models), int(voters), kind, prompts, span, has)
            for n in range(rng.integers(1, 13))
        ]
    )


def _vote(
    rng: np.random.Generator, n: int, models: int, voters: int, kind: str, prompts: int, span: float, has: Mapping[str, bool]
) -> Vote:  # fmt: skip
    a, b = rng.choice(models, 2, replace=bool(rng.random() < 0.05))
    return Vote(
        f"v{n}",
        f"m{a}",
        f"m{b}",
        _outcome(rng, kind, int(a), int(b)),
        at=1e9 + span * rng.random() if has["at"] and rng.random() < 0.95 else None,
        voter=f"s{rng.integers(voters)}" if has["voter"] else None,
        prompt=f"p{rng.integers(prompts)}" if prompts and rng.random() < 0.95 else None,
        categories=("code",) if has["label"] and rng.random() < 0.5 else (),
        traits={"length": (float(rng.integers(0, 3)), float(rng.integers(0, 3)))} if has["trait"] else {},
        drawn_p=0.2 + rng.random() / 2,
        count=int(rng.integers(1, 4)) if has["count"] and not has["voter"] else 1,
        side_known=bool(rng.random() < 0.9),
    )


def _outcome(rng: np.random.Generator, kind: str, a: int, b: int) -> Outcome:
    if kind in ("ties", "both_bad"):
        return Outcome.TIE if kind == "ties" else Outcome.BOTH_BAD
    if kind == "sorted":
        return Outcome.A
    if kind == "loser" and 0 in (a, b):
        return Outcome.B if a == 0 else Outcome.A
    return Outcome(int(rng.integers(2 if kind == "decisive" else 4)))


def plan_for(rng: np.random.Generator) -> Plan:
    return Plan(
        rounds=int(rng.choice([0, 40])),
        seed=int(rng.integers(3)),
        cluster="voter" if rng.random() < 0.8 else "none",
        ties=str(rng.choice(["half", "half", "drop", "davidson"])),  # type: ignore[arg-type]
        prior="none" if rng.random() < 0.8 else "pairs",
        style=("length",) if rng.random() < 0.3 else (),
        side=bool(rng.random() < 0.2),
        category="code" if rng.random() < 0.1 else None,
        reweight=bool(rng.random() < 0.2),
        min_votes=int(rng.choice([1, 3, 30])),
    )


class Board:
    """One tiny board with all that is asked of it."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.table, self.plan = table_of(self.rng), plan_for(self.rng)

    def questions(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """What is asked, by name; the first gives the board that the others need."""
        yield "diagnose", self._diagnose
        yield "prompts", self._prompts
        yield "judges", self._judges
        try:
            analysis = analyse(self.table, self.plan)
            board = leaderboard(self.table, analysis)
        except ArenaError:
            return
        yield "rank", lambda: _ranked(board)
        yield "drift", lambda: drift(self.table, analysis, _rated(board))
        yield "compare", lambda: self._compare(analysis)
        yield "plan-votes", lambda: self._plan_votes(analysis)
        yield "plan-votes --top", lambda: plan_top(analysis, 1)
        yield "crossref", lambda: self._crossref(analysis)
        yield "report", lambda: self._report(analysis, board)
        yield "refresh", lambda: self._refresh(analysis, board)

    def _diagnose(self) -> object:
        found = diagnosis.diagnose(self.table, self.plan)
        return found, diagnosis_tables.section(found)

    def _prompts(self) -> object:
        found = prompt_items(self.table, self.plan)
        return found, prompts_section(found)

    def _judges(self) -> object:
        found = judges.against(self.table, table_of(self.rng))
        return to_plain(found), judges.section(found)

    def _compare(self, analysis: Analysis) -> object:
        found = differences.compare(analysis, self.table.models[:3])
        return found, comparison_section(found)

    def _plan_votes(self, analysis: Analysis) -> object:
        found = plan_votes(analysis, self.table.models[0], self.table.models[-1])
        return found, planning_section(found, None)

    def _crossref(self, analysis: Analysis) -> object:
        known = Known(votes=(self.table, self.plan))
        scores = {name: float(self.rng.integers(0, 3)) for name in self.table.models}
        found = [findings.of_scores(measures.arena(analysis), "quiz", scores, known)]
        return to_plain(found), *(writing.section(one) for one in found)

    def _report(self, analysis: Analysis, board: Leaderboard) -> object:
        found = diagnosis.thorough(
            diagnosis.examine(self.table, analysis, board), self.table, analysis, board
        )
        sections = [*reports_sections.of_board(board), reports_sections.of_diagnosis(found)]
        return found, report_text("Report", sections)

    def _refresh(self, analysis: Analysis, board: Leaderboard) -> object:
        answers, reports = Answers(self.table), Reports(self.table, None)
        answers.look("plain", analysis, board)
        reports.look("plain", analysis, answers.found["plain"])
        return answers.found["plain"], [
            json.dumps(part.content, allow_nan=False) for part in (answers.findings["plain"], *reports.data.values())
        ]  # fmt: skip


def _ranked(board: Leaderboard) -> object:
    return board, exports.write(board, "json").decode(), exports.write(board, "markdown").decode()


def _rated(board: Leaderboard) -> dict[str, float]:
    return {
        row.model: row.rating
        for row in board.models
        if row.rating is not None and row.component == 1 and row.status != "separated"
    }


def no_numbers(value: object, place: str = "") -> list[str]:
    """Where `value` holds nan or infinity, as a number or as a word of a text."""
    if isinstance(value, Section):
        return no_numbers(as_text(value), place) + no_numbers(markdown(value), place)
    if isinstance(value, str):
        return [f"{place}: {found.group()!r} in a text" for found in NO_NUMBER.finditer(value)]
    if isinstance(value, float | np.floating):
        return [] if math.isfinite(value) else [f"{place}: {value}"]
    parts: Any = ()
    if is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in fields(value)]
    elif isinstance(value, Mapping):
        parts = list(value.items())
    elif isinstance(value, list | tuple):
        parts = list(enumerate(value))
    return [fault for name, part in parts for fault in no_numbers(part, f"{place}.{name}")]


def faults(seed: int) -> list[str]:
    """What is wrong with the answers about the board of `seed`."""
    board, found = Board(seed), []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, ask in board.questions():
            try:
                found += [f"{name}{fault}" for fault in no_numbers(ask())]
            except ArenaError:
                continue
            except Exception:  # noqa: BLE001 - whatever comes is what is looked for
                found.append(f"{name}: " + " < ".join(traceback.format_exc().strip().splitlines()[:-8:-1]))
    return found


def main(boards: int = BOARDS, first: int = 0) -> int:
    started, bad = time.monotonic(), 0
    for seed in range(first, first + boards):
        wrong = faults(seed)
        bad += bool(wrong)
        for fault in wrong:
            print(f"seed {seed}: {fault}", flush=True)
    print(f"{boards:,} boards, {bad} with a fault, {time.monotonic() - started:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:3])))
