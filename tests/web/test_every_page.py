"""Every page that needs no parameter answers with a title and one heading, with a release and without."""

from __future__ import annotations

import re

from flask import Flask

from ratings.releases.release import Release


def pages(app: Flask) -> list[str]:
    return sorted(
        rule.rule
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or set()) and not rule.arguments and not rule.rule.startswith("/api/")
    )


def faults(app: Flask) -> dict[str, str]:
    """What is wrong with each HTML page."""
    found = {}
    client = app.test_client()
    for page in pages(app):
        reply = client.get(page, follow_redirects=True)
        if reply.status_code >= 500:
            found[page] = str(reply.status_code)
        elif reply.mimetype == "text/html":
            text = reply.text
            if not re.search(r"<title>[^<]+</title>", text) or len(re.findall(r"<h1[ >]", text)) != 1:
                found[page] = "needs a title and one h1"
    return found


def test_every_page_answers_with_a_release(app: Flask, release: Release) -> None:
    assert len(pages(app)) >= 8
    assert faults(app) == {}


def test_every_page_answers_without_a_release(app: Flask) -> None:
    assert faults(app) == {}
