"""A small arena with invented models on the private store, a release with every kind of line, and clients for both."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.archive.archive import Archive
from arena.bank.bank import Answer, Bank, Prompt
from arena.bank.roster import ModelInfo, Roster
from arena.service import Arena
from arena.store.store import Store
from ratings.releases import storage
from ratings.releases.release import Release
from tests.web.boards import example_release
from web.app import create_app
from web.main import counters
from web.options import Options

SECRET = "a secret of this test run, long enough"
OWNER_TOKEN = "the owner's own token"

ROSTER = Roster(
    (
        ModelInfo("zorblax-9", "zorblax-9", "Vexonic Labs", "Apache-2.0", aliases=("Zorblax Nine",)),
        ModelInfo("quimby/XL 2", "quimby-xl-2", "Drofnar AG", "MIT", aliases=("quimbyxl",)),
        ModelInfo("plonkette", "plonkette", "Uvrel Institute", None),
    )
)
PROMPTS = {
    "p1": Prompt("p1", "Which is **heavier**: a kilogram of feathers or of lead?", ("reasoning",), "en"),
    "p2": Prompt("p2", "Write a loop in Python.", ("coding",), "en"),
}


def small_bank() -> Bank:
    """Two prompts, three models, one answer each."""
    answers = {
        (prompt, model.name): (
            Answer(prompt, model.name, f"Answer number {n} to {prompt}.\n\n* one\n* two\n\n`x < {n}`"),
        )
        for prompt in PROMPTS
        for n, model in enumerate(ROSTER)
    }
    return Bank(PROMPTS, answers)


def bank_of(*texts: str) -> Bank:
    """One prompt for each text, which is the answer of every model."""
    prompts = {f"t{n}": Prompt(f"t{n}", f"Question {n}") for n in range(len(texts))}
    answers = {
        (f"t{n}", model.name): (Answer(f"t{n}", model.name, text),)
        for n, text in enumerate(texts)
        for model in ROSTER
    }
    return Bank(prompts, answers)


@pytest.fixture(scope="session")
def base_url() -> None:
    """Pages are named whole. (The plugin's own fixture of this name warns under this pytest.)"""


MakeApp = Callable[..., Flask]


@pytest.fixture
def make_app(store: Store, clock: Callable[[], float], tmp_path: Path) -> MakeApp:
    """An application on the test's store; keyword arguments change options, `bank` and `roster` the arena."""

    def make(bank: Bank | None = None, roster: Roster = ROSTER, **changes: Any) -> Flask:
        arena = Arena(
            store,
            bank if bank is not None else small_bank(),
            roster,
            archive=Archive(str(tmp_path / "archive"), lambda: roster.hidden),
            clock=clock,
            rng=random.Random(7),
        )
        return create_app(arena, store.releases, replace(options_for(store), **changes))

    return make


def options_for(store: Store) -> Options:
    url, limits_options = counters(store.client.url, store)
    return Options(
        secret=SECRET,
        admin_token=OWNER_TOKEN,
        battles_per_visitor_minute=10_000,
        votes_per_visitor_minute=10_000,
        battles_per_minute=10_000,
        votes_per_minute=10_000,
        votes_per_day=100_000,
        limits_url=url,
        limits_options=limits_options,
    )


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    return make_app()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def release(store: Store) -> Release:
    """A published release; see `boards.example_release`."""
    made = example_release()
    fence = store.locks.take("refresh", 60)
    assert fence is not None
    assert storage.publish(store.releases, made, fence)
    return made


@pytest.fixture
def battle(client: FlaskClient) -> dict[str, Any]:
    """An open battle of `client`, as JSON."""
    answer = client.post("/api/v1/battles")
    assert answer.status_code == 201
    return answer.get_json()
