"""The judge's board beside people's: simulated tastes recovered, scale told from taste, LLMFAO's people beside its GPT-4."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.__main__ import main
from ratings.diagnostics import judges
from ratings.diagnostics.judge_board import beside
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse
from ratings.scale import ELO
from tests.ratings.diagnostics.test_judges import llmfao

MODELS = tuple(f"m{n:02}" for n in range(12))
PROMPTS = tuple(f"q{n:02}" for n in range(10))
OVERRATED = 120 / ELO


def cast(theta: np.ndarray, rng: np.random.Generator, times: int, voters: int) -> VoteTable:
    """Every pair on every prompt, judged `times` times by a Bradley-Terry crowd of strengths `theta`."""
    battles = [(*pair, prompt) for pair in combinations(range(len(theta)), 2) for prompt in PROMPTS] * times
    won = rng.random(len(battles)) < 1 / (1 + np.exp([theta[b] - theta[a] for a, b, _ in battles]))
    return VoteTable.of(
        Vote(
            str(n), MODELS[a], MODELS[b], Outcome.A if first else Outcome.B, prompt=prompt,
            voter=f"v{rng.integers(voters)}" if voters else None,
        )
        for n, ((a, b, prompt), first) in enumerate(zip(battles, won, strict=True))
    )  # fmt: skip


def test_a_model_that_the_judge_over_rates_is_found_and_its_scale_is_not_blamed() -> None:
    rng = np.random.default_rng(7)
    theta = rng.normal(0, 0.5, len(MODELS))
    opinion = 2.5 * theta
    opinion[4] += 2.5 * OVERRATED

    found = beside(cast(theta, rng, 6, 150), cast(opinion, rng, 1, 0))

    assert found.spread == pytest.approx(2.5, rel=0.25)
    over = [row for row in found.models if row.verdict == "over"]
    assert [row.model for row in over] == ["m04"]
    assert over[0].low < 120 < over[0].high
    assert found.pearson is not None
    assert found.disattenuated is not None
    assert found.disattenuated >= found.pearson > 0.7


@pytest.mark.slow
def test_a_judge_who_is_one_more_of_the_people_differs_on_nothing() -> None:
    """False alarms at 5 % over 5 boards of 12 models: 3 expected, 9 or more with probability below 1 %."""
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(5):
        theta = rng.normal(0, 0.5, len(MODELS))
        found = beside(cast(theta, rng, 3, 60), cast(2 * theta, rng, 1, 0))
        alarms += sum(row.p < 0.05 for row in found.models)

    assert alarms <= 8


def test_the_ratings_are_those_of_the_engine_around_the_mean_of_the_shared_models() -> None:
    rng = np.random.default_rng(7)
    people = cast(rng.normal(0, 0.5, len(MODELS)), rng, 2, 40)
    found = beside(people, cast(rng.normal(0, 0.5, len(MODELS)), rng, 1, 0))

    part = analyse(people, Plan(rounds=0)).parts[0]
    rating = {row.model: row.people_rating for row in found.models}
    assert rating["m00"] - rating["m07"] == pytest.approx(ELO * (part.fit.theta[0] - part.fit.theta[7]))
    assert np.mean(list(rating.values())) == pytest.approx(1000)
    assert all(row.people_low < row.people_rating < row.people_high for row in found.models)


def test_too_few_voters_are_a_reason_and_no_board() -> None:
    votes = cast(np.zeros(3), np.random.default_rng(7), 1, 2)

    with pytest.raises(NoData, match="too few"):
        beside(votes, votes)
    assert "too few" in str(judges.against(votes, votes).board_why)


@pytest.mark.parametrize("as_", ["json", "table", "markdown"])
def test_the_command_sets_both_boards_side_by_side(tmp_path: Path, as_: str) -> None:
    rng = np.random.default_rng(7)
    for name, voters in (("people", 20), ("judge", 0)):
        table = cast(np.array([0.3, 0.0, -0.3]), rng, 3, voters)
        lines = [
            f"{table.models[a]},{table.models[b]},{Outcome(o).word},q{prompt},{voter}"
            for a, b, o, prompt, voter in zip(
                table.a, table.b, table.outcome, table.prompt, table.voter, strict=True
            )
        ]
        text = "\n".join(["model_a,model_b,winner,prompt,voter", *lines])
        (tmp_path / f"{name}.csv").write_text(text.replace(",-1", ","), encoding="utf-8")

    done = CliRunner().invoke(
        main, ["judges", str(tmp_path / "judge.csv"), "--votes", str(tmp_path / "people.csv"), "--as", as_]
    )

    assert done.exit_code == 0, done.output
    if as_ == "json":
        assert len(json.loads(done.stdout, parse_constant=pytest.fail)["board"]["models"]) == 3
    else:
        assert "People: rank" in done.stdout


@pytest.mark.shared
def test_llmfaos_two_boards_stand_side_by_side(shared: Path) -> None:
    folder = shared / "data" / "llmfao"
    people, judge = (llmfao(folder / f"{name}crowd-comparisons.csv") for name in ("", "gpt4-"))

    found = judges.against(people, judge).board

    assert found is not None
    assert len(found.models) == 59
    assert found.spearman is not None
    assert 0.5 < found.spearman < 0.95
    verdicts = {row.model: row.verdict for row in found.models}
    assert verdicts["GPT 3.5 Turbo"] == "over"
