"""The whole cross-reference of made-up boards: order, footers, refusals, and the peers' numbers in its score sheet."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.benchmarks.results.card import Card
from ratings.benchmarks.results.results import STATUSES, ItemResults
from ratings.crossref import findings, measures, writing
from ratings.crossref.findings import Known
from ratings.crossref.measures import Measure
from ratings.crossref.models import arena_ranks
from ratings.crossref.pairs import pair_table
from ratings.crossref.prompts import shared_texts
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse, rank
from ratings.tables import markdown, to_plain
from tests.ratings.votes_for_tests import of_voters


def made_up(rng: np.random.Generator, models: int = 24, repeats: int = 1) -> tuple[Measure, ItemResults]:
    """A board and results of one skill: 360 items that go with it, 40 that go against it."""
    skill = np.linspace(-1, 1, models)
    direction = np.repeat([1.0, -1.0], [360, 40])
    draws = rng.normal(size=(models, 400, repeats))
    answers = (draws < (skill[:, None] * direction)[:, :, None]).astype(float)
    names = [f"m{k:02}" for k in range(models)]
    labels = ["good"] * 360 + ["reversed"] * 40
    results = ItemResults.from_matrix("b", names, [f"q{n}" for n in range(400)], answers, groups=labels)
    return Measure(tuple(names), 1000 + 100 * skill, np.eye(models) * 64), results


@pytest.mark.slow
def test_a_reversed_group_leads_the_groups(rng: np.random.Generator) -> None:
    found = findings.of_items(*made_up(rng))

    assert found.groups is not None
    assert [(group.group, group.flagged) for group in found.groups.lines] == [
        ("reversed", True),
        ("good", False),
    ]
    assert (found.groups.lines[0].r or 0) < -0.9
    assert found.item_fits is not None
    assert "reversed" in markdown(writing.section(found))


@pytest.mark.slow
def test_groups_stand_before_models_and_single_items_last(rng: np.random.Generator) -> None:
    text = markdown(writing.section(findings.of_items(*made_up(rng))))

    assert text.index("Group of items") < text.index("| Model |") < text.index("Reading list")


@pytest.mark.slow
def test_the_footer_counts_every_family_of_tests(rng: np.random.Generator) -> None:
    found = findings.of_items(*made_up(rng, models=12))

    counted = {family.name.split(" (")[0]: family.tests for family in found.tests}
    assert found.item_fits is not None
    assert counted["pairs of models by votes"] == 66
    assert counted["models off the line"] == 12
    assert counted["groups of items"] == 2
    assert counted["single items"] == found.item_fits.scored
    assert any("tries" in gap for gap in found.not_done)


@pytest.mark.slow
@pytest.mark.parametrize(("models", "first"), [(8, True), (12, False)])
def test_below_ten_models_the_interval_comes_first(
    rng: np.random.Generator, models: int, first: bool
) -> None:
    found = findings.of_items(*made_up(rng, models))

    answers = dict(writing.section(found).tables[0][1])
    assert answers["Pearson"].startswith("[") is first


@pytest.mark.slow
def test_the_score_sheet_shows_wilson_repeats_and_reliability_of_attempts(rng: np.random.Generator) -> None:
    single, repeated = (findings.of_items(*made_up(rng, 6, repeats)).models[0].line for repeats in (1, 3))

    assert single is not None
    assert repeated is not None
    wilson = proportion_confint(single.right, single.items, method="wilson")
    assert (single.wilson_low, single.wilson_high) == pytest.approx(wilson)
    assert repeated.repeats is not None
    assert len(repeated.pass_hat) == 3
    assert repeated.pass_hat[2] < repeated.pass_hat[0]


@pytest.mark.slow
def test_failed_attempts_are_shown_under_both_policies(rng: np.random.Generator) -> None:
    board, results = made_up(rng, 6)
    status = results.status.copy()
    status[0, :7] = STATUSES.index("error")
    failing = replace(results, status=status)

    found = findings.of_items(board, failing)

    line = next(row.line for row in found.models if row.model == "m00")
    assert line is not None
    assert line.errors_matter
    assert "Failed attempts as zero, left out" in markdown(writing.section(found))
    assert found.items == 400
    assert findings.of_items(board, failing, Known(errors="exclude")).items == 393


@pytest.mark.slow
def test_declared_tries_and_label_errors_enter_selection_and_ceiling(rng: np.random.Generator) -> None:
    known = Known(card=Card("b", label_error_rate=0.1, options=4.0), tries=20)

    found = findings.of_items(*made_up(rng), known)

    assert found.selection is not None
    assert found.saturation is not None
    assert (found.selection.tries, found.saturation.ceiling, found.ceiling_known) == (20, 0.9, True)
    assert found.selection.inflation is not None
    assert found.selection.inflation > 0


def test_ranks_that_tests_leave_open_hold_the_true_rank() -> None:
    board = Measure(tuple("abcde"), np.array([500.0, 400, 300, 200, 199]), np.eye(5))

    ranks = arena_ranks(pair_table(board, board), board.models)

    assert ranks == {"a": (1, 1), "b": (2, 2), "c": (3, 3), "d": (4, 5), "e": (4, 5)}


def test_few_voters_leave_more_ranks_open() -> None:
    board = Measure(tuple("abcde"), np.array([5.0, 4, 3, 2, 1]) * 4, np.eye(5))
    few = replace(board, freedom=np.full(5, 3.0))

    sure, unsure = (arena_ranks(pair_table(one, one), one.models)["c"] for one in (board, few))

    assert sure == (2, 4) or sure == (3, 3)
    assert unsure[1] - unsure[0] > sure[1] - sure[0]


def test_the_boards_own_numbers_and_limits_are_shown(rng: np.random.Generator) -> None:
    votes = of_voters(
        [
            (a, b, word, 9)
            for a in "abcdef"
            for b in "abcdef"
            if a < b
            for word in ("model_a", "model_b", "tie")
        ]
        + [("a", b, "model_a", 6) for b in "bcdef"],
        voters=60,
    )
    plan = Plan(rounds=0, anchor=("b", 1234.0))

    board, shown = measures.arena(analyse(votes, plan)), {row.model: row for row in rank(votes, plan).models}

    for at, name in enumerate(board.models):
        assert board.values[at] == pytest.approx(shown[name].rating, abs=1e-9)
        assert board.limits(at) == (pytest.approx(shown[name].low), pytest.approx(shown[name].high))


def test_items_of_one_group_are_taken_as_independent_and_said_to_be(rng: np.random.Generator) -> None:
    board, results = made_up(rng, 6)
    one = replace(results, groups=(("only",),) * 400)

    found = findings.of_items(board, one)

    assert any("one group" in note for note in found.notes)
    assert found.association.reliability_benchmark is not None


def test_prompts_that_are_items_are_named_with_their_votes() -> None:
    item = "Natalia sold clips to forty eight of her friends in April and then half as many in May"
    votes = VoteTable.of(
        [Vote(str(n), "a", "b", Outcome.A, voter=str(n), prompt="p1" if n < 3 else "p2") for n in range(5)]
    )

    found = shared_texts(
        {"p1": f"Please solve: {item}!", "p2": "Write a poem about a heron"}, {"q9": item}, votes
    )

    assert [(hit.prompt, hit.item) for hit in found.hits] == [("p1", "q9")]
    assert (found.votes, found.votes_known) == (3, 5)


def test_a_model_that_has_no_items_in_common_is_named(rng: np.random.Generator) -> None:
    board, results = made_up(rng, 6)
    status = results.status.copy()
    status[2, 1:] = STATUSES.index("not_run")

    with pytest.raises(NoData, match=r"1 items were answered by all 6 .* fewest has m02: 1 of 400"):
        findings.of_items(board, replace(results, status=status))


def test_too_few_shared_models_are_refused() -> None:
    with pytest.raises(NoData, match="5 are needed"):
        findings.of_scores(Measure(("a", "b"), np.array([1.0, 2.0]), np.eye(2)), "x", {"a": 1, "b": 2})


def test_everything_can_be_written_as_strict_json(rng: np.random.Generator) -> None:
    board, results = made_up(rng, 6)
    others = {"o": {f"m{k:02}": float(k % 4) for k in range(6)}}

    found = findings.of_items(board, results, Known(others=others))

    assert json.loads(json.dumps(to_plain(found), allow_nan=False))["benchmark"] == "b"
