"""The battle page: two anonymous answers, a vote, and then the names. Plain forms; scripts only add comfort."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from arena.battles import BattleView, Receipt
from arena.errors import BadInput, NoBattle, StoreUnavailable
from arena.voters import identity
from arena.votes import Outcome
from ratings.leaderboard import Standing
from ratings.releases.release import PublishedBoard, Release
from web import current, display, leaderboard, request_checks, visitor

blueprint = Blueprint("battle", __name__)

OWN_COLLECTION = "arena"


@blueprint.get("/")
def show() -> Response:
    """The visitor's open battle, or a new one."""
    return _battle_page(current.arena().open_battle(visitor.ensure_visitor()))


@blueprint.get("/battles/<battle_id>")
def reveal(battle_id: str) -> BaseResponse:
    """What the visitor's vote revealed; the open battle itself while there is no vote."""
    who = visitor.known()
    if who is None:
        raise NoBattle("no visitor")
    receipt = current.arena().reveal(battle_id, who)
    if receipt is None:
        current.arena().battle(battle_id, who)  # raises unless it is this visitor's open battle
        return redirect(url_for(".show"), 303)
    return _reveal_page(receipt, who)


@blueprint.post("/vote")
def vote() -> BaseResponse:
    """Store the vote, then lead to the page with the names: reloading it sends nothing again."""
    receipt = cast(request_checks.field("battle_id"), _who(), choice(request_checks.field("choice")))
    changed = None if receipt.first or receipt.outcome is choice(request_checks.field("choice")) else 1
    where = url_for(".reveal", battle_id=receipt.battle_id, again=changed)
    response = make_response(redirect(where, 303))
    # Browsers follow at once; a program that does not still sees what it voted on.
    response.set_data(render_template("voted.html", receipt=receipt, where=where))
    return response


@blueprint.post("/skip")
def skip() -> BaseResponse:
    current.arena().skip(request_checks.field("battle_id"), _who())
    return redirect(url_for(".show"), 303)


def cast(battle_id: str, who: str, outcome: Outcome) -> Receipt:
    """Cast the vote of this request; its network counts against the quota of the day."""
    arena, day = current.arena(), display.iso(current.arena().clock())[:10]
    network = identity.address_hash(current.options().secret, request.remote_addr or "", day)
    return arena.cast_vote(
        battle_id, who, outcome, network=network, captcha_token=request_checks.captcha_token()
    )


def choice(word: str) -> Outcome:
    """The outcome that a, b, tie or both_bad stands for; `BadInput` for any other word."""
    if word not in display.CHOICES:
        raise BadInput(f"The choice is one of {', '.join(display.CHOICES)}.")
    return display.CHOICES[word]


def _who() -> str:
    who = visitor.known()
    if who is None:
        raise NoBattle("no visitor")
    return who


def _battle_page(view: BattleView) -> Response:
    return make_response(render_template("battle.html", battle=view, language=_language(view)))


def _language(view: BattleView) -> str | None:
    """The `lang` attribute of a text in a known language: fonts and screen readers choose by it."""
    tag = view.language or ""
    return tag if tag.replace("-", "").isalnum() and tag.isascii() and len(tag) <= 20 else None


@dataclass(frozen=True)
class Revealed:
    """One side after the vote."""

    side: str
    model: str
    slug: str | None
    standing: Standing | None
    chosen: bool


def _reveal_page(receipt: Receipt, who: str) -> Response:
    release = current.release_if_reachable()
    board = _own_board(release)
    addresses = leaderboard.addresses(release) if release else {}
    sides = tuple(
        Revealed(side, model, addresses.get(model), _standing(model, board), receipt.outcome is chosen)
        for side, model, chosen in (("A", receipt.model_a, Outcome.A), ("B", receipt.model_b, Outcome.B))
    )
    page = render_template(
        "reveal.html",
        receipt=receipt,
        sides=sides,
        board=board,
        battle=_texts(receipt.battle_id, who),
        release=release,
        repeated=request.args.get("again") is not None,
    )
    return make_response(page)


def _own_board(release: Release | None) -> PublishedBoard | None:
    if release is None:
        return None
    return next((board for board in release.boards if board.collection == OWN_COLLECTION), None)


def _standing(model: str, board: PublishedBoard | None) -> Standing | None:
    rows = board.plain.leaderboard.models if board is not None else ()
    return next((row for row in rows if row.model == model), None)


def _texts(battle_id: str, who: str) -> BattleView | None:
    """The answers once more, as far as they are still kept."""
    try:
        return current.arena().battle(battle_id, who)
    except (NoBattle, StoreUnavailable):
        return None
