"""The only place that knows status codes: every error as a page for a person or as problem+json for a program."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import Flask, Response, g, make_response, render_template, request
from flask_limiter.errors import RateLimitExceeded
from limits.errors import StorageError
from werkzeug.exceptions import BadHost, HTTPException

from arena import errors
from web import limits
from web.request_checks import Refused

RETRY_SECONDS = 5
CHOICES = ("a", "b", "tie", "both_bad")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fault:
    """What a caller is told: a status, a stable code, a title, and a sentence that helps."""

    status: int
    code: str
    title: str
    detail: str
    retry_after_seconds: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


UNAVAILABLE = Fault(
    503,
    errors.StoreUnavailable.code,
    "Votes cannot be stored at this moment",
    "Nothing is lost. Please try again in a few seconds.",
    RETRY_SECONDS,
)
FAULTS: Mapping[type[errors.ArenaError], Fault] = {
    errors.BattleExpired: Fault(
        410,
        errors.BattleExpired.code,
        "This battle is over",
        "It was open for a limited time, so this vote was not stored. A new battle is waiting for you.",
    ),
    # Another visitor's battle looks like no battle: nobody learns which ids exist.
    errors.NotYours: Fault(
        404,
        errors.NoBattle.code,
        "There is no such battle for you",
        "It does not exist, or it was shown in another browser. Nothing was stored.",
    ),
    errors.NoBattle: Fault(
        404,
        errors.NoBattle.code,
        "There is no such battle for you",
        "It does not exist, or it was shown in another browser. Nothing was stored.",
    ),
    errors.NothingToServe: Fault(
        503,
        errors.NothingToServe.code,
        "There are no answers to compare yet",
        "The bank of prompts and answers is empty, or no prompt has answers of two models. "
        "Whoever runs this arena can fill it with: python -m arena bank import FILE",
        60,
    ),
    errors.NoData: Fault(
        404, errors.NoData.code, "There is nothing here", "No ranking holds what this address asks for."
    ),
    errors.Busy: Fault(
        409, errors.Busy.code, "Somebody else is doing this", "Please try again in a moment.", RETRY_SECONDS
    ),
}
DETAILS = {
    404: "Nothing is at this address.",
    405: "This address is there, but not for this kind of request.",
    413: "The request is larger than anything that this service needs.",
}
TITLES = {
    400: "This request cannot be understood",
    401: "Please sign in",
    403: "This is not allowed",
    404: "There is no such page",
    405: "This address is used in another way",
    408: "The request took too long",
    413: "This is too large",
    415: "This kind of content is not taken here",
    429: "That was a bit too fast",
}


def configure(app: Flask) -> None:
    """Answer every error of `app`; none reaches the visitor as a trace."""

    @app.errorhandler(errors.ArenaError)
    def known(error: errors.ArenaError) -> Response:
        if isinstance(error, errors.StoreUnavailable):
            log.warning("%s: %s", request.endpoint, error)
        return answer(_of_arena(error))

    @app.errorhandler(StorageError)
    def uncounted(error: StorageError) -> Response:
        log.warning("limits cannot be counted: %s", error.storage_error)
        return answer(UNAVAILABLE)

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> Response:
        if error.response is not None:
            return make_response(error.response)
        return answer(_of_http(error))

    @app.errorhandler(Exception)
    def unknown(error: Exception) -> Response:
        log.exception("request failed: %s %s", request.method, request.endpoint)
        return answer(
            Fault(
                500,
                "internal_error",
                "Something went wrong here",
                "It was written down and will be looked at.",
            )
        )


def wants_json() -> bool:
    """Whether the caller reads JSON; also where the Host header is no name, since no page with links can be made."""
    return request.path.startswith("/api/") or isinstance(request.routing_exception, BadHost)


def answer(fault: Fault) -> Response:
    """`fault` in the form that this caller reads, with the voter's choice kept where there is one."""
    response = _problem(fault) if wants_json() else _page(fault)
    response.status_code = fault.status
    if fault.retry_after_seconds is not None:
        response.headers["Retry-After"] = str(fault.retry_after_seconds)
    response.headers.update(fault.headers)
    return response


def _problem(fault: Fault) -> Response:
    body = {
        "type": "about:blank",
        "title": fault.title,
        "status": fault.status,
        "detail": fault.detail,
        "code": fault.code,
    }
    return Response(json.dumps(body), mimetype="application/problem+json")


def _page(fault: Fault) -> Response:
    return make_response(render_template("error.html", fault=fault, kept=_kept_choice(fault)))


def _kept_choice(fault: Fault) -> Mapping[str, str] | None:
    """The vote that could not be taken now and may be sent again as it was."""
    if request.endpoint != "battle.vote" or fault.status not in (429, 503):
        return None
    fields = g.get("fields") or {}
    kept = {name: fields.get(name) for name in ("battle_id", "choice")}
    if kept["choice"] not in CHOICES or not isinstance(kept["battle_id"], str):
        return None
    return {name: str(value) for name, value in kept.items()}


def _of_arena(error: errors.ArenaError) -> Fault:
    if isinstance(error, errors.StoreUnavailable):
        return UNAVAILABLE
    if isinstance(error, errors.TooManyRequests):
        return _too_fast(error.retry_after_seconds)
    if isinstance(error, errors.BadInput):
        return Fault(400, error.code, TITLES[400], str(error))
    for kind in type(error).__mro__:
        if kind in FAULTS:
            return FAULTS[kind]
    log.error("no page for %s: %s", type(error).__name__, error)
    return Fault(500, error.code, "Something went wrong here", "It was written down and will be looked at.")


def _of_http(error: HTTPException) -> Fault:
    if isinstance(error, RateLimitExceeded):
        return _too_fast(limits.retry_after_seconds(error))
    status = error.code or 500
    if isinstance(error, Refused):
        return Fault(status, error.kind, TITLES.get(status, TITLES[400]), str(error.description))
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    code = error.name.lower().replace(" ", "_").replace("'", "")
    return Fault(
        status,
        code,
        TITLES.get(status, error.name),
        DETAILS.get(status, str(error.description)),
        headers=headers,
    )


def _too_fast(seconds: int) -> Fault:
    return Fault(
        429,
        errors.TooManyRequests.code,
        TITLES[429],
        f"A limit is reached. Please try again after {_duration(seconds)}.",
        seconds,
    )


def _duration(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
