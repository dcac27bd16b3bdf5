"""Headers of every response: what a page may load, where it may send, who may frame it, what may be kept."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from flask import Flask, Response, request

from web.options import Options

# img-src 'self': an image from elsewhere would tell a third party which answer is being read.
POLICY: Mapping[str, tuple[str, ...]] = {
    "default-src": ("'none'",),
    **{f"{kind}-src": ("'self'",) for kind in ("script", "style", "img", "font", "connect", "manifest")},
    "form-action": ("'self'",),
    "frame-ancestors": ("'none'",),
    "base-uri": ("'none'",),
    "object-src": ("'none'",),
}
WIDGET_KINDS = ("script-src", "style-src", "connect-src", "frame-src")  # what a check against robots loads
FIXED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send `Origin: null` with our own forms, and the origin check needs it.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
HSTS = "max-age=31536000"
TEXTS = ("application/json", "application/problem+json", "application/x-ndjson", "image/svg+xml")


def policy(widget: str | None = None) -> str:
    """The content policy; `widget`: address of a script whose host may also be loaded from, but for images."""
    found = dict(POLICY)
    if widget is not None:
        parts = urlsplit(widget)
        for kind in WIDGET_KINDS:
            found[kind] = (*found.get(kind, ()), f"{parts.scheme}://{parts.netloc}")
    return "; ".join(f"{kind} {' '.join(sources)}" for kind, sources in found.items())


def configure(app: Flask, options: Options) -> None:
    """Set the headers on all responses of `app`, errors and files included."""

    plain, with_widget = policy(), policy(options.challenge_script)

    @app.after_request
    def add(response: Response) -> Response:
        response.headers.update(FIXED)
        of_battle = request.blueprint == "battle"
        response.headers["Content-Security-Policy"] = with_widget if of_battle else plain
        if options.https:
            response.headers["Strict-Transport-Security"] = HSTS
        # What one visitor sees is kept by nobody, and no validator (ETag) tells two answers apart.
        response.headers.setdefault("Cache-Control", "no-store")
        if response.mimetype in TEXTS and "charset" not in response.mimetype_params:
            response.headers["Content-Type"] = f"{response.mimetype}; charset=utf-8"
        return response
