"""For those who run it: is the process alive, would a vote be kept now, and numbers for a monitor."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from flask import Blueprint, Flask, Response, current_app, g, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Histogram,
    generate_latest,
    multiprocess,
    values,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from arena.errors import StoreUnavailable
from arena.service import Arena
from arena.voters.captcha import CaptchaChecks
from ratings.releases.storage import Latest
from web import current
from web.errors import RETRY_SECONDS

blueprint = Blueprint("ops", __name__)

_METRICS = "arena.metrics"
TOTALS = ("battles", "votes", "skips")
REASON = "reason:"
FAILING = "the worker that ranks the votes fails: the rankings stay as they were; the owner's page and the log say why"
NOTHING = (
    "there is nothing to vote on: no prompt has answers of two models that take part "
    "(python -m arena bank import FILE)"
)
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


@blueprint.get("/healthz")
def healthy() -> Response:
    """The process answers, and says how votes are checked for robots if they are; never fails for the store's sake."""
    if current.arena().verifier is None:
        return _json({"status": "ok"}, 200)
    try:
        checks = current.arena().checks()
    except StoreUnavailable:
        return _json({"status": "ok", "challenges": None}, 200)
    return _json({"status": "ok", "challenges": _checks_object(checks)}, 200)


def _checks_object(checks: CaptchaChecks) -> Mapping[str, Any]:
    """Votes of the last hour by what their check came to."""
    return {**asdict(checks), "share_unchecked": checks.share_unchecked, "alarm": checks.alarm}


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Crawlers read the rankings; battles are for people."""
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in ("/$", "/battles/", "/me", "/admin", "/api/")),
    ]
    return Response("\n".join(lines) + "\n", mimetype="text/plain")


@blueprint.get("/readyz")
def ready() -> Response:
    """200 only while a visitor can vote and an acknowledged vote cannot be lost; else 503 with each fault."""
    found = readiness(current.arena())
    body = {"status": "ready" if found.ready else "not ready", **asdict(found)}
    response = _json(body, 200 if found.ready else 503)
    if not found.ready:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


@dataclass(frozen=True)
class Readiness:
    """`faults` keep people from voting or endanger votes; `warnings` do neither, yet."""

    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        return not self.faults


def readiness(arena: Arena) -> Readiness:
    """What stands in the way now. Paths and values of files stay in the log."""
    fault, serves = arena.files_fault(), _serves(arena)
    unread = "the bank or the roster of models cannot be read: python -m arena bank check says why"
    found = _store_faults(arena)
    warned = _worker_warnings(arena)
    if not serves:
        found.append(unread if fault else NOTHING)
        return Readiness(tuple(found), warned)
    return Readiness(tuple(found), ((f"{unread}; the last good one is shown",) if fault else ()) + warned)


def _worker_warnings(arena: Arena) -> tuple[str, ...]:
    """The worker only ranks: while it fails, people vote on. Why it fails is for the owner alone."""
    try:
        return (FAILING,) if arena.store.worker.faults() else ()
    except StoreUnavailable:
        return ()


def _serves(arena: Arena) -> bool:
    try:
        return bool(arena.bank.only(arena.roster).shared)
    except StoreUnavailable:  # no roster: nothing is shown, since private models would be named
        return False


def _store_faults(arena: Arena) -> list[str]:
    try:
        faults = arena.store.admin.durability_faults()
    except StoreUnavailable:
        return ["the vote store does not answer"]
    if not faults and arena.store.admin.write_fault() is not None:
        return ["the vote store takes no votes: it is full, read-only, or its disk is in trouble"]
    return faults


@blueprint.get("/metrics")
def metrics() -> Response:
    """Totals only: nothing here moves with the models of one open battle."""
    registry = CollectorRegistry()
    registry.register(StoreNumbers(current.arena(), current.latest()))
    _requests().report(registry)
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


@dataclass(frozen=True)
class StoreNumbers(Collector):
    """What the store knows, the same from every worker."""

    arena: Arena
    latest: Latest

    def collect(self) -> Iterable[Metric]:
        up = GaugeMetricFamily("arena_store_up", "1 while the vote store answers")
        try:
            counts, checks = self.arena.store.admin.counts(), self.arena.checks()
            release, failing = self.latest.release(), self.arena.store.worker.faults()
            failures = self.arena.store.worker.failures()
        except StoreUnavailable:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        yield up
        for name in TOTALS:
            yield CounterMetricFamily(f"arena_{name}", f"{name} since the beginning", counts.get(name, 0))
        apart = CounterMetricFamily(
            "arena_votes_not_counted", "Votes kept but not counted", labels=["reason"]
        )
        for name, count in sorted(counts.items()):
            if name.startswith(REASON):
                apart.add_metric([name.removeprefix(REASON)], count)
        yield apart
        yield GaugeMetricFamily(
            "arena_worker_failing", "1 while the worker that ranks votes fails", float(bool(failing))
        )
        yield CounterMetricFamily(
            "arena_worker_failures", "Failures of the worker since the beginning", failures
        )
        if self.arena.verifier is not None:
            yield from _check_numbers(checks)
        if release is not None:
            yield GaugeMetricFamily("arena_release_at_seconds", "Instant of the current release", release.at)


def _check_numbers(checks: CaptchaChecks) -> Iterable[Metric]:
    votes = GaugeMetricFamily(
        "arena_challenges", "Votes of the last hour by the state of their check for robots", labels=["state"]
    )
    for state, count in asdict(checks).items():
        votes.add_metric([state], count)
    yield votes
    alarm = GaugeMetricFamily(
        "arena_challenge_alarm", "1 while more than half of the hour's votes could not be checked"
    )
    alarm.add_metric([], checks.alarm)
    yield alarm


class Requests:
    """Requests of this process by view, method and status. With PROMETHEUS_MULTIPROC_DIR set, of all workers."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.seconds = Histogram(
            "arena_request_seconds",
            "Time to answer",
            ["view", "method", "status"],
            buckets=SECONDS,
            registry=self.registry,
        )

    def report(self, registry: CollectorRegistry) -> None:
        if values.ValueClass._multiprocess:
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry.register(self.seconds)


def configure(app: Flask) -> None:
    """Time every request of `app`."""
    requests = app.extensions[_METRICS] = Requests()

    @app.before_request
    def start() -> None:
        g.started = time.perf_counter()

    @app.after_request
    def stop(response: Response) -> Response:
        spent = time.perf_counter() - g.get("started", time.perf_counter())
        labels = (request.endpoint or "none", request.method, str(response.status_code))
        requests.seconds.labels(*labels).observe(spent)
        return response


def _requests() -> Requests:
    return cast(Requests, current_app.extensions[_METRICS])


def _json(body: Mapping[str, Any], status: int) -> Response:
    return Response(json.dumps(body), status, mimetype="application/json")
