"""The Flask application: one function that puts an arena, a releases of releases and some options together."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, url_for
from werkzeug.middleware.proxy_fix import ProxyFix

from arena.service import Arena
from ratings.releases.storage import Latest, ReleaseStorage
from web import (
    admin,
    api,
    api_answers,
    battle,
    benchmarks,
    current,
    diagnosis,
    display,
    errors,
    format,
    headers,
    leaderboard,
    limits,
    models,
    ops,
    pages,
    report,
    request_checks,
    visitor,
)
from web.options import Options

YEAR_SECONDS = 365 * 86_400


def create_app(arena: Arena, releases: ReleaseStorage, options: Options) -> Flask:
    """Pages and JSON around `arena` and the current release in `releases`. Connects to nothing yet."""
    app = Flask(__name__)
    current.init_app(app, arena, Latest(releases), options)
    visitor.configure(app, options)
    request_checks.configure(app, options)
    headers.configure(app, options)
    ops.configure(app)
    benchmarks.configure(app, options)
    for part in (
        battle,
        leaderboard,
        diagnosis,
        models,
        benchmarks,
        report,
        pages,
        api,
        api_answers,
        admin,
        ops,
    ):
        app.register_blueprint(part.blueprint)
    limits.configure(app, options)
    errors.configure(app)
    _dress(app, options)
    if options.trusted_proxies:
        hops = options.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    return app


def _dress(app: Flask, options: Options) -> None:
    """What templates may use."""
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = YEAR_SECONDS  # `asset` puts the content's hash into the address
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(display.FILTERS, text=format.render)
    app.jinja_env.globals.update(asset=asset, site=options.title, challenge=_widget(options))


def _widget(options: Options) -> dict[str, str | None] | None:
    """What a page needs to show the check against robots; None when it shows none."""
    if options.challenge_script is None:
        return None
    host = urlsplit(options.challenge_script).hostname or ""
    marks = {"cloudflare": "cf-turnstile", "hcaptcha": "h-captcha"}
    mark = next((mark for maker, mark in marks.items() if maker in host), "g-recaptcha")
    return {"script": options.challenge_script, "mark": mark, "site_key": options.challenge_site_key}


def asset(name: str) -> str:
    """Address of a file of `static/`, new whenever the file changes."""
    return url_for("static", filename=name, v=_fingerprint(name))


@lru_cache
def _fingerprint(name: str) -> str:
    content = (Path(__file__).parent / "static" / name).read_bytes()
    return hashlib.sha256(content).hexdigest()[:12]
