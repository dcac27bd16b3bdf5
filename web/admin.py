"""The owner's page: behind a token, every act by POST, every act in the ledger."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from arena.store import ledger
from arena.voters import moderation
from web import current, owner, request_checks

blueprint = Blueprint("admin", __name__, url_prefix="/admin")

P = ParamSpec("P")
R = TypeVar("R")
OWNER = "admin page"


def owner_only(view: Callable[P, R]) -> Callable[P, R]:
    """Refuse everybody who has not shown the token: by the form (a session then) or as a bearer token."""

    @wraps(view)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        _closed_without_token()
        if not owner.is_owner():
            raise request_checks.Refused(401, "not_signed_in", "This page is for the owner of the arena.")
        return view(*args, **kwargs)

    return checked


@blueprint.get("")
def show() -> str:
    """The sign-in form, or what can be done."""
    _closed_without_token()
    if not owner.is_owner():
        return render_template("admin_login.html")
    store = current.arena().store
    return render_template(
        "admin.html",
        faults=store.admin.durability_faults(),
        worker=store.worker.faults(),
        counts=store.admin.counts(),
        events=store.moderation.events()[-50:],
        quarantined=sorted(store.moderation.quarantined()),
        release=current.latest().release(),
        done=request.args.get("done"),
    )


@blueprint.post("/login")
def login() -> Response:
    _closed_without_token()
    owner.try_token(request_checks.field("token"), "form")
    owner.sign_in()
    return redirect(url_for(".show"), 303)


@blueprint.post("/logout")
@owner_only
def logout() -> Response:
    owner.sign_out()
    return redirect(url_for(".show"), 303)


@blueprint.post("/refresh")
@owner_only
def refresh() -> Response:
    """Ask the worker for a refresh; it looks for such a wish every few seconds."""
    arena = current.arena()
    arena.store.worker.ask_refresh(arena.clock())
    ledger.record(arena.store.ledger, "refresh", {}, by=OWNER, clock=arena.clock)
    return redirect(url_for(".show", done="refresh"), 303)


@blueprint.post("/quarantine")
@owner_only
def quarantine() -> Response:
    """Let the votes of one voter not count, past and future. Nothing is deleted."""
    note("quarantine")
    return redirect(url_for(".show", done="quarantine"), 303)


@blueprint.post("/lift")
@owner_only
def unquarantine() -> Response:
    note("lift")
    return redirect(url_for(".show", done="lift"), 303)


def note(kind: str) -> None:
    """Write a fact about a voter beside his votes; the ledger names the fact and never the voter."""
    arena, voter, why = current.arena(), request_checks.field("voter"), request_checks.field("why")
    do = moderation.quarantine if kind == "quarantine" else moderation.unquarantine
    do(arena.store, voter, why=why, by=OWNER, clock=arena.clock)


def _closed_without_token() -> None:
    if current.options().admin_token is None:
        abort(404)
