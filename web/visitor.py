"""Who is here: a random id in a signed cookie, known to the rest of the house only by its keyed hash."""

from __future__ import annotations

import secrets
from datetime import timedelta

from flask import Flask, current_app, session

from arena.voters import identity
from web.options import Options

COOKIE = "arena"
LIFETIME = timedelta(days=365)
ID_BYTES = 24  # 192 random bits
_KEY = "visitor"


def configure(app: Flask, options: Options) -> None:
    """Cookie flags. The cookie is signed, not secret: it holds two random words and never a name."""
    app.secret_key = options.secret
    app.config.update(
        SESSION_COOKIE_NAME=f"__Host-{COOKIE}" if options.https else COOKIE,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=options.https,
        SESSION_COOKIE_PATH="/",
        PERMANENT_SESSION_LIFETIME=LIFETIME,
        SESSION_REFRESH_EACH_REQUEST=False,
    )


def ensure_visitor() -> str:
    """The visitor's hash; a new visitor gets his cookie with this response."""
    if not isinstance(session.get(_KEY), str):
        session[_KEY] = secrets.token_urlsafe(ID_BYTES)
        session.permanent = True
    return _hash(session[_KEY])


def known() -> str | None:
    """The visitor's hash, or None for somebody without our cookie. Sets nothing."""
    name = session.get(_KEY)
    return _hash(name) if isinstance(name, str) else None


def leave() -> None:
    """Take the cookie's content away: the next visit is a new visitor's."""
    session.clear()


def _hash(name: str) -> str:
    return identity.visitor_hash(str(current_app.secret_key), name)
