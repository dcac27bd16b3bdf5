"""The check against robots: passed, failed and "could not ask" are three things, and the last one is never lost."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest

from arena.archive.archive import Archive
from arena.service import Arena
from arena.store.store import Store
from arena.voters.captcha import Alarm, CaptchaChecks, Verifier
from arena.votes import Outcome
from tests.arena.makers import Says, make_arena
from tests.conftest import FixedClock

Serve = Callable[..., str]


@pytest.fixture
def asked() -> list[dict[str, list[str]]]:
    """What the verifier was sent."""
    return []


@pytest.fixture
def serve(asked: list[dict[str, list[str]]]) -> Iterator[Serve]:
    """Start a verifier that answers `body` with `status`, after `pause` seconds; its address."""
    servers = []

    def start(body: Any, status: int = 200, pause: float = 0.0) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
                asked.append(parse_qs(raw, keep_blank_values=True))
                time.sleep(pause)
                text = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: Any) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/siteverify"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def closed_port() -> str:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{door.getsockname()[1]}/siteverify"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status", "state"),
    [
        ({"success": True}, 200, "passed"),
        ({"success": False, "error-codes": ["invalid-input-response"]}, 200, "failed"),
        ({"success": False, "error-codes": ["timeout-or-duplicate"]}, 200, "failed"),
        ({"success": False}, 200, "failed"),
        ({"success": False, "error-codes": ["invalid-input-secret"]}, 200, "unchecked"),
        ({"success": False, "error-codes": ["internal-error"]}, 200, "unchecked"),
        ({"success": "true"}, 200, "unchecked"),
        ([], 200, "unchecked"),
        ("<html>sign in to this network</html>", 200, "unchecked"),
        ("[" * 100_000, 200, "unchecked"),
        ({"success": True}, 500, "unchecked"),
        ({"success": True}, 302, "unchecked"),
        ("x" * 200_000, 200, "unchecked"),
    ],
)
def test_only_a_clear_reply_passes_or_fails(serve: Serve, body: Any, status: int, state: str) -> None:
    assert Verifier(serve(body, status), "s").check("answer", "battle") == state


def test_a_verifier_that_is_not_there_leaves_a_vote_unchecked() -> None:
    assert Verifier(closed_port(), "s").check("answer", "battle") == "unchecked"


def test_a_verifier_that_is_slow_leaves_a_vote_unchecked(serve: Serve) -> None:
    # It would have said yes, in the end.
    assert Verifier(serve({"success": True}, pause=1.0), "s", 0.1).check("answer", "battle") == "unchecked"


def test_the_verifier_learns_the_proof_but_neither_battle_nor_address(
    serve: Serve, asked: list[dict[str, list[str]]]
) -> None:
    verifier = Verifier(serve({"success": True}), "the secret")

    verifier.check("the proof", "0123456789abcdef0123456789abcdef")
    verifier.check("the proof", "0123456789abcdef0123456789abcdef")
    verifier.check("", "0123456789abcdef0123456789abcdef")

    assert {name: asked[0][name] for name in ("secret", "response")} == {
        "secret": ["the secret"],
        "response": ["the proof"],
    }
    assert set(asked[0]) == {"secret", "response", "idempotency_key"}
    assert asked[0] == asked[1] != asked[2]
    assert "0123456789abcdef" not in json.dumps(asked)


def test_the_secret_is_not_shown() -> None:
    assert "hush" not in repr(Verifier("http://verifier", "hush"))


@pytest.fixture
def arena(store: Store, clock: FixedClock) -> Arena:
    return make_arena(store, clock=clock)


def cast(arena: Arena, state: str | None) -> Any:
    arena.verifier = None if state is None else Says(state)  # type: ignore[assignment]
    return arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)


def test_a_proof_is_not_used_up_by_a_vote_that_cannot_be(arena: Arena, clock: FixedClock) -> None:
    class Never:
        def check(self, answer: str, battle_id: str) -> str:
            raise AssertionError("asked for nothing")

    voted = arena.open_battle("u1").battle_id
    arena.cast_vote(voted, "u1", Outcome.A)
    arena.verifier = Never()  # type: ignore[assignment]

    repeat = arena.cast_vote(voted, "u1", Outcome.B)

    assert (repeat.first, repeat.outcome, repeat.counted) == (False, Outcome.A, True)


def test_the_checks_are_those_of_the_last_hour(arena: Arena, clock: FixedClock) -> None:
    cast(arena, "unchecked")
    clock.advance(1800)
    cast(arena, "passed")
    half = arena.checks()
    clock.advance(2400)

    assert (half.unchecked, half.passed, half.share_unchecked) == (1, 1, 0.5)
    assert (arena.checks().unchecked, arena.checks().passed) == (0, 1)


def test_the_alarm_sounds_when_most_votes_of_the_hour_are_unchecked(
    arena: Arena, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    for state in ("passed", "unchecked", "unchecked", "unchecked"):
        cast(arena, state)
    said = [record.levelno for record in caplog.records if "ALARM" in record.message]

    assert arena.checks().alarm
    assert said == [logging.ERROR]


def test_half_of_the_votes_is_no_alarm() -> None:
    alarm = Alarm(lambda: 0.0)

    assert not alarm.look(CaptchaChecks(passed=1, unchecked=1))
    assert not alarm.look(CaptchaChecks())
    assert alarm.look(CaptchaChecks(passed=1, unchecked=2))


def test_unchecked_votes_count_once_the_owner_says_so(arena: Arena, clock: FixedClock, tmp_path: Any) -> None:
    archive = Archive(str(tmp_path), frozenset)
    cast(arena, "unchecked")
    cast(arena, "failed")
    clock.advance(60)
    cast(arena, "unchecked")
    before = archive.votes("arena", arena.store)

    arena.store.votes.accept_unchecked(clock.now - 30)
    after = archive.votes("arena", arena.store)
    archive.archive_new_votes(arena.store)

    assert before.excluded() == {"challenge_failed": 1, "challenge_unchecked": 2}
    assert after.excluded() == {"challenge_failed": 1, "challenge_unchecked": 1}
    assert archive.votes("arena", arena.store).excluded() == after.excluded()


def test_accepting_lifts_no_quarantine(arena: Arena, clock: FixedClock, tmp_path: Any) -> None:
    cast(arena, "unchecked")
    arena.store.moderation.quarantine("u1", why="robot", at=clock.now, by="owner")

    arena.store.votes.accept_unchecked(clock.now + 1)

    assert Archive(str(tmp_path), frozenset).votes("arena", arena.store).excluded() == {
        "quarantined_session": 1
    }
