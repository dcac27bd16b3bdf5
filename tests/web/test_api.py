"""The JSON routes: what the OpenAPI document promises, and errors as problem+json with stable codes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from arena.store.store import Store
from arena.votes import Outcome
from ratings.releases.release import Release
from tests.conftest import FixedClock
from tests.web.conftest import ROSTER, MakeApp

Json = dict[str, Any]


def cast(client: FlaskClient, battle: Json, choice: str, **headers: str) -> Any:
    path = f"/api/v1/battles/{battle['battle_id']}/vote"
    return client.post(
        path, json={"choice": choice}, headers={"X-CSRF-Token": battle["csrf_token"], **headers}
    )


def matches(document: Json, schema: str, body: Json) -> None:
    """Raise unless `body` is what the document says of `schema`."""
    Draft202012Validator(
        {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    ).validate(body)


def test_a_whole_visit_in_json(client: FlaskClient, store: Store) -> None:
    battle = client.post("/api/v1/battles").get_json()
    again = client.post("/api/v1/battles").get_json()
    before = client.get(f"/api/v1/battles/{battle['battle_id']}").get_json()
    receipt = cast(client, battle, "both_bad").get_json()
    after = client.get(f"/api/v1/battles/{battle['battle_id']}").get_json()

    assert again["battle_id"] == battle["battle_id"]
    assert before["vote"] is None
    assert (receipt["choice"], receipt["first"], receipt["counted"]) == ("both_bad", True, True)
    assert after["vote"]["model_a"] == receipt["model_a"] in {model.name for model in ROSTER}
    assert [vote.outcome for _, vote in store.votes.read()] == [Outcome.BOTH_BAD]


def test_a_battle_comes_as_events_too(client: FlaskClient, app: Flask, battle: Json) -> None:
    path = f"/api/v1/battles/{battle['battle_id']}/stream"
    answer = client.get(path)

    events = [
        dict(line.split(": ", 1) for line in event.splitlines()) for event in answer.text.split("\n\n")[:-1]
    ]
    data = [json.loads(event["data"]) for event in events]

    assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert [event["event"] for event in events] == ["prompt", "answer", "answer", "done"]
    assert data[1] == {"side": "a", "text": battle["answer_a"], "html": battle["answer_a_html"]}
    assert (data[2]["side"], data[2]["text"]) == ("b", battle["answer_b"])
    assert client.get(path, headers={"Last-Event-ID": "done"}).status_code == 204
    assert app.test_client().get(path).get_json()["code"] == "no_battle"


def test_the_answers_come_as_typed_and_as_html(battle: Json) -> None:
    assert "* one\n* two" in battle["answer_a"]
    assert "<li>one</li>" in battle["answer_a_html"]
    assert battle["choices"] == ["a", "b", "tie", "both_bad"]


def test_a_repeat_gets_the_first_receipt(client: FlaskClient, battle: Json, store: Store) -> None:
    first = cast(client, battle, "a").get_json()

    repeats = [cast(client, battle, choice).get_json() for choice in ("a", "b", "tie")]

    assert repeats == [{**first, "first": False}] * 3
    assert store.votes.count() == 1


def test_the_token_may_stand_in_the_body(client: FlaskClient, battle: Json) -> None:
    body = {"choice": "tie", "csrf_token": battle["csrf_token"]}

    assert client.post(f"/api/v1/battles/{battle['battle_id']}/vote", json=body).status_code == 200


def test_a_skip(client: FlaskClient, battle: Json, store: Store) -> None:
    headers = {"X-CSRF-Token": battle["csrf_token"]}

    answer = client.post(f"/api/v1/battles/{battle['battle_id']}/skip", headers=headers)

    assert answer.get_json() == {"battle_id": battle["battle_id"], "skipped": True}
    assert cast(client, battle, "a").status_code == 404
    assert store.votes.count() == 0


def test_errors_have_stable_codes(client: FlaskClient, app: Flask, battle: Json, clock: FixedClock) -> None:
    other = app.test_client()
    token = other.post("/api/v1/battles").get_json()["csrf_token"]
    foreign = cast(other, {**battle, "csrf_token": token}, "a")
    unknown = cast(client, {**battle, "battle_id": "f" * 32}, "a")
    word = cast(client, battle, "c")
    unsigned = cast(client, {**battle, "csrf_token": "no"}, "a")
    missing = client.get("/api/v1/nothing")
    method = client.get("/api/v1/battles")
    clock.advance(3600)
    late = cast(client, battle, "a")

    found = [
        (answer.status_code, answer.get_json()["code"])
        for answer in (foreign, unknown, word, unsigned, missing, method, late)
    ]
    assert found == [
        (404, "no_battle"), (404, "no_battle"), (400, "bad_input"), (400, "csrf"), (404, "not_found"),
        (405, "method_not_allowed"), (410, "battle_expired"),
    ]  # fmt: skip


def test_a_problem_says_what_rfc_9457_asks(client: FlaskClient) -> None:
    answer = client.get("/api/v1/leaderboard")

    assert answer.mimetype == "application/problem+json"
    assert set(answer.get_json()) == {"type", "title", "status", "detail", "code"}


def test_a_crash_shows_no_trace(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app()
    monkeypatch.setattr(type(app.extensions["arena.service"]), "open_battle", lambda *_: 1 / 0)
    client = app.test_client()

    page, data = client.get("/"), client.post("/api/v1/battles")

    assert (page.status_code, data.status_code) == (500, 500)
    assert "ZeroDivision" not in page.text + data.text
    assert data.get_json()["code"] == "internal_error"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "schema"),
    [
        ("/leaderboard", "Board"), ("/leaderboard/second", "Board"), ("/leaderboard?style=1", "Board"),
        ("/leaderboard/empty", "Board"), ("/leaderboards", "Boards"), ("/pairs", "Pairs"), ("/pairs/second", "Pairs"),
        ("/models", "Models"), ("/models/plonkette", "Model"), ("/diagnosis", "Diagnosis"), ("/diagnosis/second", "Diagnosis"), ("/snapshots", "Snapshots"), ("/sampling", "Sampling"), ("/changes", "Changes"),
    ],
)  # fmt: skip
def test_answers_are_what_the_document_says(
    client: FlaskClient, release: Release, path: str, schema: str
) -> None:
    document = client.get("/api/v1/openapi.json").get_json()

    answer = client.get(f"/api/v1{path}")

    assert answer.status_code == 200
    matches(document, schema, answer.get_json())


def test_battles_are_what_the_document_says(client: FlaskClient, battle: Json) -> None:
    document = client.get("/api/v1/openapi.json").get_json()

    matches(document, "Battle", battle)
    matches(document, "Receipt", cast(client, battle, "b").get_json())
    matches(document, "Battle", client.get(f"/api/v1/battles/{battle['battle_id']}").get_json())
    matches(document, "Problem", client.get("/api/v1/nope").get_json())


def test_every_json_route_is_in_the_document(app: Flask) -> None:
    document = app.test_client().get("/api/v1/openapi.json").get_json()
    documented = {(path, method.upper()) for path, item in document["paths"].items() for method in item}
    exports = "<any(csv, jsonl, parquet):ending>"

    routes = {
        (rule.rule.replace(exports, "csv").replace("<", "{").replace(">", "}"), method)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/") and rule.endpoint != "api.document"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert len(routes) > 15
    assert routes - documented == set()


def test_pairs_and_history_come_from_the_release(client: FlaskClient, release: Release) -> None:
    pairs = client.get("/api/v1/pairs").get_json()["pairs"]
    history = client.get("/api/v1/snapshots").get_json()["snapshots"]

    assert pairs[0] | {"a": "zorblax-9", "b": "quimby/XL 2", "wins": 11, "losses": 7, "ties": 3, "both_bad": 2} == pairs[0]  # fmt: skip
    assert [point["release"] for point in history] == ["release-2", "release-1", "release-0"]


def test_sampling_probabilities_add_up(client: FlaskClient) -> None:
    body = client.get("/api/v1/sampling").get_json()

    assert len(body["pairs"]) == 3
    assert body["most_of_a_model"] == body["most_of_newcomers_of_a_provider"] == pytest.approx(2.5 / 3)
    assert sum(pair["p"] for pair in body["pairs"]) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_votes_can_be_taken_away_once_they_are_a_day_old(
    client: FlaskClient, battle: Json, clock: FixedClock, ending: str
) -> None:
    cast(client, battle, "tie")
    fresh = client.get(f"/api/v1/export/votes.{ending}", buffered=True)
    clock.advance(86_401)

    old = client.get(f"/api/v1/export/votes.{ending}", buffered=True)

    assert (fresh.status_code, old.status_code) == (200, 200)
    assert battle["battle_id"].encode() not in fresh.data
    # Names of the collection's battles leave the house as pseudonyms only.
    assert battle["battle_id"].encode() not in old.data
    assert len(old.data) > len(fresh.data)
    assert old.headers["Content-Disposition"] == f'attachment; filename="votes.{ending}"'
    assert "ETag" not in old.headers


def test_an_export_of_another_kind_is_not_there(client: FlaskClient) -> None:
    assert client.get("/api/v1/export/votes.xls").status_code == 404
