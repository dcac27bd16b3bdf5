"""Prompts as items: simulated discriminations recovered, the jackknife against brute force, and the command."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from arena.errors import NoData
from arena.importers.reading import read
from arena.votes import Outcome, Vote, VoteTable
from ratings.__main__ import main
from ratings.diagnostics import item_sums
from ratings.diagnostics.prompt_items import prompt_items
from ratings.leaderboard import Plan

DATA = Path(__file__).resolve().parents[3] / "data"
THETA = np.linspace(1.2, -1.2, 8)


def crowd(slopes: dict[str, float], times: int, rng: np.random.Generator, voters: int = 40) -> VoteTable:
    """Each pair voted on `times` times for each prompt, with the log-odds multiplied by the prompt's slope."""
    return VoteTable.of(
        Vote(
            f"{prompt}-{a}-{b}-{n}", f"m{a}", f"m{b}",
            Outcome.A if rng.random() < 1 / (1 + np.exp(-slope * (THETA[a] - THETA[b]))) else Outcome.B,
            voter=f"v{rng.integers(voters)}", prompt=prompt, categories=("odd",) if slope < 1 else ("plain",),
        )
        for prompt, slope in slopes.items()
        for a, b in combinations(range(len(THETA)), 2)
        for n in range(times)
    )  # fmt: skip


def test_prompts_that_separate_are_told_from_noise_and_from_reversed_ones() -> None:
    slopes = {f"p{n}": 1.0 for n in range(10)} | {"noise": 0.0, "reversed": -1.0}

    found = prompt_items(crowd(slopes, 6, np.random.default_rng(7)), Plan())

    verdicts = {item.name: item.verdict for item in found.prompts}
    assert verdicts == {f"p{n}": "separates" for n in range(10)} | {"noise": "silent", "reversed": "reversed"}
    assert found.prompts[-1].name == "reversed"
    by_name = {item.name: item for item in (*found.prompts, *found.categories)}
    # Reversed and noisy votes flatten the ratings of the others, so that true slopes of 1 look a little steeper.
    assert 0.8 < np.mean([by_name[f"p{n}"].discrimination for n in range(10)]) < 1.6
    assert by_name["plain"].discrimination > by_name["odd"].discrimination  # type: ignore[operator]
    assert found.tested == 12


@pytest.mark.slow
def test_discrimination_is_one_where_all_prompts_follow_one_scale_and_its_interval_covers() -> None:
    found = prompt_items(crowd({f"p{n}": 1.0 for n in range(40)}, 2, np.random.default_rng(7)), Plan())

    inside = [item.low <= 1 <= item.high for item in found.prompts]  # type: ignore[operator]
    assert np.mean([item.discrimination for item in found.prompts]) == pytest.approx(1.0, abs=0.08)
    assert sum(inside) >= 34  # 38 of 40 expected; 33 or fewer with probability .01
    spread = np.std([item.discrimination for item in found.prompts])
    assert np.std([item.shrunk for item in found.prompts]) < spread / 2  # no true spread: shrunk together


def test_votes_without_relation_are_rarely_called_separating() -> None:
    slopes = {f"p{n}": 1.0 for n in range(4)} | {f"q{n}": 0.0 for n in range(40)}

    found = prompt_items(crowd(slopes, 2, np.random.default_rng(7)), Plan())

    assert sum(item.p < 0.05 for item in found.prompts if item.name[0] == "q") <= 6  # type: ignore[operator]


def test_few_votes_are_silent_with_their_counts() -> None:
    votes = [
        Vote(f"{n}", "a", "b", Outcome.A if n % 3 else Outcome.B, voter=f"v{n % 7}", prompt="big")
        for n in range(30)
    ]
    votes += [Vote(f"x{n}", "b", "a", Outcome.TIE, voter=f"v{n}", prompt="small") for n in range(3)]

    found = prompt_items(VoteTable.of(votes), Plan())

    small = next(item for item in found.prompts if item.name == "small")
    assert (small.votes, small.voters, small.tie_share, small.verdict) == (3, 3, 1.0, "silent")
    assert (small.discrimination, small.p) == (None, None)
    assert "fewer than 10" in str(small.why)


def test_disagreement_is_the_share_of_pairs_of_votes_that_differ() -> None:
    """One pair of models: 3 for a (one of them cast from the other side), 1 for b, 1 tie: of 10 pairs of votes 7 differ."""
    said = (("a", "b", Outcome.A), ("a", "b", Outcome.A), ("b", "a", Outcome.B), ("a", "b", Outcome.B), ("a", "b", Outcome.TIE))  # fmt: skip
    table = VoteTable.of(Vote(f"{n}", *one, prompt="p") for n, one in enumerate(said))

    found = item_sums.counts(table, np.arange(5), np.zeros(5, dtype=np.intp), 1)

    assert found["disagreement"][0] == pytest.approx(0.7)
    assert (found["pairs"][0], found["models"][0], found["voters"][0]) == (1, 2, 5)


def test_the_jackknife_is_the_one_by_hand(rng: np.random.Generator) -> None:
    table = VoteTable.of(
        Vote(f"{n}", "a", "b", Outcome.A, voter=f"v{n % 6}" if n < 24 else None, count=1 + (n >= 24))
        for n in range(27)
    )
    x, y = rng.normal(size=27), rng.normal(size=27)

    found = item_sums.jackknife(item_sums.sums(table, np.arange(27), np.zeros(27, dtype=np.intp), 1, x, y))

    who = np.array([*(n % 6 for n in range(24)), 6, 7, 8, 9, 10, 11])
    xs, ys = np.repeat(x, table.count), np.repeat(y, table.count)
    left = np.array([(xs * ys)[who != g].sum() / (ys**2)[who != g].sum() for g in np.unique(who)])
    g = len(left)
    assert found.value[0] == pytest.approx((xs * ys).sum() / (ys**2).sum())
    assert found.error[0] == pytest.approx(np.sqrt((g - 1) / g * ((left - left.mean()) ** 2).sum()))


def test_one_prompt_has_nothing_to_be_held_against() -> None:
    with pytest.raises(NoData, match="two prompts"):
        prompt_items(VoteTable.of([Vote("1", "a", "b", Outcome.A, prompt="p")]), Plan())


@pytest.mark.slow
def test_llmfaos_prompts_are_counted_whole() -> None:
    found = prompt_items(read([DATA / "llmfao" / "votes.csv"]).table, Plan())

    assert (len(found.prompts), sum(item.votes for item in found.prompts)) == (13, 8931)
    # The riddle that nearly all models fail (86 % ties) cannot tell them apart.
    riddle = next(item for item in found.prompts if item.name == "2")
    assert (riddle.verdict, round(riddle.tie_share, 2)) == ("silent", 0.86)


@pytest.mark.parametrize("as_", ["json", "table", "markdown"])
def test_the_command_prints_every_form(tmp_path: Path, as_: str) -> None:
    lines = [f"m{n % 3},m{(n + 1) % 3},{'model_a' if n % 5 else 'tie'},v{n % 9},p{n % 4}" for n in range(80)]
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(["model_a,model_b,winner,voter,prompt", *lines]), encoding="utf-8")

    done = CliRunner().invoke(main, ["prompts", "--votes", str(file), "--as", as_])

    assert done.exit_code == 0, done.output
    assert "nan" not in done.stdout.lower()
    if as_ == "json":
        assert len(json.loads(done.stdout, parse_constant=pytest.fail)["prompts"]) == 4
