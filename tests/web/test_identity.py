"""Blindness: nothing that reaches the browser before the vote names a model or lets it be told."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from dataclasses import replace
from urllib.parse import unquote

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.bank.roster import Roster
from arena.store.store import Store
from ratings.releases.release import Release
from tests.web.conftest import ROSTER, MakeApp, bank_of


def disguises(name: str) -> set[str]:
    """`name` in every form in which it could be hidden in a page, lower case."""
    raw = name.encode()
    hashes = {getattr(hashlib, kind)(raw).hexdigest() for kind in ("md5", "sha1", "sha256", "sha512")}
    digests = {getattr(hashlib, kind)(raw).digest() for kind in ("md5", "sha1", "sha256")}
    encoded = {
        base64.b64encode(raw).decode(),
        base64.urlsafe_b64encode(raw).decode(),
        base64.b32encode(raw).decode(),
    }
    encoded |= {base64.b64encode(digest).decode() for digest in digests}
    encoded |= {base64.urlsafe_b64encode(digest).decode() for digest in digests}
    # Inside a longer text base64 depends on where the name begins: the parts that do not.
    for shift in (1, 2):
        encoded.add(base64.b64encode(b" " * shift + raw).decode()[4:-4])
    plain = {name, name.replace(" ", "-"), name.replace("-", " "), name.replace("/", "-"), name[::-1]}
    words = plain | hashes | {text.rstrip("=") for text in encoded} | {raw.hex()}
    return {text.lower() for text in words if len(text) > 3} | {h[:12] for h in hashes}


SECRETS = {
    name: disguises(name)
    for model in ROSTER
    for name in (model.name, model.slug, model.provider, *model.aliases)
    if name is not None
}


def leaks(text: str) -> list[str]:
    text = unquote(text).lower()
    return [name for name, forms in SECRETS.items() if any(form in text for form in forms)]


def everything(answer: TestResponse) -> str:
    """Status line, headers, cookies (unpacked) and body."""
    parts = [answer.status, str(answer.headers), answer.text, str(answer.request.url)]
    for cookie in answer.headers.getlist("Set-Cookie"):
        payload = cookie.split("=", 1)[1].split(";")[0]
        for piece in payload.split("."):
            padded = piece + "=" * (-len(piece) % 4)
            content = base64.urlsafe_b64decode(padded)
            parts.append(content.decode("latin-1"))
            try:
                parts.append(zlib.decompress(content).decode("latin-1"))
            except zlib.error:
                continue
    return "\n".join(parts)


def test_the_search_itself_finds_a_hidden_name() -> None:
    name = ROSTER.models[0].name

    hidden = [f"x{form}y" for form in disguises(name)]

    assert all(leaks(text) for text in hidden)
    assert leaks(base64.b64encode(f'{{"a": "{name}"}}'.encode()).decode())


def test_nothing_before_the_vote_names_a_model(client: FlaskClient, release: Release) -> None:
    page = client.get("/")
    assets = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
    battle = client.post("/api/v1/battles")
    battle_id = battle.get_json()["battle_id"]
    answers = [
        page,
        battle,
        client.get(f"/api/v1/battles/{battle_id}"),
        client.get(f"/api/v1/battles/{battle_id}/stream"),
        client.get(f"/battles/{battle_id}"),
        client.post("/vote", data={"battle_id": battle_id, "choice": "a", "csrf_token": "wrong"}),
        client.get("/metrics"),
        client.get("/healthz"),
        client.get("/readyz"),
        client.get("/robots.txt"),
        client.get("/favicon.ico"),
        *(client.get(asset, buffered=True) for asset in assets),
    ]

    assert len(assets) >= 3
    assert {leak for answer in answers for leak in leaks(everything(answer))} == set()


def test_after_the_vote_both_names_are_there(client: FlaskClient) -> None:
    battle = client.post("/api/v1/battles").get_json()
    headers = {"X-CSRF-Token": battle["csrf_token"]}

    answer = client.post(f"/api/v1/battles/{battle['battle_id']}/vote", json={"choice": "b"}, headers=headers)

    names = {model.name for model in ROSTER}
    assert {answer.get_json()["model_a"], answer.get_json()["model_b"]} < names


@pytest.mark.slow
def test_ids_are_random_and_long(app: Flask) -> None:
    ids = {app.test_client().post("/api/v1/battles").get_json()["battle_id"] for _ in range(40)}

    raw = [bytes.fromhex(battle_id) for battle_id in ids]
    ones = sum(bin(byte).count("1") for text in raw for byte in text)
    assert len(ids) == 40
    assert {len(text) >= 16 for text in raw} == {True}
    bits = 8 * sum(map(len, raw))
    assert abs(ones - bits / 2) < 3.5 * bits**0.5  # fair coins, seven standard deviations to each side


def test_equal_answers_give_equal_responses_whoever_wrote_them(make_app: MakeApp) -> None:
    app = make_app(bank_of("the very same words"))
    seen = []
    for _ in range(12):
        answer = app.test_client().get("/")
        headers = {
            name: value for name, value in answer.headers.items() if name not in ("Set-Cookie", "Date")
        }
        body = re.sub(r'name="(csrf_token|battle_id)" value="[^"]+"', "", answer.text)
        seen.append((tuple(sorted(headers.items())), body))

    assert len(set(seen)) == 1


def test_battle_responses_hold_no_validator(client: FlaskClient) -> None:
    battle = client.post("/api/v1/battles")
    answers = [client.get("/"), battle, client.get(f"/api/v1/battles/{battle.get_json()['battle_id']}")]

    for answer in answers:
        assert answer.headers["Cache-Control"] == "no-store"
        assert not {"ETag", "Last-Modified", "X-RateLimit-Remaining", "Server-Timing"} & set(
            answer.headers.keys()
        )


@pytest.mark.slow
def test_a_private_model_is_named_nowhere(make_app: MakeApp, release: Release, store: Store) -> None:
    secret, *others = ROSTER
    app = make_app(roster=Roster((replace(secret, status="private"), *others)), battles_per_minute=10**6)
    client = app.test_client()
    for _ in range(12):
        battle = client.post("/api/v1/battles").get_json()
        headers = {"X-CSRF-Token": battle["csrf_token"]}
        client.post(f"/api/v1/battles/{battle['battle_id']}/vote", json={"choice": "a"}, headers=headers)
    paths = [
        f"/battles/{battle['battle_id']}", f"/api/v1/battles/{battle['battle_id']}", "/leaderboard",
        "/leaderboard?style=1", "/leaderboard/second", "/models/quimby-xl-2", "/models/plonkette",
        "/pairs/quimby-xl-2/plonkette", "/governance", "/data", "/me", "/me/votes.json", "/method", "/admin",
        "/api/v1/leaderboard", "/api/v1/leaderboard.csv", "/api/v1/leaderboard?style=1", "/api/v1/pairs",
        "/api/v1/models", "/api/v1/snapshots", "/api/v1/sampling", "/api/v1/changes", "/api/v1/leaderboards",
        "/metrics", "/models/zorblax-9", f"/charts/{release.id}/arena/plain/whiskers.svg",
    ]  # fmt: skip

    found = {path: client.get(path) for path in paths}

    assert [
        path for path, answer in found.items() if secret.name in answer.text.replace("models/zorblax", "")
    ] == []
    assert found["/models/zorblax-9"].status_code == 404
    assert "a private model" in found["/leaderboard"].text
    assert {path: answer.status_code for path, answer in found.items() if answer.status_code >= 500} == {}


@pytest.mark.parametrize("path", ["/", "/leaderboard", "/api/v1/leaderboard"])
def test_cookies_hold_two_random_words_only(app: Flask, release: Release, path: str) -> None:
    client = app.test_client()
    client.get(path)
    cookie = client.get_cookie("arena")
    if path == "/":
        assert cookie is not None
        with client.session_transaction() as session:
            assert set(session) == {"_permanent", "visitor", "csrf_token"}
            assert len(base64.urlsafe_b64decode(session["visitor"] + "==")) >= 16
    else:
        assert cookie is None
