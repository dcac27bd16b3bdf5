"""The battle page and the vote form: one vote, blind before it, names after it, and what a second try gets."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.bank.bank import Bank
from arena.store.store import Store
from arena.votes import Outcome
from ratings.releases import storage
from ratings.releases.release import View
from tests.conftest import FixedClock
from tests.web import boards
from tests.web.conftest import ROSTER, MakeApp

NAMES = [model.name for model in ROSTER]


def form_of(page: TestResponse) -> dict[str, str]:
    """The hidden fields of the vote form."""
    found = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text))
    assert set(found) == {"csrf_token", "battle_id"}
    return found


def test_the_page_shows_a_prompt_and_two_answers_in_a_form(client: FlaskClient) -> None:
    page = client.get("/")

    assert page.status_code == 200
    assert page.text.count('<div class="text" dir="auto"') == 3
    assert re.findall(r'name="choice" value="(\w+)"', page.text) == ["a", "b", "tie", "both_bad"]


def test_a_reload_shows_the_same_battle(client: FlaskClient) -> None:
    first, second = client.get("/"), client.get("/")

    assert form_of(first)["battle_id"] == form_of(second)["battle_id"]
    assert first.headers.getlist("Set-Cookie")
    assert not second.headers.getlist("Set-Cookie")


def test_a_vote_is_stored_once_and_leads_to_the_names(client: FlaskClient, store: Store) -> None:
    form = form_of(client.get("/"))

    answer = client.post("/vote", data={**form, "choice": "a"})
    page = client.get(answer.headers["Location"])

    assert answer.status_code == 303
    assert [vote.outcome for _, vote in store.votes.read()] == [Outcome.A]
    assert sum(name in page.text for name in NAMES) == 2
    assert sum(name in answer.text for name in NAMES) == 2
    assert "Answer A is better" in page.text
    assert "counts" in page.text


@pytest.mark.slow
@pytest.mark.parametrize("second", ["b", "tie", "a"])
def test_a_second_choice_is_told_the_first(client: FlaskClient, store: Store, second: str) -> None:
    form = form_of(client.get("/"))
    client.post("/vote", data={**form, "choice": "a"})

    answer = client.post("/vote", data={**form, "choice": second}, follow_redirects=True)

    assert answer.status_code == 200
    assert "Answer A is better" in answer.text
    assert ("You had voted already" in answer.text) == (second != "a")
    assert [vote.outcome for _, vote in store.votes.read()] == [Outcome.A]


@pytest.mark.slow
def test_thirty_two_posts_at_once_store_one_vote(app: Flask, store: Store) -> None:
    client = app.test_client()
    form = form_of(client.get("/"))
    cookie = client.get_cookie("arena")
    assert cookie is not None

    def post(number: int) -> int:
        other = app.test_client()
        other.set_cookie("arena", cookie.value)
        choice = ("a", "b", "tie", "both_bad")[number % 4]
        return other.post("/vote", data={**form, "choice": choice}).status_code

    with ThreadPoolExecutor(16) as pool:
        statuses = set(pool.map(post, range(32)))

    assert statuses == {303}
    assert store.votes.count() == len(store.votes.read()) == 1


def test_a_made_up_battle_is_refused_whatever_names_come_with_it(client: FlaskClient, store: Store) -> None:
    form = form_of(client.get("/"))
    made_up = {
        **form,
        "battle_id": "6d6164652d75702d626174746c652d31",
        "model_a": NAMES[0],
        "model_b": NAMES[1],
        "choice": "a",
    }

    answer = client.post("/vote", data=made_up)

    assert answer.status_code == 404
    assert store.votes.count() == 0


def test_nobody_votes_on_the_battle_of_another(app: Flask, store: Store) -> None:
    one, other = app.test_client(), app.test_client()
    battle = form_of(one.get("/"))["battle_id"]
    form = form_of(other.get("/"))

    answer = other.post("/vote", data={**form, "battle_id": battle, "choice": "b"})
    seen = other.get(f"/battles/{battle}")

    assert (answer.status_code, seen.status_code) == (404, 404)
    assert store.votes.count() == 0


def test_names_are_shown_to_the_voter_alone(app: Flask, store: Store) -> None:
    one, other = app.test_client(), app.test_client()
    form = form_of(one.get("/"))
    where = one.post("/vote", data={**form, "choice": "tie"}).headers["Location"]
    other.get("/")

    assert one.get(where).status_code == 200
    assert other.get(where).status_code == 404
    assert app.test_client().get(where).status_code == 404


def test_before_the_vote_the_page_of_the_names_leads_back(client: FlaskClient) -> None:
    battle = form_of(client.get("/"))["battle_id"]

    answer = client.get(f"/battles/{battle}")

    assert (answer.status_code, answer.headers["Location"]) == (303, "/")


def test_a_skip_is_counted_and_brings_another_battle(client: FlaskClient, store: Store) -> None:
    form = form_of(client.get("/"))

    answer = client.post("/skip", data=form)
    other = form_of(client.get("/"))

    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert other["battle_id"] != form["battle_id"]
    assert (store.admin.counts()["skips"], store.votes.count()) == (1, 0)


def test_a_vote_after_the_end_is_not_stored(client: FlaskClient, store: Store, clock: FixedClock) -> None:
    form = form_of(client.get("/"))
    clock.advance(3601)

    answer = client.post("/vote", data={**form, "choice": "a"})

    assert answer.status_code == 410
    assert "New battle" in answer.text
    assert store.votes.count() == 0


@pytest.mark.slow
def test_a_vote_that_does_not_count_says_why(client: FlaskClient, store: Store, clock: FixedClock) -> None:
    form = form_of(client.get("/"))
    client.post("/vote", data={**form, "choice": "a"})
    voter = store.votes.read()[0][1].voter
    assert voter is not None
    store.moderation.quarantine(voter, why="test", at=clock.now, by="test")

    form = form_of(client.get("/"))
    page = client.post("/vote", data={**form, "choice": "a"}, follow_redirects=True)

    assert "does not count: votes of this visitor are set aside for review" in page.text


def test_ranks_stand_beside_the_names(client: FlaskClient, release: Any) -> None:
    form = form_of(client.get("/"))

    page = client.post("/vote", data={**form, "choice": "b"}, follow_redirects=True)

    assert page.text.count("<dt>Rank</dt>") == 2
    assert "/pairs/" in page.text


def test_a_rating_without_a_rank_says_why(client: FlaskClient, store: Store) -> None:
    made = boards.example_release()
    lines = tuple(replace(line, rank=None, rating=1000.0, why="too few voters") for line in boards.LINES)
    arena = replace(made.boards[0], views=(View("plain", boards.leaderboard(lines), boards.CHARTS),))
    fence = store.locks.take("refresh", 60)
    assert fence is not None
    assert storage.publish(store.releases, replace(made, boards=(arena, *made.boards[1:])), fence)

    page = client.post("/vote", data={**form_of(client.get("/")), "choice": "b"}, follow_redirects=True)

    assert page.text.count("Not ranked: too few voters") == 2


@pytest.mark.slow
def test_an_empty_bank_says_what_is_missing(make_app: MakeApp) -> None:
    page = make_app(Bank()).test_client().get("/")

    assert page.status_code == 503
    assert "bank import" in page.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"choice": "model_c"},
        {"choice": ""},
        {"choice": "A"},
        {"choice": "a" * 5000},
        {"choice": "a\0"},
        {"choice": ["a", "b"]},
        {"battle_id": "\0"},
        {"battle_id": "x" * 5000},
        {"battle_id": ""},
        {"battle_id": ["x", "y"]},
        {"battle_id": "ünï\ud83d"},
        {"csrf_token": ["x", "y"]},
    ],
    ids=str,
)
def test_bad_fields_are_refused(client: FlaskClient, store: Store, change: dict[str, Any]) -> None:
    form = {**form_of(client.get("/")), "choice": "a", **change}
    body = "&".join(
        f"{name}={quoted(value)}"
        for name, values in form.items()
        for value in (values if isinstance(values, list) else [values])
    )

    answer = client.post("/vote", data=body, content_type="application/x-www-form-urlencoded")

    assert 400 <= answer.status_code < 500
    assert store.votes.count() == 0


def quoted(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"))
