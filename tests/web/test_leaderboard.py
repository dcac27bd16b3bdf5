"""The leaderboard as a page and as JSON: nulls last, ranks never renumbered, one release per response."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from arena.store.store import Store
from ratings.releases import storage
from ratings.releases.release import Release
from tests.web.boards import LINES, example_release
from tests.web.conftest import MakeApp
from web import standings


def strict(text: str) -> object:
    """`text` parsed as JSON; a NaN or Infinity token raises."""
    return json.loads(text, parse_constant=lambda token: pytest.fail(f"{token} in JSON"))


def names(page: str) -> list[str]:
    return [
        re.sub("<[^>]+>", "", name)
        for name in re.findall(r'scope="row">(?:<a[^>]*>)?(.*?)(?:</a>| <span|</th>)', page)
    ]


@pytest.mark.parametrize("style", ["", "?style=1"])
def test_json_is_strict_and_whole(client: FlaskClient, release: Release, style: str) -> None:
    answer = client.get(f"/api/v1/leaderboard{style}")

    body = strict(answer.text)
    assert answer.mimetype == "application/json"
    assert isinstance(body, dict)
    assert (body["release"], body["board"]) == (release.id, "arena")
    assert [row["model"] for row in body["models"]] == [row.model for row in LINES]
    separated, unrated = body["models"][3], body["models"][5]
    assert (separated["high"], separated["rank"], separated["status"]) == (None, None, "separated")
    assert (unrated["rating"], unrated["low"], unrated["win_rate"]) == (None, None, None)


def test_the_page_shows_a_dash_and_a_reason(client: FlaskClient, release: Release) -> None:
    page = client.get("/leaderboard").text

    for words in (
        "[1300, ∞]",
        "beaten by nobody",
        "never beat or tied",
        "no usable vote",
        "preliminary",
        "[3, 4]",
    ):
        assert words in page
    assert "NaN" not in page
    assert "None" not in page
    assert "merlin &lt;b&gt;XL&lt;/b&gt;" in page


def test_the_page_says_what_was_counted_and_what_not(client: FlaskClient, release: Release) -> None:
    page = client.get("/leaderboard").text

    for words in (
        "one of the answers is empty",
        "Rejected",
        "Duplicates",
        "210",
        "181",
        "seed 1",
        "1000 bootstrap rounds",
    ):
        assert words in page
    assert "python -m ratings verify 000000000000" in page


def test_style_control_stands_beside_the_plain_board(client: FlaskClient, release: Release) -> None:
    plain, styled = client.get("/leaderboard").text, client.get("/leaderboard?style=1").text

    assert "Effect of style" not in plain
    assert "1095" in styled
    assert "1104" in styled
    assert "+36.5" in styled
    assert "no answer differs in it" in styled


@pytest.mark.slow
@pytest.mark.parametrize("sort", ["rating", "votes", "wins", "name"])
def test_sorting_puts_what_is_not_known_last(client: FlaskClient, release: Release, sort: str) -> None:
    rows = standings.rows(release.boards[0].plain.leaderboard, sort=sort, words="")
    value = {"rating": "rating", "wins": "win_rate"}.get(sort)

    if value is not None:
        known = [getattr(row, value) is not None for row in rows]
        assert known == sorted(known, reverse=True)
    assert names(client.get(f"/leaderboard?sort={sort}").text)[: len(rows)] == [
        row.model.replace("<", "&lt;").replace(">", "&gt;") for row in rows
    ]


def test_finding_a_model_never_renumbers_it(client: FlaskClient, release: Release) -> None:
    page = client.get("/leaderboard?find=PLONK").text

    assert 'class="place">3 ' in page
    assert "zorblax" not in page.split("<tbody")[1].split("</tbody>")[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", ["?find=<script>x</script>", "?sort=nope", "?style=nope&find=%00", "?find=" + "x" * 9000]
)
def test_odd_queries_do_no_harm(client: FlaskClient, release: Release, query: str) -> None:
    answer = client.get(f"/leaderboard{query}")

    assert answer.status_code == 200
    assert "<script>x" not in answer.text


def test_the_csv_is_safe_for_spreadsheets(client: FlaskClient, release: Release) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get("/api/v1/leaderboard/arena.csv").text)))

    assert [row["model"] for row in rows] == [
        "'=SUM(A1)" if row.model.startswith("=") else row.model for row in LINES
    ]
    assert float(rows[0]["rating"]) == 1104.25
    assert rows[5]["rating"] == ""


def test_before_the_first_release_the_page_says_what_is_missing(client: FlaskClient) -> None:
    page, data = client.get("/leaderboard"), client.get("/api/v1/leaderboard")

    assert page.status_code == 200
    assert "python -m ratings refresh" in page.text
    assert (data.status_code, data.get_json()["code"]) == (404, "no_data")


def test_a_board_without_votes_says_how_they_come_in(client: FlaskClient, release: Release) -> None:
    page = client.get("/leaderboard/empty").text

    assert "no vote of “nobody” counted" in page
    assert "python -m arena import FILE --into nobody" in page


def test_a_board_that_could_not_be_renewed_says_so(client: FlaskClient, store: Store) -> None:
    made = replace(example_release(), faults={"second": "no convergence in 100 steps"})
    storage.publish(store.releases, made, store.locks.take("refresh", 60) or 0)

    text = client.get("/leaderboard/second").text

    assert "could not rank this board (no convergence in 100 steps)" in text
    assert "could not rank" not in client.get("/leaderboard/arena").text


def test_the_first_board_with_votes_is_shown_first(client: FlaskClient, store: Store) -> None:
    made = example_release()
    made = type(made)(made.id, made.at, (made.boards[2], made.boards[1]))
    storage.publish(store.releases, made, store.locks.take("refresh", 60) or 0)

    assert client.get("/api/v1/leaderboard").get_json()["board"] == "second"
    assert "Second board</h1>" in client.get("/leaderboard").text


def test_an_unknown_board_is_not_found(client: FlaskClient, release: Release) -> None:
    assert client.get("/leaderboard/nope").status_code == 404
    assert client.get("/api/v1/leaderboard/nope.csv").status_code == 404


@pytest.mark.slow
def test_each_response_is_one_release_while_releases_are_switched(make_app: MakeApp, store: Store) -> None:
    client = make_app().test_client()
    fence = store.locks.take("refresh", 600)
    assert fence is not None
    releases = [made_of(number) for number in range(1, 6)]
    storage.publish(store.releases, releases[0], fence)
    stop = threading.Event()

    def switch() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            storage.publish(store.releases, releases[number % 5], fence)

    writer = threading.Thread(target=switch)
    writer.start()
    try:
        seen = [client.get("/api/v1/leaderboard").get_json() for _ in range(500)]
    finally:
        stop.set()
        writer.join()

    kinds = {
        (body["release"], body["snapshot"]["votes_used"], len(body["models"]), body["models"][0]["low"])
        for body in seen
    }
    assert kinds <= {
        (made.id, made.boards[0].plain.leaderboard.snapshot.votes_used, len(made.boards[0].plain.leaderboard.models),
         made.boards[0].plain.leaderboard.models[0].low)
        for made in releases
    }  # fmt: skip
    assert len(kinds) > 1


def made_of(number: int) -> Release:
    """A release whose every number tells which one it is."""
    made = example_release(f"20250615T15064{number}Z-0000000{number}", 1_750_000_000.0 + number)
    board = made.boards[0]
    plain = board.plain.leaderboard
    lines = tuple(
        replace(row, rating=row.rating and row.rating + number, low=row.low and row.low + number)
        for row in plain.models[: 6 - number]
    )
    changed = replace(
        plain, models=lines, snapshot=replace(plain.snapshot, votes_used=100 + number, models=len(lines))
    )
    return replace(
        made, boards=(replace(board, views=(replace(board.plain, leaderboard=changed),)),), history={}
    )


def test_the_axis_holds_all_ratings_and_leaves_out_what_would_squeeze_them() -> None:
    wide = replace(LINES[0], low=-9000.0, high=20_000.0)

    scale = standings.scale([wide, *LINES[1:3]])

    assert scale.low > -500
    assert scale.high < 2500
    assert all(scale.holds(row.rating) for row in LINES[:3] if row.rating is not None)
    assert not scale.holds(20_000.0)
    assert [0.0 <= scale.at(x) <= 100.0 for x in (-1e9, 0.0, 1e9)] == [True] * 3


def test_an_axis_needs_no_rating() -> None:
    assert standings.scale([]).at(1000.0) == 50.0
    assert standings.scale(LINES[5:]).holds(1000.0)


def test_a_picture_of_the_release_is_a_file(client: FlaskClient, release: Release) -> None:
    good = client.get(f"/charts/{release.id}/arena/plain/whiskers.svg")

    assert good.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert client.get(f"/charts/{release.id}/arena/plain/nope.svg").status_code == 404
    assert client.get("/charts/other/arena/plain/whiskers.svg").status_code == 404


def test_equal_ratings_without_intervals_stand_inside_their_axis() -> None:
    row = replace(example_release().boards[0].plain.leaderboard.models[0], rating=1000.0, low=None, high=None)

    axis = standings.scale([row, row])

    assert axis.low < 1000 < axis.high
    assert len(set(axis.ticks)) > 1
