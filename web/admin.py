"""The owner's page: behind a token, every act by POST, every act in the ledger."""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import Blueprint, abort, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from arena import ledger, voters
from web import guard, house

blueprint = Blueprint("admin", __name__, url_prefix="/admin")

P = ParamSpec("P")
R = TypeVar("R")
_KEY = "admin"
BEARER = "Bearer "
OWNER = "admin page"

log = logging.getLogger(__name__)


def owner_only(view: Callable[P, R]) -> Callable[P, R]:
    """Refuse everybody who has not shown the token: by the form (kept in the cookie) or as a bearer token."""

    @wraps(view)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        _closed_without_token()
        if not is_owner():
            raise guard.Refused(401, "not_signed_in", "This page is for the owner of the arena.")
        return view(*args, **kwargs)

    return checked


def is_owner() -> bool:
    given = request.headers.get("Authorization", "")
    if given.startswith(BEARER):
        return _is_token(given.removeprefix(BEARER).strip())
    return hmac.compare_digest(str(session.get(_KEY, "")), _mark())


@blueprint.get("")
def show() -> str:
    """The sign-in form, or what can be done."""
    _closed_without_token()
    if not is_owner():
        return render_template("admin_login.html")
    store = house.arena().store
    return render_template(
        "admin.html",
        faults=store.durability_faults(),
        counts=store.counts(),
        facts=store.facts()[-50:],
        quarantined=sorted(store.quarantined()),
        release=house.latest().release(),
        done=request.args.get("done"),
    )


@blueprint.post("/login")
def login() -> Response:
    _closed_without_token()
    if not _is_token(guard.field("token")):
        log.warning("admin sign-in refused")
        raise guard.Refused(401, "wrong_token", "This is not the token. Nothing was changed.")
    session[_KEY] = _mark()
    return redirect(url_for(".show"), 303)


@blueprint.post("/logout")
@owner_only
def logout() -> Response:
    session.pop(_KEY, None)
    return redirect(url_for(".show"), 303)


@blueprint.post("/refresh")
@owner_only
def refresh() -> Response:
    """Ask the worker for a refresh; it looks for such a wish every few seconds."""
    arena = house.arena()
    arena.store.ask_refresh(arena.clock())
    ledger.record(arena.store, "refresh", {}, by=OWNER, clock=arena.clock)
    return redirect(url_for(".show", done="refresh"), 303)


@blueprint.post("/quarantine")
@owner_only
def quarantine() -> Response:
    """Let the votes of one voter not count, past and future. Nothing is deleted."""
    note("quarantine")
    return redirect(url_for(".show", done="quarantine"), 303)


@blueprint.post("/lift")
@owner_only
def lift() -> Response:
    note("lift")
    return redirect(url_for(".show", done="lift"), 303)


def note(kind: str) -> None:
    """Write a fact about a voter beside his votes; the ledger names the fact and never the voter."""
    arena, voter, why = house.arena(), guard.field("voter"), guard.field("why")
    do = voters.quarantine if kind == "quarantine" else voters.lift
    do(arena.store, voter, why=why, by=OWNER, clock=arena.clock)


def _closed_without_token() -> None:
    if house.options().admin_token is None:
        abort(404)


def _is_token(given: str) -> bool:
    token = house.options().admin_token
    return token is not None and hmac.compare_digest(given.encode(), token.encode())


def _mark() -> str:
    """What the cookie of a signed-in owner holds: it ends when the token is changed."""
    text = f"admin {house.options().admin_token} {house.options().secret}"
    return hashlib.sha256(text.encode()).hexdigest()
