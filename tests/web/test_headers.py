"""Headers of every kind of response, and the flags of the cookie."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from ratings.releases.release import Release
from tests.web.conftest import MakeApp

PATHS = [
    "/", "/leaderboard", "/leaderboard?style=1", "/leaderboard/empty", "/models/plonkette", "/method", "/governance",
    "/data", "/me", "/me/votes.json", "/admin", "/nope", "/leaderboard/nope", "/vote", "/healthz", "/readyz",
    "/metrics", "/api/v1/leaderboard", "/api/v1/leaderboard.csv", "/api/v1/openapi.json", "/api/v1/nope",
    "/api/v1/pairs", "/static/site.css", "/static/battle.js", "/static/icon.svg",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_every_response_is_fenced_in(client: FlaskClient, release: Release, path: str) -> None:
    answer = client.get(path, buffered=True)

    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["img-src"] == policy["form-action"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["object-src"] == "'none'"
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.mimetype_params["charset"] == "utf-8"
    assert answer.status_code < 500


def test_pages_bring_no_inline_script_or_style(client: FlaskClient, release: Release) -> None:
    pages = [client.get(path).text for path in PATHS[:11]]

    for page in pages:
        assert " style=" not in page
        assert " onclick" not in page
        assert page.count("<script") == page.count("<script src=")


def test_the_cookie_is_hidden_from_scripts_and_other_sites(client: FlaskClient) -> None:
    cookie = client.get("/").headers["Set-Cookie"]

    assert cookie.startswith("arena=")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


def test_behind_https_the_cookie_is_secure_and_tied_to_the_host(make_app: MakeApp) -> None:
    answer = make_app(https=True).test_client().get("/", base_url="https://localhost")
    cookie = answer.headers["Set-Cookie"]

    assert cookie.startswith("__Host-arena=")
    assert "; Secure" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_a_table_comes_as_an_attachment(client: FlaskClient, release: Release) -> None:
    answer = client.get("/api/v1/leaderboard.csv")

    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="arena-plain-')


def test_files_are_kept_for_long_and_renamed_when_they_change(client: FlaskClient) -> None:
    page = client.get("/").text
    address = page.split('<link rel="stylesheet" href="')[1].split('"')[0]

    assert "?v=" in address
    assert "max-age=31536000" in client.get(address, buffered=True).headers["Cache-Control"]
