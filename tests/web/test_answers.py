"""Gaps and findings on pages and as JSON: each number with its interval, the test with its correction, private names never."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from arena.bank.roster import Roster
from arena.store.store import Store
from ratings.releases.payloads import GapTable
from ratings.releases.release import Release
from ratings.releases.storage import publish
from tests.web.boards import example_release
from tests.web.conftest import ROSTER, MakeApp

PRIVATE = Roster((*ROSTER.models[:2], replace(ROSTER.models[2], status="private")))


def test_a_pair_shows_gap_chance_and_test_with_its_correction(client: FlaskClient, release: Release) -> None:
    page = client.get("/pairs/zorblax-9/plonkette").text

    assert "+234.1 [+150.0, +310.0]" in page
    assert "79.4\u202f% [70.3, 85.6]" in page
    assert "corrected for all 3 pairs of the board" in page
    assert "but not among all 3 pairs" in page  # P .02, by Holm .06
    assert "fewer than 10 effective voters" in page


def test_a_pair_that_is_not_told_apart_says_how_many_votes_are_missing(
    client: FlaskClient, release: Release
) -> None:
    page = client.get("/pairs/quimby-xl-2/zorblax-9").text

    assert "do not tell" in page
    assert "about 2,600 more votes on this board" in page


def untested(gaps: GapTable) -> GapTable:
    nothing = [None] * len(gaps.content["a"])
    return GapTable.of({**gaps.content, "tested": 0, "p": nothing, "p_adjusted": nothing})


def test_a_pair_of_a_board_where_none_is_tested_speaks_of_no_correction(
    store: Store, client: FlaskClient
) -> None:
    made = example_release()
    arena = made.boards[0]
    views = tuple(replace(view, gaps=view.gaps and untested(view.gaps)) for view in arena.views)
    made = replace(made, boards=(replace(arena, views=views), *made.boards[1:]))
    assert publish(store.releases, made, store.locks.take("refresh", 60) or 0)

    for path in ("/pairs/zorblax-9/plonkette", "/models/zorblax-9"):
        page = client.get(path).text
        assert "P: two-sided test of no gap" in page
        assert "0 pairs" not in page
        assert "pairs of the board" not in page


def test_a_model_page_has_the_gap_to_each_other_model(client: FlaskClient, release: Release) -> None:
    page = client.get("/models/zorblax-9").text

    assert "+24 [−12, +60]" in page
    assert "53\u202f% [48, 59]" in page
    assert "corrected by Holm for all 3 pairs" in page
    assert 'aria-label="Rating of zorblax-9 over 3 releases, from 1098 to 1100"' in page


def test_pairs_as_json_have_gap_and_votes_as_seen_from_the_same_side(
    client: FlaskClient, release: Release
) -> None:
    body = client.get("/api/v1/pairs?model=quimby/XL 2").get_json()

    assert (body["pairs_tested"], body["correction"]) == (3, "holm")
    met, never_met = body["pairs"]
    assert (met["a"], met["wins"], met["gap"], met["low"], met["high"]) == (
        "zorblax-9",
        11,
        23.75,
        -12.5,
        60.0,
    )
    assert met["win_low"] == pytest.approx(1 - 0.518)
    assert (met["p"], met["p_adjusted"], met["more_votes"]) == (0.19, 0.19, 2600)
    assert (never_met["a"], never_met["b"], never_met["wins"]) == ("plonkette", "quimby/XL 2", 0)
    assert client.get("/api/v1/pairs?model=nobody").status_code == 404


def test_one_model_as_json_has_gaps_and_history(client: FlaskClient, release: Release) -> None:
    board = client.get("/api/v1/models/zorblax-9").get_json()["boards"][0]

    assert {pair["b"]: pair["gap"] for pair in board["pairs"]} == {"quimby/XL 2": 23.75, "plonkette": 234.125}
    assert [point["rating"] for point in board["history"]] == [1098.0, 1099.0, 1100.0]
    assert board["history"][0]["low"] == 1070.0


def test_the_page_of_findings_answers_each_question(client: FlaskClient, release: Release) -> None:
    page = client.get("/leaderboard/arena/diagnosis").text

    for words in (
        "3 of 5 models stand on one scale", "merlin &lt;b&gt;XL&lt;/b&gt;", "share no vote with the rest: lonely",
        "68.3\u202f% [", "more than a fair coin allows", "+34.7 [+8.7, +60.7]",
        "15.0\u202f% ties and 10.0\u202f%", "beat a coin by +0.0312", "1 of 3 tested pairs",
        "1.25 [0.75, 1.75]", "0.50 [0.30, 0.65]", "rare-1", "1 for too few votes", "Without 9 well-chosen votes of 180 (5.00\u202f%)", "2 tiers",
    ):  # fmt: skip
        assert words in page
    assert client.get("/api/v1/diagnosis/arena").get_json()["diagnosis"]["leader"] == "zorblax-9"


def test_a_board_without_findings_has_no_such_page(client: FlaskClient, release: Release) -> None:
    assert client.get("/leaderboard/second/diagnosis").status_code == 404
    assert client.get("/leaderboard/empty/diagnosis").status_code == 404
    assert client.get("/leaderboard/nope/diagnosis").status_code == 404
    assert client.get("/api/v1/diagnosis/second").get_json()["diagnosis"] is None
    assert "diagnosis" not in client.get("/leaderboard/second").text


def test_tiers_stand_beside_ranks(client: FlaskClient, release: Release) -> None:
    page = client.get("/leaderboard").text

    assert page.count("tier 1</span>") == 2
    assert page.count("tier 2</span>") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/leaderboard", "/leaderboard/arena/diagnosis", "/api/v1/diagnosis", "/api/v1/pairs", "/models/zorblax-9",
        "/api/v1/models/zorblax-9",
    ],
)  # fmt: skip
def test_a_private_name_is_in_no_answer(make_app: MakeApp, release: Release, path: str) -> None:
    client = make_app(roster=PRIVATE).test_client()

    answer = client.get(path)

    assert answer.status_code == 200
    assert "plonkette" not in answer.text
    assert client.get("/pairs/zorblax-9/plonkette").status_code == 404
    assert client.get("/api/v1/pairs?model=plonkette").status_code == 404
