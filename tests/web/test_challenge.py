"""The check against robots as visitors and monitors meet it: a verifier that is down keeps votes and says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask

from arena.service import Arena
from arena.voters.captcha import Verifier
from tests.arena.makers import Says
from tests.web.conftest import MakeApp
from web import current

CLOSED = "http://127.0.0.1:9/siteverify"  # the discard port: nothing listens


def arena_of(app: Flask) -> Arena:
    with app.app_context():
        return current.arena()


def voted(app: Flask, **extra: str) -> Any:
    """The answer to one whole vote of a new visitor."""
    client = app.test_client()
    battle = client.post("/api/v1/battles").get_json()
    form = {"battle_id": battle["battle_id"], "choice": "a", "csrf_token": battle["csrf_token"], **extra}
    return client.post("/vote", data=form, follow_redirects=True)


def test_votes_while_the_verifier_is_down_are_kept_and_wait(app: Flask) -> None:
    arena = arena_of(app)
    arena.verifier = Verifier(CLOSED, "secret", 0.5)

    answers = [voted(app) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "could not be made" in answers[0].text
    assert arena.store.admin.counts()["votes"] == 3
    assert arena.store.admin.counts()["reason:challenge_unchecked"] == 3
    assert "reason:challenge_failed" not in arena.store.admin.counts()


def test_health_and_metrics_show_the_share_unchecked(app: Flask) -> None:
    arena = arena_of(app)
    for state in ("passed", "unchecked", "unchecked", "failed"):
        arena.verifier = Says(state)  # type: ignore[assignment]
        voted(app)

    health, metrics = app.test_client().get("/healthz"), app.test_client().get("/metrics").text

    assert health.status_code == 200
    assert health.get_json()["challenges"] == {
        "passed": 1,
        "failed": 1,
        "unchecked": 2,
        "share_unchecked": 0.5,
        "alarm": False,
    }
    assert 'arena_challenges{state="unchecked"} 2.0' in metrics
    assert "arena_challenge_alarm 0.0" in metrics


def test_without_a_verifier_nothing_is_said_of_checks(app: Flask) -> None:
    assert app.test_client().get("/healthz").get_json() == {"status": "ok"}
    assert "challenge" not in app.test_client().get("/metrics").text
    assert "frame-src" not in app.test_client().get("/").headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", ["challenge_response", "cf-turnstile-response", "g-recaptcha-response"])
def test_the_widgets_field_reaches_the_verifier(app: Flask, name: str) -> None:
    seen = []

    class Listens:
        def check(self, answer: str, battle_id: str) -> str:
            seen.append(answer)
            return "passed"

    arena_of(app).verifier = Listens()  # type: ignore[assignment]

    voted(app, **{name: "p" * 2500})

    assert seen == ["p" * 2500]


def test_a_proof_that_is_no_text_is_none(app: Flask) -> None:
    arena_of(app).verifier = Says("failed")  # type: ignore[assignment]
    client = app.test_client()
    battle = client.post("/api/v1/battles").get_json()
    body = {"choice": "a", "csrf_token": battle["csrf_token"], "challenge_response": 5}

    answer = client.post(f"/api/v1/battles/{battle['battle_id']}/vote", data=json.dumps(body), content_type="application/json")  # fmt: skip

    assert (answer.status_code, answer.get_json()["reason"]) == (200, "challenge_failed")


def test_only_the_battle_may_load_the_widget_and_only_from_its_host(make_app: MakeApp) -> None:
    script = "https://challenges.cloudflare.com/turnstile/v0/api.js?x=1"
    client = make_app(challenge_script=script, challenge_site_key='"><b>').test_client()

    page, other = client.get("/"), client.get("/leaderboard")

    policy = dict(part.split(" ", 1) for part in page.headers["Content-Security-Policy"].split("; "))
    assert policy["script-src"] == "'self' https://challenges.cloudflare.com"
    assert policy["frame-src"] == "https://challenges.cloudflare.com"
    assert policy["img-src"] == "'self'"
    assert f'<script src="{script}" async defer></script>' in page.text
    assert 'class="cf-turnstile" data-sitekey="&#34;&gt;&lt;b&gt;"' in page.text
    assert "cloudflare" not in other.text + other.headers["Content-Security-Policy"]
