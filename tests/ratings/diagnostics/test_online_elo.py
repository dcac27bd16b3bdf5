"""Online Elo against a hand-worked example; held-out losses against a simulated truth and a peer."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from sklearn.metrics import log_loss

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.diagnostics import online_elo
from ratings.diagnostics.held_out import held_out
from ratings.leaderboard import Plan


def table(*votes: tuple[str, str, Outcome, float | None]) -> VoteTable:
    return VoteTable.of(
        Vote(str(at), a, b, outcome, at=when) for at, (a, b, outcome, when) in enumerate(votes)
    )


def test_elo_moves_by_k_times_the_surprise() -> None:
    votes = table(("heron", "wren", Outcome.A, 1.0), ("heron", "wren", Outcome.B, 2.0))

    heron, wren = online_elo.online(votes, k_factor=32.0)

    # After the first: 1016 and 984. Then 32 * 1 / (1 + 10 ** (-32 / 400)) = 17.4695 go the other way.
    assert heron == pytest.approx(1016 - 17.4695, abs=1e-3)
    assert heron + wren == pytest.approx(2000)


def test_elo_follows_time_not_rows_and_so_depends_on_order() -> None:
    votes = table(("heron", "wren", Outcome.B, 2.0), ("heron", "wren", Outcome.A, 1.0))
    turned = table(("heron", "wren", Outcome.B, 1.0), ("heron", "wren", Outcome.A, 2.0))

    assert online_elo.online(votes)[0] < 1000 < online_elo.online(turned)[0]


def test_a_row_of_many_equal_votes_counts_each() -> None:
    one_row = VoteTable.of([Vote("1", "heron", "wren", Outcome.A, count=3)])
    rows = table(*[("heron", "wren", Outcome.A, None)] * 3)

    assert online_elo.online(one_row) == pytest.approx(online_elo.online(rows))


def crowd(rng: np.random.Generator, gap: float, voters: int = 200, votes: int = 10) -> VoteTable:
    """Votes of people who prefer heron to wren, wren to lark by the same `gap` of log-odds."""
    names, strengths = ("heron", "wren", "lark"), (gap, 0.0, -gap)
    made = []
    for number in range(voters * votes):
        a, b = rng.choice(3, 2, replace=False)
        wins = rng.random() < 1 / (1 + np.exp(strengths[b] - strengths[a]))
        outcome = Outcome.A if wins else Outcome.B
        made.append(Vote(str(number), names[a], names[b], outcome, voter=str(number % voters)))
    return VoteTable.of(made)


def test_a_real_difference_beats_the_coin_and_comes_near_the_truth(rng: np.random.Generator) -> None:
    found = held_out(crowd(rng, 1.0), Plan())

    losses = {loss.name: loss for loss in found.losses}
    # The truth's own loss: entropy of the outcome, mean over the three pairs (gaps 1, 1 and 2).
    p = 1 / (1 + np.exp(-np.array([1.0, 1.0, 2.0])))
    truth = float(-(p * np.log(p) + (1 - p) * np.log1p(-p)).mean())
    assert losses["coin"].log_loss == pytest.approx(log(2))
    assert losses["coin"].brier == pytest.approx(0.25)
    assert losses["bradley_terry"].log_loss == pytest.approx(truth, abs=0.03)
    assert losses["bradley_terry"].gain_low > 0
    assert (losses["coin"].gain_low, losses["coin"].gain_high) == (None, None)  # no interval without width
    assert found.votes == 2000
    assert sum(bin.votes for bin in found.calibration) <= 2000
    assert all(abs(bin.predicted - bin.observed) < 0.12 for bin in found.calibration)


def test_no_difference_is_no_better_than_the_coin(rng: np.random.Generator) -> None:
    found = held_out(crowd(rng, 0.0), Plan())

    (plain,) = (loss for loss in found.losses if loss.name == "bradley_terry")
    assert plain.gain_low < 0


def test_the_coin_and_a_peer_agree_on_log_loss() -> None:
    outcomes = [Outcome.A, Outcome.B, Outcome.A, Outcome.A] * 5
    votes = VoteTable.of(
        Vote(str(n), "heron", "wren", outcome, voter=str(n)) for n, outcome in enumerate(outcomes)
    )

    coin = held_out(votes, Plan()).losses[0]

    assert coin.log_loss == pytest.approx(log_loss([1, 0, 1, 1] * 5, [0.5] * 20))


def test_one_voter_cannot_be_held_out() -> None:
    votes = VoteTable.of([Vote("1", "heron", "wren", Outcome.A, voter="v")])

    with pytest.raises(NoData, match="fewer than two voters"):
        held_out(votes, Plan())


def test_votes_of_nobody_are_shared_out_over_the_folds_one_by_one(rng: np.random.Generator) -> None:
    cells = [Vote(f"{o}", "heron", "wren", o, count=n) for o, n in ((Outcome.A, 7000), (Outcome.B, 3000))]

    found = held_out(VoteTable.of(cells), Plan())

    (plain,) = (loss for loss in found.losses if loss.name == "bradley_terry")
    entropy = -(0.7 * log(0.7) + 0.3 * log(0.3))
    half = 1.96 * np.sqrt(0.7 * 0.3) * log(7 / 3) / 100  # sd of the gain is sqrt(pq) |ln(p / q)|
    assert found.voters == 10000
    assert plain.log_loss == pytest.approx(entropy, abs=0.002)
    assert plain.gain_high - plain.gain == pytest.approx(half, rel=0.05)
