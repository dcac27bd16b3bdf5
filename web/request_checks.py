"""Every POST is checked before a view sees it: where it comes from, its token, its shape and its size."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Request, Response, g, request
from flask_wtf.csrf import CSRFProtect, generate_csrf, validate_csrf
from werkzeug.exceptions import BadRequest, ClientDisconnected, UnsupportedMediaType
from werkzeug.wsgi import LimitedStream, get_content_length
from wtforms import ValidationError  # type: ignore[import-untyped]

from arena.voters.captcha import LONGEST_ANSWER
from web.options import Options

UNSAFE = frozenset(("POST", "PUT", "PATCH", "DELETE"))
TOKEN_FIELD = "csrf_token"
TOKEN_HEADER = "X-CSRF-Token"
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
MOST_FIELDS = 20
LARGEST_DRAIN = (
    16 * 1024 * 1024
)  # bytes read and dropped so that a client gets its 413; beyond, it is cut off
DRAIN_PIECE = 64 * 1024
DRAIN_SECONDS = 5.0
LONGEST_TEXT = 1000  # characters of one field; ours need at most a few hundred
# What the widgets of checks against robots call their field; the first is for programs of our JSON.
PROOFS = ("challenge_response", "cf-turnstile-response", "h-captcha-response", "g-recaptcha-response")


class Refused(BadRequest):
    """A request that we do not take, with a stable code and words for a person."""

    def __init__(self, status: int, kind: str, words: str) -> None:
        super().__init__(words)
        self.code = status
        self.kind = kind


class Bounded:
    """A body ends where its Content-Length says: not every server ends it there, and the drain below reads to the end."""

    def __init__(self, inner: WSGIApplication) -> None:
        self._inner = inner

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        length = get_content_length(environ)
        if length is not None:
            environ["wsgi.input"] = LimitedStream(environ["wsgi.input"], length)
        return self._inner(environ, start_response)


def configure(app: Flask, options: Options) -> None:
    """Check all unsafe requests of `app`. Views listed in `TOKENLESS` need no token, but a right origin."""
    app.config.update(
        MAX_CONTENT_LENGTH=options.largest_body,
        MAX_FORM_MEMORY_SIZE=options.largest_body,
        MAX_FORM_PARTS=MOST_FIELDS,
        WTF_CSRF_CHECK_DEFAULT=False,  # `check` below covers JSON fields too, and refuses in our own words
        WTF_CSRF_TIME_LIMIT=None,  # as old as the cookie it is bound to
        WTF_CSRF_HEADERS=[TOKEN_HEADER],
    )
    app.wsgi_app = Bounded(app.wsgi_app)  # type: ignore[method-assign]
    CSRFProtect(app)  # type: ignore[no-untyped-call]
    schemes = {"https"} if options.https else {"http", "https"}

    @app.before_request
    def check() -> None:
        if request.method in UNSAFE and request.endpoint is not None:
            _check_origin(request, schemes)
            g.fields = _fields(request)
            if request.endpoint not in TOKENLESS and not _bears_token(request):
                _check_token(request, g.fields)

    @app.after_request
    def drain(response: Response) -> Response:
        """Read what a refused request still sends: many clients look for the answer only after their last byte."""
        left = LARGEST_DRAIN if request.content_length or "Transfer-Encoding" in request.headers else 0
        deadline = time.monotonic() + DRAIN_SECONDS
        with suppress(OSError, ClientDisconnected):
            while left > 0 and time.monotonic() < deadline:
                piece = request.input_stream.read(min(left, DRAIN_PIECE))
                left = left - len(piece) if piece else 0
        return response


TOKENLESS = {"api.open_battle"}  # hands out the token


def token() -> str:
    """The token of this visitor, for a program that reads no form."""
    return str(generate_csrf())  # type: ignore[no-untyped-call]


def _bears_token(asked: Request) -> bool:
    """A bearer token is never sent by a browser on its own; the owner's views check it (`admin.owner_only`)."""
    return asked.blueprint == "admin" and asked.headers.get("Authorization", "").startswith("Bearer ")


