"""Where no pair can be tested, nothing speaks of a correction for 0 pairs."""

from __future__ import annotations

import re

import pytest

from arena.votes import Outcome, Vote, VoteTable
from ratings.benchmarks.reports.report import report
from ratings.benchmarks.reports.writing import html, markdown
from ratings.benchmarks.results.results import ItemResults
from ratings.diagnostics import diagnosis, differences
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse
from ratings.ranking.standings import leaderboard
from ratings.reports import diagnosis_tables
from ratings.reports import sections as reports_sections
from ratings.reports.comparison_tables import comparison_section
from ratings.tables import markdown as section_text
from ratings.tables import report_text

NONE_TESTED = re.compile(r"Holm[^.|]{0,60}\b0\b|\b0 pairs")


def votes(voters: int) -> VoteTable:
    """Votes of `voters` people on a ring of three models; of 1 no gap has an error, of 0 there is no board."""
    ring = [("a", "b"), ("b", "c"), ("c", "a")][: 3 if voters else 1]
    return VoteTable.of([Vote(f"v{n}", *ring[n % len(ring)], Outcome.A, voter="ann") for n in range(6)])


@pytest.mark.parametrize("voters", [0, 1])
def test_a_board_without_a_testable_pair_speaks_of_no_correction(voters: int) -> None:
    table, plan = votes(voters), Plan(rounds=0)
    analysis = analyse(table, plan)
    board = leaderboard(table, analysis)
    found = diagnosis.thorough(diagnosis.examine(table, analysis, board), table, analysis, board)
    sections = [*reports_sections.of_board(board), reports_sections.of_diagnosis(found)]

    for text in (
        section_text(diagnosis_tables.section(diagnosis.diagnose(table, plan))),
        section_text(comparison_section(differences.compare(analysis, table.models))),
        report_text("Report", sections),
    ):
        assert not NONE_TESTED.search(text)


def test_a_benchmark_without_a_testable_pair_speaks_of_no_correction() -> None:
    scores = [("heron", "i1", 1.0), ("wren", "i2", 0.0)]
    apart = ItemResults.of(
        {"benchmark": "b", "model": model, "item": item, "score": score, "status": "ok"}
        for model, item, score in scores
    )

    found = report(apart)

    assert found.comparison.family == 0
    assert "no pair has items for it" in found.test
    assert not NONE_TESTED.search(markdown(found) + html(found))
