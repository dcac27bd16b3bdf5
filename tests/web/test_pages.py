"""Pages of models, pairs and the visitor; the pages that explain; the owner's page; the monitor's pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.archive.archive import Archive
from arena.bank.bank import Bank
from arena.bank.roster import ModelInfo, Roster
from arena.store import ledger
from arena.store.store import Store
from ratings.releases.release import Release
from tests.arena.traces import traces
from tests.conftest import FixedClock
from tests.web.conftest import OWNER_TOKEN, ROSTER, MakeApp, bank_of
from web import slugs

Battle = dict[str, Any]


def voted(client: FlaskClient, choice: str = "a") -> dict[str, Any]:
    """A battle of `client`, voted on."""
    battle = client.post("/api/v1/battles").get_json()
    headers = {"X-CSRF-Token": battle["csrf_token"]}
    client.post(f"/api/v1/battles/{battle['battle_id']}/vote", json={"choice": choice}, headers=headers)
    return battle


def test_a_model_has_its_standing_and_its_records(client: FlaskClient, release: Release) -> None:
    page = client.get("/models/zorblax-9").text

    for words in (
        "Vexonic Labs",
        "1104",
        "[1073, 1136]",
        "This arena",
        "Second board",
        "quimby/XL 2",
        "/pairs/zorblax-9/quimby-xl-2",
    ):
        assert words in page
    assert "1098" in page  # its oldest release


@pytest.mark.parametrize(
    ("status", "why"), [("active", "no battle is possible"), ("retired", "retired: it is drawn in no battle")]
)
def test_a_model_on_no_board_says_why_and_where(
    make_app: MakeApp, release: Release, status: Literal["active", "retired"], why: str
) -> None:
    newcomer = ModelInfo("castaway-1", "castaway-1", "Lab", None, status=status)
    client = make_app(roster=Roster((*ROSTER, newcomer))).test_client()

    page = client.get("/models/castaway-1").text

    for words in ("Where it does not stand", "This arena", why):
        assert words in page
    assert "/models/castaway-1" in client.get("/governance").text


def test_a_private_model_on_no_board_has_no_page(make_app: MakeApp, release: Release) -> None:
    secret = ModelInfo("castaway-1", "castaway-1", "Lab", None, status="private")

    assert (
        make_app(roster=Roster((*ROSTER, secret))).test_client().get("/models/castaway-1").status_code == 404
    )


@pytest.mark.slow
def test_a_pair_is_seen_from_its_first_model(client: FlaskClient, release: Release) -> None:
    one, other = (
        client.get("/pairs/zorblax-9/quimby-xl-2").text,
        client.get("/pairs/quimby-xl-2/zorblax-9").text,
    )

    assert "For zorblax-9</dt><dd>11 (48" in one
    assert "For quimby/XL 2</dt><dd>7 (30" in other
    assert client.get("/pairs/zorblax-9/zorblax-9").status_code == 404
    assert client.get("/pairs/zorblax-9/nobody").status_code == 404


def test_a_pair_that_never_met_says_so(client: FlaskClient, release: Release) -> None:
    page = client.get("/pairs/quimby-xl-2/plonkette").text

    assert "never met" in page


def test_names_that_fold_to_one_slug_keep_their_own_addresses() -> None:
    names = ["Gemma X", "gemma-x", "gemma_x", "漢字", "日本", "plonkette"]

    found = slugs.assign(names, ROSTER)

    assert len(set(found.values())) == len(names)
    assert found["plonkette"] == "plonkette"
    assert all(slug and slug.isascii() and "/" not in slug for slug in found.values())


def test_my_votes_are_listed_downloaded_and_forgotten(client: FlaskClient, store: Store) -> None:
    voted(client, "a")
    voted(client, "tie")
    page = client.get("/me").text
    file = client.get("/me/votes.json")
    token = page.split('name="csrf_token" value="')[1].split('"')[0]

    answer = client.post("/me/forget", data={"csrf_token": token})

    assert "2 votes from this browser" in page
    assert [vote["choice"] for vote in file.get_json()["votes"]] == ["tie", "a"]
    assert file.headers["Content-Disposition"] == 'attachment; filename="my-votes.json"'
    assert answer.status_code == 303
    assert "No vote from this browser yet" in client.get("/me").text
    assert store.votes.count() == 2


@pytest.mark.parametrize("way", ["/me/forget", "/api/v1/me/forget"])
def test_who_forgets_himself_leaves_nothing_in_store_or_archive(
    make_app: MakeApp, store: Store, tmp_path: Path, way: str
) -> None:
    app = make_app()
    client = app.test_client()
    battles = [voted(client), voted(client, "tie"), client.post("/api/v1/battles").get_json()]
    archive = Archive(str(tmp_path / "archive"))
    archive.archive_new_votes(store)
    (voter,) = archive.read("arena").voters
    words = [voter, *(battle["battle_id"] for battle in battles)]

    answer = client.post(way, headers={"X-CSRF-Token": battles[-1]["csrf_token"]})

    assert answer.status_code == (303 if way == "/me/forget" else 200)
    assert traces(store, archive, tmp_path, words) == []
    late = f"/api/v1/battles/{battles[-1]['battle_id']}/vote"
    token = client.post("/api/v1/battles").get_json()["csrf_token"]
    assert client.post(late, json={"choice": "a"}, headers={"X-CSRF-Token": token}).status_code == 404
    assert store.votes.count() == 2


def test_the_page_says_what_forgetting_did_and_what_is_out_of_reach(client: FlaskClient) -> None:
    voted(client)
    token = client.get("/me").text.split('name="csrf_token" value="')[1].split('"')[0]

    page = client.post("/me/forget", data={"csrf_token": token}, follow_redirects=True).text

    assert "Forgotten: your page, battles and counters are gone" in page
    assert "backups made before" in page


def test_an_unknown_release_has_no_votes_to_download(client: FlaskClient) -> None:
    assert client.get("/api/v1/export/votes.csv?release=20200101T000000Z-1").status_code == 404
    assert client.get("/api/v1/export/votes.csv?release=../../etc").status_code == 404


def test_a_stranger_has_no_votes_and_gets_no_cookie(app: Flask) -> None:
    client = app.test_client()

    page = client.get("/me")

    assert "No vote from this browser yet" in page.text
    assert "Set-Cookie" not in page.headers


def test_governance_shows_models_chances_and_deeds(client: FlaskClient, store: Store, clock: Any) -> None:
    ledger.record(store.ledger, "model", {"model": "plonkette", "status": "active"}, by="owner", clock=clock)

    page = client.get("/governance").text

    for words in ("Vexonic Labs", "few-votes-first/2", "33.33", "owner", "No private model"):
        assert words in page
    assert client.get("/api/v1/changes").get_json()["changes"][0]["kind"] == "model"


def test_the_method_page_names_the_limits(make_app: MakeApp) -> None:
    page = make_app(battles_per_minute=61, refresh_at="03:15").test_client().get("/method").text

    assert "61 battles a minute" in page
    assert "03:15 UTC" in page


# the owner


def sign_in(client: FlaskClient, token: str = OWNER_TOKEN) -> Any:
    page = client.get("/admin").text
    csrf = page.split('name="csrf_token" value="')[1].split('"')[0]
    return csrf, client.post("/admin/login", data={"csrf_token": csrf, "token": token})


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/admin/quarantine", "/admin/lift", "/admin/logout", "/admin/refresh"])
def test_strangers_may_do_nothing(client: FlaskClient, battle: Battle, store: Store, path: str) -> None:
    form = {"csrf_token": battle["csrf_token"], "voter": "x", "why": "y"}

    assert client.post(path, data=form).status_code == 401
    assert client.get(path).status_code == 405
    assert client.post(path, headers={"Authorization": "Bearer wrong"}).status_code in (400, 401)
    assert store.moderation.events() == []


def test_without_an_owner_token_there_is_no_owner_page(make_app: MakeApp) -> None:
    client = make_app(admin_token=None).test_client()

    assert client.get("/admin").status_code == 404


def test_a_wrong_token_is_refused(client: FlaskClient) -> None:
    _, answer = sign_in(client, "wrong")

    assert answer.status_code == 401
    assert "For the owner" in client.get("/admin").text
    assert "Sign out" not in client.get("/admin").text


def test_the_owner_sets_votes_aside_and_lifts_it(client: FlaskClient, store: Store) -> None:
    voted(client)
    voter = store.votes.read()[0][1].voter
    csrf, answer = sign_in(client)

    client.post("/admin/quarantine", data={"csrf_token": csrf, "voter": voter, "why": "clicks at random"})
    aside = store.moderation.quarantined()
    client.post("/admin/lift", data={"csrf_token": csrf, "voter": voter, "why": "it was a mistake"})

    assert answer.status_code == 303
    assert aside == {voter}
    assert store.moderation.quarantined() == set()
    assert [entry.kind for entry in ledger.entries(store.ledger)] == ["quarantine", "lift"]
    assert ledger.faults(store.ledger) == []


def test_the_owner_asks_for_a_refresh(client: FlaskClient, store: Store, clock: FixedClock) -> None:
    csrf, _ = sign_in(client)

    answer = client.post("/admin/refresh", data={"csrf_token": csrf}, follow_redirects=True)

    assert "A refresh was asked for" in answer.text
    assert store.worker.refresh_asked_at() == clock.now
    assert [entry.kind for entry in ledger.entries(store.ledger)] == ["refresh"]


def test_a_program_of_the_owner_needs_no_cookie(client: FlaskClient, store: Store) -> None:
    header = {"Authorization": f"Bearer {OWNER_TOKEN}"}

    answer = client.post("/admin/refresh", headers=header)
    stranger = client.post("/admin/refresh", headers={"Authorization": "Bearer wrong"})
    elsewhere = client.post("/me/forget", headers=header)

    assert (answer.status_code, stranger.status_code, elsewhere.status_code) == (303, 401, 400)
    assert store.worker.refresh_asked_at() is not None


def test_a_new_token_ends_old_sign_ins(make_app: MakeApp, client: FlaskClient) -> None:
    sign_in(client)
    cookie = client.get_cookie("arena")
    assert cookie is not None
    other = make_app(admin_token="another token of the owner").test_client()
    other.set_cookie("arena", cookie.value)

    assert "Sign out" in client.get("/admin").text
    assert "Sign out" not in other.get("/admin").text


def test_guesses_of_the_token_are_limited(client: FlaskClient) -> None:
    statuses = [sign_in(client, f"guess {n}")[1].status_code for n in range(12)]

    assert statuses == [401] * 10 + [429] * 2


# the monitor


def test_health_and_readiness(client: FlaskClient) -> None:
    assert client.get("/healthz").get_json() == {"status": "ok"}
    assert client.get("/readyz").get_json() == {"status": "ready", "faults": [], "warnings": []}


def test_a_failing_worker_is_named_to_all_and_explained_to_the_owner_alone(
    client: FlaskClient, store: Store
) -> None:
    store.worker.failed("refresh", "division by zero", 1e9)

    ready, numbers = client.get("/readyz"), client.get("/metrics").text
    sign_in(client)
    page = client.get("/admin").text

    assert (ready.status_code, ready.get_json()["status"]) == (200, "ready")
    assert "the worker that ranks the votes fails" in ready.get_json()["warnings"][0]
    assert "division" not in ready.text
    assert "arena_worker_failing 1.0" in numbers
    assert "arena_worker_failures_total 1.0" in numbers
    assert "division by zero" in page


@pytest.mark.parametrize("bank", [Bank(), bank_of()])
def test_an_arena_with_nothing_to_vote_on_is_not_ready(make_app: MakeApp, bank: Bank) -> None:
    client = make_app(bank=bank).test_client()

    answer, page = client.get("/readyz"), client.get("/")

    assert (answer.status_code, page.status_code) == (503, 503)
    assert "nothing to vote on" in answer.get_json()["faults"][0]


def test_a_retired_half_of_every_pair_is_not_ready(make_app: MakeApp) -> None:
    first, *rest = ROSTER
    roster = Roster((first, *(replace(model, status="retired") for model in rest)))

    assert make_app(roster=roster).test_client().get("/readyz").status_code == 503


@pytest.mark.parametrize(
    ("name", "bad"), [("appendfsync", "everysec"), ("maxmemory-policy", "allkeys-lru"), ("appendonly", "no")]
)
def test_a_store_that_may_lose_votes_is_not_ready(
    client: FlaskClient, store: Store, name: str, bad: str
) -> None:
    before = store.client.redis.config_get(name)[name]
    store.client.redis.config_set(name, bad)
    try:
        answer = client.get("/readyz")
    finally:
        store.client.redis.config_set(name, before)

    assert answer.status_code == 503
    assert name in answer.get_json()["faults"][0]


def test_metrics_count_votes_and_nothing_of_open_battles(client: FlaskClient, release: Release) -> None:
    before = client.get("/metrics").text
    client.post("/api/v1/battles")
    opened = client.get("/metrics").text
    voted(client)
    after = client.get("/metrics").text

    assert "arena_votes_total 0.0" in before
    assert "arena_votes_total 1.0" in after
    assert f"arena_release_at_seconds {release.at:.2e}".replace("e+0", "e+0")[:26] in after
    assert not any(model.name in text for model in ROSTER for text in (before, opened, after))
    assert 'view="battle.show"' not in after
    assert 'arena_request_seconds_count{method="POST",status="201",view="api.open_battle"} 2.0' in after


def test_governance_counts_only_private_models_that_can_be_drawn(make_app: MakeApp) -> None:
    silent = ModelInfo("hushed-1", "hushed-1", "Vexonic Labs", None, status="private")
    page = make_app(roster=Roster((*ROSTER, silent))).test_client().get("/governance").text

    assert "No private model takes part." in page
    assert "hushed-1" not in page