def field(name: str) -> str:
    """The value of a required text field of this request, from a form or a JSON object."""
    value = g.fields.get(name)
    if not isinstance(value, str) or not value:
        raise Refused(400, "missing_field", f"The field “{name}” is missing.")
    return value


def captcha_token() -> str:
    """What the widget of a check against robots put into this request; empty when it put nothing."""
    found = (g.fields.get(name) for name in PROOFS)
    return next((value for value in found if isinstance(value, str) and value), "")


def _check_origin(asked: Request, schemes: set[str]) -> None:
    """Another site must not act for a visitor. Programs send neither header; their token protects them."""
    site = asked.headers.get("Sec-Fetch-Site")
    if site is not None and site not in ("same-origin", "none"):
        raise Refused(403, "cross_site", CROSS_SITE)
    origin = asked.headers.get("Origin")
    if origin is None:
        return
    if origin.lower() not in {f"{scheme}://{asked.host.lower()}" for scheme in schemes}:
        raise Refused(403, "cross_site", CROSS_SITE)


CROSS_SITE = (
    "This request came from another website, so nothing was stored. "
    "Please open this arena itself and vote from its own page."
)
NO_TOKEN = (
    "This request did not carry the token that shows that it came from our own page, so nothing was stored. "
    "Usually the page is old or your browser does not keep our cookie. Please open the page again."
)


def _check_token(asked: Request, fields: dict[str, Any]) -> None:
    token = fields.get(TOKEN_FIELD) or asked.headers.get(TOKEN_HEADER)
    try:
        validate_csrf(token if isinstance(token, str) else None)  # type: ignore[no-untyped-call]
    except ValidationError:
        raise Refused(400, "csrf", NO_TOKEN) from None


def _fields(asked: Request) -> dict[str, Any]:
    """Form or JSON fields, each once, short and without control characters."""
    if asked.mimetype in FORM_TYPES:
        fields = _form(asked)
    elif asked.mimetype == "application/json":
        fields = _json(asked)
    elif not asked.get_data():
        fields = {}
    else:
        raise UnsupportedMediaType("Send a form or JSON (application/json).")
    if len(fields) > MOST_FIELDS:
        raise Refused(400, "bad_field", "There are too many fields.")
    for name, value in fields.items():
        longest = LONGEST_ANSWER if name in PROOFS else LONGEST_TEXT
        for text, most in ((name, LONGEST_TEXT), (value, longest)):
            if isinstance(text, str) and (len(text) > most or not text.isprintable()):
                raise Refused(400, "bad_field", "A field is too long or holds control characters.")
    return fields


def _form(asked: Request) -> dict[str, Any]:
    if asked.files:
        raise UnsupportedMediaType("Files are not taken here.")
    if not asked.form and asked.content_length:
        raise Refused(400, "bad_form", "The body is not a form that we can read.")
    if any(len(values) != 1 for _, values in asked.form.lists()):
        raise Refused(400, "repeated_field", "A field was sent more than once.")
    return dict(asked.form)


def _json(asked: Request) -> dict[str, Any]:
    text = asked.get_data()
    if not text.strip():
        return {}
    try:
        return flat_object(text)
    except (ValueError, RecursionError):
        raise Refused(400, "bad_json", "The body is not a flat JSON object that we can read.") from None


def flat_object(text: bytes) -> dict[str, Any]:
    """The object that `text` holds; ValueError for anything else, for repeated names and for nested values."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a name is repeated")
        return dict(pairs)

    def no_constant(token: str) -> None:
        raise ValueError(f"{token} is not JSON")

    found = json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=no_constant)
    if not isinstance(found, dict) or any(isinstance(value, dict | list) for value in found.values()):
        raise ValueError("not a flat object")
    return found
