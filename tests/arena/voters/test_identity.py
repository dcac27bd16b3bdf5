"""Names of visitors and networks that lead to nobody; sessions that do not choose as others do."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from arena.voters.identity import address_hash, address_prefix, flagged, likelihood_p, visitor_hash

SECRET, OTHER = "s" * 40, "t" * 40


@pytest.mark.parametrize(
    ("address", "prefix"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        (" 203.0.113.1 ", "203.0.113.0/24"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("192.0.2.77:4711", "192.0.2.0/24"),
        ("[2001:db8:1:2:3::4]:443", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2:3::4]", "2001:db8:1:2::/64"),
        ("[]:1", "unknown"),
        ("1.2.3.4:99999999", "unknown"),
        ("", "unknown"),
        ("not an address", "unknown"),
    ],
)
def test_one_household_is_one_network(address: str, prefix: str) -> None:
    assert address_prefix(address) == prefix


def test_a_visitor_keeps_his_name_and_a_network_has_a_new_one_each_day() -> None:
    days = [address_hash(SECRET, "203.0.113.77", day) for day in ("2025-06-15", "2025-06-16")]

    assert visitor_hash(SECRET, "cookie") == visitor_hash(SECRET, "cookie")
    assert len({*days, address_hash(OTHER, "203.0.113.77", "2025-06-15")}) == 3
    assert days[0] == address_hash(SECRET, "203.0.113.9", "2025-06-15")


def test_without_the_secret_a_name_cannot_be_made_again() -> None:
    names = {visitor_hash(SECRET, "cookie"), visitor_hash(OTHER, "cookie"), visitor_hash(SECRET, "cookie2")}

    assert len(names) == 3
    assert all(len(name) == 24 and int(name, 16) >= 0 for name in names)
    assert visitor_hash(SECRET, "x") != address_hash(SECRET, "x", "")


def test_a_single_vote_has_its_own_probability_as_p_value(rng: np.random.Generator) -> None:
    likely, unlikely = (likelihood_p(np.array([[0.9, 0.1]]), np.array([c]), rng) for c in (0, 1))

    assert likely == 1.0
    assert unlikely == pytest.approx(0.1, abs=0.01)


@pytest.mark.slow
def test_p_values_of_honest_sessions_are_uniform(rng: np.random.Generator) -> None:
    """Share below .05 within four standard errors of .05."""
    p = np.column_stack([ones := np.full(30, 0.3), ones, 1 - 2 * ones])
    chosen = [np.array([rng.choice(3, p=row) for row in p]) for _ in range(400)]

    found = np.array([likelihood_p(p, session, rng, draws=400) for session in chosen])

    assert abs(np.mean(found < 0.05) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 400) + 0.01


def test_fifty_votes_for_the_underdog_stand_out(rng: np.random.Generator) -> None:
    p = np.tile([0.7, 0.3], (50, 1))

    assert likelihood_p(p, np.ones(50, dtype=np.intp), rng) < 0.001


@pytest.mark.shared
def test_the_one_session_for_the_weakest_model_is_flagged(shared: Path) -> None:
    """Case r10: u99 p = 0.00005, the smallest honest p = 0.206 (20,000 draws, a fit without the session)."""
    with (shared / "cases" / "r10_anomalous_voter.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    models = sorted({row["model_a"] for row in rows})
    sessions = defaultdict(list)
    for row in rows:
        pair = (models.index(row["model_a"]), models.index(row["model_b"]))
        sessions[row["session_id"]].append((*pair, int(row["winner"] == "model_b")))

    p_values = {}
    for name, votes in sessions.items():
        others = np.array([vote for other in sessions if other != name for vote in sessions[other]])
        theta = fitted(others, len(models))
        a, b, chosen = np.array(votes).T
        p_a = 1 / (1 + np.exp(theta[b] - theta[a]))
        p_values[name] = likelihood_p(np.column_stack([p_a, 1 - p_a]), chosen, np.random.default_rng(7))

    assert p_values["u99"] == pytest.approx(0.00005, abs=1e-6)
    assert min(p for name, p in p_values.items() if name != "u99") == pytest.approx(0.206, abs=0.02)
    assert flagged(p_values) == ["u99"]


def fitted(votes: np.ndarray, models: int) -> np.ndarray:
    """Bradley-Terry by a general minimiser."""
    a, b, lost = votes.T

    def cost(theta: np.ndarray) -> float:
        return float(np.logaddexp(0, np.where(lost, 1, -1) * (theta[a] - theta[b])).sum() + theta.sum() ** 2)

    return minimize(cost, np.zeros(models), method="BFGS").x
