"""Pages that explain, and the visitor's own page."""

from __future__ import annotations

import json

from flask import Blueprint, Response, make_response, redirect, render_template, url_for
from werkzeug.wrappers import Response as BaseResponse

from arena.archive import exports
from arena.bank.sampling import Chances
from arena.errors import NothingToServe
from arena.store import ledger
from arena.voters.moderation import OUT_OF_REACH, Forgotten
from web import current, display, leaderboard, owner, visitor

blueprint = Blueprint("pages", __name__)


@blueprint.get("/method")
def method() -> str:
    """How a vote becomes a number, for a careful reader."""
    return render_template(
        "method.html",
        options=current.options(),
        limits=current.arena().quotas,
        release=current.release_if_reachable(),
    )


@blueprint.get("/governance")
def governance() -> str:
    """Who takes part, how pairs are drawn, and what the owners did."""
    arena = current.arena()
    roster = arena.roster
    release = current.latest().release()
    shown = [model for model in roster if model.name not in roster.hidden]
    # A model on no board has a page too, which says why.
    slugs = {model.name: model.slug for model in shown} | leaderboard.addresses(release) if release else {}
    return render_template(
        "governance.html",
        models=shown,
        private=len(roster.hidden & {name for pair in arena.bank.shared for name in pair}),
        chances=_chances(),
        options=current.options(),
        slugs=slugs,
        changes=ledger.entries(arena.store.ledger)[-50:],
    )


@blueprint.get("/data")
def data() -> str:
    """What can be downloaded, and what each column means."""
    return render_template(
        "data.html",
        release=current.latest().release(),
        reasons=display.REASONS,
        columns=exports.VOTES,
        delay_seconds=current.arena().export_delay_seconds,
    )


@blueprint.get("/me")
def me() -> str:
    """The visitor's own votes."""
    who = visitor.known()
    votes = current.arena().my_votes(who) if who else []
    release = current.latest().release()
    return render_template(
        "me.html",
        votes=votes,
        known=who is not None,
        slugs=leaderboard.addresses(release) if release else {},
        out_of_reach=OUT_OF_REACH,
    )


@blueprint.get("/me/votes.json")
def my_votes() -> Response:
    """The same as a file."""
    who = visitor.known()
    votes = current.arena().my_votes(who) if who else []
    body = [
        {
            "at": display.iso(vote.at),
            "prompt_id": vote.prompt_id,
            "model_a": vote.model_a,
            "model_b": vote.model_b,
            "choice": display.choice(vote.outcome),
            "reason": vote.reason,
        }
        for vote in votes
    ]
    response = make_response(json.dumps({"votes": body}, ensure_ascii=False, allow_nan=False, indent=1))
    response.headers["Content-Type"] = "application/json; charset=utf-8"
    response.headers["Content-Disposition"] = 'attachment; filename="my-votes.json"'
    return response


@blueprint.post("/me/forget")
def forget() -> BaseResponse:
    """Cut the tie between the visitor and his votes, and take the cookie's content away."""
    done = forget_visitor()
    state = None if not done else "now" if done.everywhere else "soon"
    return redirect(url_for(".me", forgotten=state), 303)


def forget_visitor() -> Forgotten:
    """What became of it; for pages and JSON alike."""
    who = visitor.known()
    done = Forgotten(known=False) if who is None else current.arena().forget(who)
    owner.sign_out()  # the cookie may be the owner's too: its copies end with it
    visitor.leave()
    return done


def _chances() -> Chances | None:
    try:
        return current.arena().chances()
    except NothingToServe:
        return None
