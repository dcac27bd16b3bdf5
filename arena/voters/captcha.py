"""A check against robots by an outside verifier: passed, failed, or not checked because the verifier could not be asked."""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

from arena.settings.settings import Settings

State = Literal["passed", "failed", "unchecked"]

# Votes of each state that do not count, and why. An outage of the verifier must never look like a robot.
REASONS: Mapping[str, str] = {"failed": "challenge_failed", "unchecked": "challenge_unchecked"}
LARGEST_REPLY = 64 * 1024  # bytes; a verifier's reply needs less than one thousand
LONGEST_ANSWER = 4096  # characters of what a widget puts into the form; they need up to about 2,500
# Faults of our own set-up or of the verifier. The voter has not failed anything.
OURS = frozenset(
    (
        "missing-input-secret", "invalid-input-secret", "sitekey-secret-mismatch", "bad-request", "internal-error",
        "invalid-or-already-seen-secret", "missing-remoteip", "rate-limited",
    )
)  # fmt: skip
ALARM_SHARE = 0.5  # of an hour's votes: more unchecked ones than that, and honest votes are being set aside

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Verifier:
    """A service with the usual `siteverify` call: POST secret and response, JSON `success` and `error-codes` back.

    The voter's address is not sent. `answer` is what the widget put into the form, "" when there was none: the
    verifier is asked all the same, since a widget that could not be loaded is no sign of a robot.
    """

    url: str
    secret: str = field(repr=False)
    timeout_seconds: float = 3.0  # for the whole call
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, settings: Settings) -> Verifier | None:
        """The verifier that the settings name; None when they name none."""
        if settings.challenge_url is None or settings.challenge_secret is None:
            return None
        secret = settings.challenge_secret.get_secret_value()
        return cls(settings.challenge_url, secret, settings.challenge_timeout_seconds)

    def check(self, answer: str, battle_id: str) -> State:
        """What the verifier says of `answer`; "unchecked" whenever it says nothing that can be understood."""
        if len(answer) > LONGEST_ANSWER:
            return "failed"
        try:
            reply = json.loads(self._ask(answer, battle_id))
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, RecursionError) as error:
            log.warning("a vote could not be checked for robots: %s: %s", type(error).__name__, error)
            return "unchecked"
        return _judge(reply)

    def _ask(self, answer: str, battle_id: str) -> bytes:
        fields = {
            "secret": self.secret,
            "response": answer,
            # A vote that is sent again after a failure of ours is one use of the answer, where the verifier knows this.
            "idempotency_key": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{battle_id} {answer}")),
        }
        deadline = self.clock() + self.timeout_seconds
        found = bytearray()
        with httpx.stream("POST", self.url, data=fields, timeout=self.timeout_seconds) as reply:
            reply.raise_for_status()
            for piece in reply.iter_bytes():
                found += piece
                if len(found) > LARGEST_REPLY or self.clock() > deadline:
                    raise ValueError("the reply is too long or too slow")
        return bytes(found)


def _judge(reply: Any) -> State:
    success = reply.get("success") if isinstance(reply, dict) else None
    if not isinstance(success, bool):
        log.warning("a vote could not be checked for robots: the reply has no `success`")
        return "unchecked"
    if success:
        return "passed"
    codes = reply.get("error-codes") or []
    ours = [code for code in codes if code in OURS] if isinstance(codes, list) else []
    if ours:
        log.error("votes cannot be checked for robots: the verifier says %s", ", ".join(ours))
        return "unchecked"
    return "failed"


@dataclass(frozen=True)
class CaptchaChecks:
    """How the votes of the last hour were checked."""

    passed: int = 0
    failed: int = 0
    unchecked: int = 0

    @property
    def votes(self) -> int:
        return self.passed + self.failed + self.unchecked

    @property
    def share_unchecked(self) -> float | None:
        """Share of votes that could not be checked, in [0, 1]; None without votes."""
        return self.unchecked / self.votes if self.votes else None

    @property
    def alarm(self) -> bool:
        """Could most of the hour's votes not be checked?"""
        return (self.share_unchecked or 0.0) > ALARM_SHARE


class Alarm:
    """Says once in a while that most votes cannot be checked, for as long as it is so."""

    def __init__(self, clock: Callable[[], float], every_seconds: float = 600.0) -> None:
        self.clock = clock
        self.every_seconds = every_seconds
        self._said_at = float("-inf")

    def look(self, checks: CaptchaChecks) -> bool:
        """Log the alarm if it is due; whether it was."""
        now = self.clock()
        if not checks.alarm or 0 <= now - self._said_at < self.every_seconds:
            return False
        self._said_at = now
        log.error(
            "ALARM: %d of %d votes of the last hour could not be checked for robots; they are kept and do not count "
            "until `python -m arena unchecked accept`",
            checks.unchecked,
            checks.votes,
        )
        return True
