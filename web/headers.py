"""Headers of every response: what a page may load, where it may send, who may frame it, what may be kept."""

from __future__ import annotations

from flask import Flask, Response

from web.options import Options

# img-src 'self': an image from elsewhere would tell a third party which answer is being read.
POLICY = "; ".join(
    (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "font-src 'self'",
        "connect-src 'self'", "manifest-src 'self'", "form-action 'self'", "frame-ancestors 'none'",
        "base-uri 'none'", "object-src 'none'",
    )
)  # fmt: skip
FIXED = {
    "Content-Security-Policy": POLICY,
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


def configure(app: Flask, options: Options) -> None:
    """Set the headers on all responses of `app`, errors and files included."""

    @app.after_request
    def add(response: Response) -> Response:
        response.headers.update(FIXED)
        if options.https:
            response.headers["Strict-Transport-Security"] = HSTS
        # What one visitor sees is kept by nobody, and no validator (ETag) tells two answers apart.
        response.headers.setdefault("Cache-Control", "no-store")
        if response.mimetype in TEXTS and "charset" not in response.mimetype_params:
            response.headers["Content-Type"] = f"{response.mimetype}; charset=utf-8"
        return response
