"""Who is the owner: one way to try the token, whatever carried it, and a session that lives in the store."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets

from flask import current_app, request, session
from flask_limiter.util import get_remote_address

from arena.errors import TooManyRequests
from web import current, limits, request_checks

BEARER = "Bearer "
ID_BYTES = 32
_KEY = "admin"
_DAY = "owner"  # in place of a date: a caller who was right once is known on later days too

log = logging.getLogger(__name__)


def is_owner() -> bool:
    """Whether this request is the owner's. Raises `Refused` or `TooManyRequests` for a bearer token that is not his."""
    given = request.headers.get("Authorization", "")
    if given.startswith(BEARER):
        try_token(given.removeprefix(BEARER).strip(), "bearer")
        return True
    found = session.get(_KEY)
    if not isinstance(found, str) or not found:
        return False
    return hmac.compare_digest(current.arena().store.owner.session_mark(_digest(found)), _mark())


def try_token(given: str, way: str) -> None:
    """Return only when `given` is the token and the limits allowed the try; every failure is a line of the log."""
    caller = limits.keyed(str(current_app.secret_key), _DAY, get_remote_address())
    found = current.arena().store.owner.try_token(caller, _is_token(given))
    if found.verdict == "wrong":
        log.warning("owner's token refused: way=%s caller=%s try=%d", way, caller[:12], found.tries)
        raise request_checks.Refused(401, "wrong_token", "This is not the token. Nothing was changed.")
    if found.first_refused:
        log.warning("owner's token: limit of %s reached: way=%s caller=%s", found.verdict, way, caller[:12])
    if found.refused:
        raise TooManyRequests("too many tries of the owner's token", found.wait_seconds)


def sign_in() -> None:
    """Begin a session for this browser; the one that it had ends."""
    sign_out()
    session[_KEY] = secrets.token_urlsafe(ID_BYTES)
    current.arena().store.owner.begin_session(_digest(session[_KEY]), _mark())


def sign_out() -> None:
    """End the session of this browser, and so every copy of its cookie."""
    found = session.pop(_KEY, None)
    if isinstance(found, str):
        current.arena().store.owner.end_session(_digest(found))


def _is_token(given: str) -> bool:
    """Compared as digests: neither the place of the first wrong letter nor the length shows in the time."""
    token = current.options().admin_token
    return token is not None and hmac.compare_digest(_bytes(given), _bytes(token))


def _bytes(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _mark() -> str:
    """What a session must have been begun with: all of them end when the token or the secret is changed."""
    key, text = current.options().secret.encode(), f"owner {current.options().admin_token}"
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
