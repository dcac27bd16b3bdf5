"""Limits per network address: shared by workers, blind to forged headers, closed when they cannot be counted."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.store.store import Store
from tests.web.conftest import MakeApp, options_for
from web import limits


def statuses(client: FlaskClient, count: int, **kwargs: Any) -> list[int]:
    return [client.post("/api/v1/battles", **kwargs).status_code for _ in range(count)]


@pytest.mark.slow
def test_battles_are_limited_whatever_the_client_claims(make_app: MakeApp) -> None:
    client = make_app(battles_per_minute=60).test_client()

    seen = [
        client.post("/api/v1/battles", headers={"X-Forwarded-For": f"203.0.113.{n}"}).status_code
        for n in range(70)
    ]

    assert seen == [201] * 60 + [429] * 10


@pytest.mark.parametrize("path", ["/", "/api/v1/battles"])
def test_a_refusal_says_when_to_come_back(make_app: MakeApp, path: str) -> None:
    client = make_app(battles_per_minute=1).test_client()
    client.post("/api/v1/battles")

    answer = client.get(path) if path == "/" else client.post(path)

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert "limit" in answer.text
    assert "choice" not in answer.text  # nothing was chosen


def test_page_and_json_share_one_count(make_app: MakeApp) -> None:
    client = make_app(battles_per_minute=4).test_client()
    seen = [client.get("/").status_code, *statuses(client, 2), client.get("/").status_code]

    answers = [client.get("/").status_code, *statuses(client, 1)]

    assert seen == [200, 201, 201, 200]
    assert answers == [429, 429]


def test_two_workers_share_one_count(make_app: MakeApp) -> None:
    one, other = (make_app(battles_per_minute=10).test_client() for _ in range(2))

    seen = statuses(one, 6) + statuses(other, 6)

    assert seen == [201] * 10 + [429] * 2


def test_votes_have_their_own_limit_and_keep_the_choice(make_app: MakeApp, store: Store) -> None:
    client = make_app(votes_per_minute=1).test_client()
    first = client.post("/api/v1/battles").get_json()
    form = {"battle_id": first["battle_id"], "csrf_token": first["csrf_token"], "choice": "both_bad"}
    client.post("/vote", data=form)

    answer = client.post("/vote", data=form)

    assert answer.status_code == 429
    assert 'name="choice" value="both_bad"' in answer.text
    assert "Your choice is kept" in answer.text


def test_with_one_trusted_proxy_the_last_entry_is_the_caller(make_app: MakeApp) -> None:
    client = make_app(battles_per_minute=3, trusted_proxies=1).test_client()

    forged = [
        statuses(client, 1, headers={"X-Forwarded-For": f"203.0.113.{n}, 198.51.100.1"})[0] for n in range(4)
    ]
    other = statuses(client, 1, headers={"X-Forwarded-For": "198.51.100.1, 198.51.100.2"})

    assert forged == [201, 201, 201, 429]
    assert other == [201]


def test_a_household_counts_once_in_ipv6() -> None:
    def name(peer: str) -> str:
        return limits.keyed("s" * 40, "2026-01-01", peer)

    assert name("2001:db8:1:2::1") == name("2001:db8:1:2:ffff::9")
    assert name("2001:db8:1:2::1") != name("2001:db8:1:3::1")
    assert name("192.0.2.1") != name("192.0.2.2")
    assert name("::ffff:192.0.2.1") == name("192.0.2.1")


def test_the_stored_name_of_an_address_changes_every_day_and_hides_it(
    make_app: MakeApp, store: Store
) -> None:
    make_app().test_client().post("/api/v1/battles", environ_overrides={"REMOTE_ADDR": "198.51.100.77"})

    keys = b" ".join(store.client.redis.keys("*"))

    assert b"198.51.100" not in keys
    assert limits.keyed("s" * 40, "2026-01-01", "192.0.2.1") != limits.keyed(
        "s" * 40, "2026-01-02", "192.0.2.1"
    )


def test_every_limited_view_exists(make_app: MakeApp, store: Store) -> None:
    assert set(limits.table(options_for(store))) <= set(make_app().view_functions)


def test_a_class_behind_one_address_is_not_one_visitor(make_app: MakeApp) -> None:
    app = make_app(battles_per_visitor_minute=2, battles_per_minute=20)
    fast, other = app.test_client(), app.test_client()

    assert statuses(fast, 5) == [201] * 3 + [429] * 2  # the first brought no cookie yet
    assert statuses(other, 2) == [201] * 2


def test_a_visitor_without_cookies_meets_the_limit_of_his_address(make_app: MakeApp) -> None:
    app = make_app(battles_per_visitor_minute=2, battles_per_minute=5)

    seen = [statuses(app.test_client(), 1)[0] for _ in range(7)]

    assert seen == [201] * 5 + [429] * 2
