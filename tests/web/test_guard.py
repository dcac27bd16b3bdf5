"""What a POST must bring: a right origin, the visitor's token, a small and simple body; refusals a voter understands."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.store.store import Store
from tests.web.conftest import MakeApp

Battle = dict[str, Any]


def vote(client: FlaskClient, battle: Battle, **changes: Any) -> Any:
    """The vote form of `battle`, sent with changed fields or headers."""
    headers = changes.pop("headers", {})
    form = {"battle_id": battle["battle_id"], "csrf_token": battle["csrf_token"], "choice": "a", **changes}
    return client.post("/vote", data=form, headers=headers)


@pytest.mark.parametrize("token", ["", "abc", "x" * 900], ids=["none", "wrong", "long"])
def test_without_the_token_nothing_is_stored(
    client: FlaskClient, battle: Battle, store: Store, token: str
) -> None:
    answer = vote(client, battle, csrf_token=token)

    assert answer.status_code == 400
    assert "nothing was stored" in answer.text
    assert store.votes.count() == 0


def test_the_token_of_another_visitor_is_refused(
    app: Flask, battle: Battle, client: FlaskClient, store: Store
) -> None:
    foreign = app.test_client().post("/api/v1/battles").get_json()["csrf_token"]

    answer = vote(client, battle, csrf_token=foreign)

    assert answer.status_code == 400
    assert store.votes.count() == 0


def test_without_the_cookie_the_token_is_worth_nothing(app: Flask, battle: Battle, store: Store) -> None:
    answer = vote(app.test_client(), battle)

    assert answer.status_code == 400
    assert "cookie" in answer.text
    assert store.votes.count() == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://other.test"},
        {"Origin": "null"},
        {"Origin": "http://[other"},
        {"Origin": "http://user@localhost"},
        {"Origin": "http://localhost.other.test"},
        {"Origin": "http://localhost:99"},
        {"Origin": "file://localhost"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/vote", "/skip", "/api/v1/battles", "/me/forget"])
def test_another_website_is_refused_everywhere(
    client: FlaskClient, battle: Battle, store: Store, headers: dict[str, str], path: str
) -> None:
    form = {"battle_id": battle["battle_id"], "csrf_token": battle["csrf_token"], "choice": "a"}

    answer = client.post(path, data=form, headers=headers)

    assert answer.status_code == 403
    assert "another website" in (answer.get_json() or {}).get("detail", answer.text)
    assert store.votes.count() == 0
    assert store.admin.counts()["battles"] == 1


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}],
)
def test_the_honest_vote_works(
    client: FlaskClient, battle: Battle, store: Store, headers: dict[str, str]
) -> None:
    answer = vote(client, battle, headers=headers)

    assert answer.status_code == 303
    assert store.votes.count() == 1


@pytest.mark.parametrize("host", ["x" * 5000, "a" * 64 + ".test"])
@pytest.mark.parametrize("path", ["/", "/vote", "/leaderboard", "/nowhere"])
def test_a_host_that_is_no_name_is_a_bad_request(client: FlaskClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"Host": host})

    assert answer.status_code == 400
    assert answer.get_json(force=True)["status"] == 400


def test_the_public_name_behind_a_proxy_is_the_right_origin(make_app: MakeApp) -> None:
    client = make_app(trusted_proxies=1, https=True).test_client()
    proxy = {"X-Forwarded-Host": "arena.test", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}

    good = client.post("/api/v1/battles", headers={**proxy, "Origin": "https://arena.test"})
    bad = client.post("/api/v1/battles", headers={**proxy, "Origin": "http://arena.test"})

    assert (good.status_code, bad.status_code) == (201, 403)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/vote", "/skip", "/me/forget", "/admin/quarantine", "/admin/logout"])
def test_reading_never_changes_anything(client: FlaskClient, store: Store, path: str) -> None:
    client.get("/")
    before = store.admin.counts()

    answer = client.get(path)

    assert answer.status_code == 405
    assert answer.headers["Allow"] in ("OPTIONS, POST", "POST, OPTIONS")
    assert store.admin.counts() == before


BODIES = {
    "huge form": (b"x=" + b"a" * 10_485_760, "application/x-www-form-urlencoded", {413}),
    "huge json": (b'{"choice":"' + b"a" * 1_000_000 + b'"}', "application/json", {413}),
    "xml": (b"<vote/>", "text/xml", {415}),
    "plain text": (b"choice=a", "text/plain", {415}),
    "no type": (b"choice=a", "", {415}),
    "deep array": (b"[" * 30_000 + b"]" * 30_000, "application/json", {400}),
    "deep object": (b'{"a":' * 9_000 + b"1" + b"}" * 9_000, "application/json", {400}),
    "nested": (b'{"choice":{"a":1}}', "application/json", {400}),
    "array": (b'["a"]', "application/json", {400}),
    "number": (b"7", "application/json", {400}),
    "not a number": (b'{"choice":NaN}', "application/json", {400}),
    "repeated": (b'{"choice":"a","choice":"b"}', "application/json", {400}),
    "truncated": (b'{"choice":"a', "application/json", {400}),
    "not utf-8": (b'{"choice":"\xff"}', "application/json", {400}),
    "half a character": (b'{"choice":"\\ud83d"}', "application/json", {400}),
    "half a character in a name": (b'{"\\ud83d":"a"}', "application/json", {400}),
    "nul": (b'{"choice":"a\\u0000"}', "application/json", {400}),
    "file": (
        b'--x\r\nContent-Disposition: form-data; name="choice"; filename="a"\r\n\r\na\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
        {415},
    ),
    "many fields": (b"&".join(b"f%d=1" % n for n in range(5_000)), "application/x-www-form-urlencoded", {400}),
    "many parts": (
        b"".join(b'--x\r\nContent-Disposition: form-data; name="f%d"\r\n\r\n1\r\n' % n for n in range(100)) + b"--x--",
        "multipart/form-data; boundary=x",
        {413},
    ),
    "bad multipart": (b"--y\r\n", "multipart/form-data", {400}),
    "huge integer": (b'{"choice":' + b"9" * 60_000 + b"}", "application/json", {400}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["/vote", "/api/v1/battles/00000000000000000000000000000000/vote", "/api/v1/battles"]
)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_bad_body_is_refused_and_never_a_server_error(
    client: FlaskClient, battle: Battle, store: Store, path: str, body: tuple[bytes, str, set[int]]
) -> None:
    content, kind, statuses = body
    headers = {"X-CSRF-Token": battle["csrf_token"]}

    answer = client.post(path, data=content, content_type=kind, headers=headers)

    assert answer.status_code in statuses
    assert store.votes.count() == 0
    if path.startswith("/api"):
        assert answer.mimetype == "application/problem+json"
        assert json.loads(answer.data)["status"] == answer.status_code
    else:
        assert answer.mimetype == "text/html"


@pytest.mark.parametrize(
    "body",
    [{"choice": 1}, {"choice": None}, {"choice": True}, {"choice": "model_a"}, {"choice": "a" * 5000}, {}, {"choice": ""}],
    ids=lambda body: str(body)[:30],
)  # fmt: skip
def test_a_choice_is_one_of_four_words(
    client: FlaskClient, battle: Battle, store: Store, body: dict[str, Any]
) -> None:
    headers = {"X-CSRF-Token": battle["csrf_token"]}

    answer = client.post(f"/api/v1/battles/{battle['battle_id']}/vote", json=body, headers=headers)

    assert answer.status_code == 400
    assert answer.get_json()["code"] in ("bad_input", "missing_field", "bad_field")
    assert store.votes.count() == 0


@pytest.mark.parametrize(("path", "status"), [("/vote", 413), ("/nope", 404), ("/leaderboard", 405)])
def test_a_refused_body_is_read_to_its_end(client: FlaskClient, path: str, status: int) -> None:
    body = io.BytesIO(b"x" * 1_000_000)

    answer = client.post(path, input_stream=body, content_length=1_000_000, content_type="application/json")

    assert answer.status_code == status
    assert body.tell() == 1_000_000


def test_no_byte_beyond_a_body_is_waited_for(client: FlaskClient) -> None:
    pipelined = io.BytesIO(b"x" * 100 + b"GET / HTTP/1.1")

    answer = client.post(
        "/nope",
        input_stream=pipelined,
        content_type="application/json",
        environ_overrides={"CONTENT_LENGTH": "100"},
    )

    assert answer.status_code == 404
    assert pipelined.tell() == 100
