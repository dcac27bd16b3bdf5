"""The owner's token cannot be guessed by any way in, and a session ends for all its copies."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.store.owner import TRIES_OF_ALL, TRIES_OF_CALLER
from arena.store.store import Store
from tests.web.conftest import OWNER_TOKEN, MakeApp

Guess = Callable[[FlaskClient, str, str], int]


def csrf(client: FlaskClient) -> str:
    return client.get("/admin").text.split('name="csrf_token" value="')[1].split('"')[0]


def by_form(client: FlaskClient, token: str, address: str = "192.0.2.1") -> int:
    form = {"csrf_token": csrf(client), "token": token}
    return client.post("/admin/login", data=form, environ_base={"REMOTE_ADDR": address}).status_code


def by_json(client: FlaskClient, token: str, address: str = "192.0.2.1") -> int:
    sent = {"csrf_token": csrf(client), "token": token}
    return client.post("/admin/login", json=sent, environ_base={"REMOTE_ADDR": address}).status_code


def by_bearer(client: FlaskClient, token: str, address: str = "192.0.2.1") -> int:
    header = {"Authorization": f"Bearer {token}"}
    return client.post("/admin/refresh", headers=header, environ_base={"REMOTE_ADDR": address}).status_code


def by_reading(client: FlaskClient, token: str, address: str = "192.0.2.1") -> int:
    header = {"Authorization": f"Bearer {token}"}
    return client.get("/admin", headers=header, environ_base={"REMOTE_ADDR": address}).status_code


WAYS: tuple[Any, ...] = (by_form, by_json, by_bearer, by_reading)


@pytest.mark.parametrize("way", WAYS)
def test_guessing_stops_at_the_limit_and_is_logged(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, way: Guess
) -> None:
    with caplog.at_level(logging.WARNING):
        statuses = [way(client, f"guess number {n}", "192.0.2.1") for n in range(TRIES_OF_CALLER + 5)]
        right = way(client, OWNER_TOKEN, "192.0.2.1")

    assert statuses == [401] * TRIES_OF_CALLER + [429] * 5
    assert right == 429
    assert caplog.text.count("owner's token refused") == TRIES_OF_CALLER
    assert caplog.text.count("limit of caller reached") == 1
    assert "guess number" not in caplog.text
    assert "192.0.2.1" not in caplog.text


def test_all_ways_share_one_limit(client: FlaskClient) -> None:
    statuses = [WAYS[n % len(WAYS)](client, "a wrong guess") for n in range(TRIES_OF_CALLER + 4)]

    assert statuses == [401] * TRIES_OF_CALLER + [429] * 4


def test_two_web_processes_share_one_limit(make_app: MakeApp) -> None:
    one, other = make_app().test_client(), make_app().test_client()

    statuses = [by_bearer((one, other)[n % 2], "a wrong guess") for n in range(TRIES_OF_CALLER + 2)]

    assert statuses == [401] * TRIES_OF_CALLER + [429] * 2


def test_tries_at_once_do_not_slip_past(store: Store) -> None:
    with ThreadPoolExecutor(16) as pool:
        verdicts = list(pool.map(lambda _: store.owner.try_token("caller", False).verdict, range(64)))

    assert verdicts.count("wrong") == TRIES_OF_CALLER


def test_many_addresses_stop_at_the_limit_of_all_but_the_owner_goes_on(client: FlaskClient) -> None:
    before = by_bearer(client, OWNER_TOKEN, "198.51.100.7")
    guesses = [by_bearer(client, "a wrong guess", f"203.0.113.{n}") for n in range(TRIES_OF_ALL + 5)]

    assert before == 303
    assert guesses == [401] * TRIES_OF_ALL + [429] * 5
    assert by_bearer(client, OWNER_TOKEN, "203.0.113.250") == 429  # right, but never seen before
    assert by_bearer(client, OWNER_TOKEN, "198.51.100.7") == 303


def test_a_session_passes_beyond_every_limit(client: FlaskClient, make_app: MakeApp) -> None:
    by_form(client, OWNER_TOKEN)
    stranger = make_app().test_client()
    for n in range(TRIES_OF_CALLER + TRIES_OF_ALL):
        by_bearer(stranger, "a wrong guess", f"203.0.113.{n}" if n % 2 else "192.0.2.1")

    assert by_bearer(stranger, OWNER_TOKEN) == 429
    assert client.get("/admin", environ_base={"REMOTE_ADDR": "192.0.2.1"}).text.count("Sign out") == 1


def test_right_tokens_use_nothing_up(client: FlaskClient) -> None:
    assert {by_bearer(client, OWNER_TOKEN) for _ in range(TRIES_OF_CALLER * 3)} == {303}


def test_an_ipv6_network_is_one_address(client: FlaskClient) -> None:
    statuses = [
        by_bearer(client, "a wrong guess", f"2001:db8:1:2::{n:x}") for n in range(1, TRIES_OF_CALLER + 3)
    ]

    assert statuses == [401] * TRIES_OF_CALLER + [429] * 2


@pytest.mark.parametrize(("proxies", "last"), [(0, 429), (1, 429)])
def test_a_forged_forward_header_gives_no_new_address(make_app: MakeApp, proxies: int, last: int) -> None:
    client = make_app(trusted_proxies=proxies).test_client()
    statuses = [
        client.post(
            "/admin/refresh",
            headers={"Authorization": "Bearer a wrong guess", "X-Forwarded-For": f"10.9.8.{n}, 192.0.2.1"},
        ).status_code
        for n in range(TRIES_OF_CALLER + 1)
    ]

    assert statuses[-1] == last


@pytest.mark.parametrize(
    "sent",
    [
        {"headers": {"Authorization": f"Basic {OWNER_TOKEN}"}},
        {"headers": {"X-Admin-Token": OWNER_TOKEN}},
        {"query_string": {"token": OWNER_TOKEN}},
        {"headers": {"Cookie": f"arena={OWNER_TOKEN}; admin={OWNER_TOKEN}"}},
    ],
)
def test_nothing_else_carries_the_token(client: FlaskClient, sent: dict[str, Any]) -> None:
    assert "Sign out" not in client.get("/admin", **sent).text


def test_signing_out_ends_every_copy_of_the_session(client: FlaskClient, make_app: MakeApp) -> None:
    by_form(client, OWNER_TOKEN)
    cookie = client.get_cookie("arena")
    assert cookie is not None
    copy = make_app().test_client()
    copy.set_cookie("arena", cookie.value)
    before = copy.get("/admin").text

    client.post("/admin/logout", data={"csrf_token": csrf(client)})

    assert "Sign out" in before
    assert "Sign out" not in copy.get("/admin").text


def test_forgetting_ends_every_copy_of_the_session(client: FlaskClient, make_app: MakeApp) -> None:
    by_form(client, OWNER_TOKEN)
    cookie = client.get_cookie("arena")
    assert cookie is not None
    copy = make_app().test_client()
    copy.set_cookie("arena", cookie.value)
    before = copy.get("/admin").text

    answer = client.post("/me/forget", data={"csrf_token": csrf(client)})

    assert answer.status_code == 303
    assert "Sign out" in before
    assert "Sign out" not in copy.get("/admin").text


def test_a_backup_holds_no_session(client: FlaskClient, store: Store) -> None:
    by_form(client, OWNER_TOKEN)

    assert not [key for _, key, _ in store.admin.dump() if "owner" in key]
    assert [key for key in store.client.keys("arena:") if "owner:session:" in key]
