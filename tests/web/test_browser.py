"""A real Chromium on a real server: voting by click, key and bare form; nothing told before, nothing doubled after."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Response

from arena.store.store import Store
from ratings.releases import storage
from tests.conftest import PrivateStore
from tests.web.boards import example_release
from tests.web.conftest import ROSTER, SECRET, small_bank
from tests.web.serving import Site, serving, write_bank
from tests.web.test_identity import leaks

pytestmark = pytest.mark.browser

NAMES = [model.name for model in ROSTER]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateStore]:
    made = PrivateStore(tmp_path_factory.mktemp("browser_store"))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def kept(server: PrivateStore) -> Iterator[Store]:
    opened = Store.open(server.url)
    storage.publish(opened.releases, example_release(), opened.locks.take("refresh", 60) or 0)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def site(server: PrivateStore, kept: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    bank = write_bank(folder, small_bank(), ROSTER)
    plenty = {"ARENA_BATTLES_PER_MINUTE": "9999", "ARENA_VOTES_PER_MINUTE": "9999"}
    with serving(folder / "home", server.url, ARENA_SECRET=SECRET, ARENA_BANK=str(bank), **plenty) as running:
        yield running


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser's console had to say, policy violations included."""
    heard: list[str] = []
    page.on(
        "console",
        lambda message: heard.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


def shown(page: Page) -> int:
    """How many models the page names."""
    return sum(name in page.inner_text("body") for name in NAMES)


def test_a_click_stores_one_vote_and_shows_the_names(
    site: Site, kept: Store, page: Page, complaints: list[str]
) -> None:
    before = kept.votes.count()
    page.goto(site.url)
    named_before = shown(page)

    page.get_by_role("button", name="B is better").click()
    page.wait_for_url("**/battles/*")

    assert (named_before, shown(page)) == (0, 2)
    assert page.get_by_role("heading", level=1).inner_text() == "Answer B is better"
    assert kept.votes.count() == before + 1
    assert complaints == []


def test_a_double_click_stores_one_vote(site: Site, kept: Store, page: Page) -> None:
    before = kept.votes.count()
    page.goto(site.url)

    page.get_by_role("button", name="Tie").dblclick(no_wait_after=True)
    page.wait_for_url("**/battles/*")

    assert kept.votes.count() == before + 1


def test_going_back_and_choosing_again_changes_nothing(site: Site, kept: Store, page: Page) -> None:
    page.goto(site.url)
    form = {name: page.input_value(f"#vote [name={name}]") for name in ("battle_id", "csrf_token")}
    page.get_by_role("button", name="A is better").click()
    page.wait_for_url("**/battles/*")
    count = kept.votes.count()

    page.reload()
    page.go_back()
    if page.locator("#vote").count() and page.input_value("#vote [name=battle_id]") == form["battle_id"]:
        page.get_by_role("button", name="B is better").click()
    again = page.request.post(f"{site.url}/vote", form={**form, "choice": "b"})

    assert kept.votes.count() == count
    assert "You had voted already: Answer A is better" in again.text()


def test_reloading_keeps_the_battle_and_the_names_page(site: Site, kept: Store, page: Page) -> None:
    page.goto(site.url)
    first = page.input_value("#vote [name=battle_id]")
    page.reload()
    second = page.input_value("#vote [name=battle_id]")
    page.get_by_role("button", name="Both bad").click()
    page.wait_for_url("**/battles/*")
    count = kept.votes.count()
    page.reload()

    assert first == second
    assert kept.votes.count() == count
    assert shown(page) == 2


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("1", "Answer A is better"),
        ("2", "Answer B is better"),
        ("3", "Both are equally good"),
        ("4", "Both are bad"),
    ],
)
def test_keys_vote(site: Site, kept: Store, page: Page, key: str, words: str) -> None:
    before = kept.votes.count()
    page.goto(site.url)

    page.keyboard.press(key)
    page.wait_for_url("**/battles/*")
    told = page.get_by_role("heading", level=1).inner_text()
    page.keyboard.press("n")
    page.wait_for_selector("#vote")

    assert told == words
    assert kept.votes.count() == before + 1


def test_a_key_skips(site: Site, kept: Store, page: Page) -> None:
    before = kept.admin.counts().get("skips", 0)
    page.goto(site.url)
    first = page.input_value("#vote [name=battle_id]")

    page.keyboard.press("s")
    page.wait_for_function("id => document.querySelector('#vote [name=battle_id]')?.value !== id", arg=first)

    assert kept.admin.counts()["skips"] == before + 1


def test_keys_can_be_turned_off_and_leave_the_browsers_own_alone(site: Site, kept: Store, page: Page) -> None:
    before = kept.votes.count()
    page.goto(site.url)
    page.keyboard.press("Control+1")
    page.get_by_label("Keys").uncheck()
    page.reload()

    page.keyboard.press("1")
    page.wait_for_timeout(300)

    assert not page.get_by_label("Keys").is_checked()
    assert kept.votes.count() == before


def test_tab_and_enter_are_enough(site: Site, kept: Store, page: Page) -> None:
    before = kept.votes.count()
    page.goto(site.url)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "tie":
            break

    page.keyboard.press("Enter")
    page.wait_for_url("**/battles/*")

    assert kept.votes.count() == before + 1


def test_it_works_without_javascript(site: Site, kept: Store, browser: Browser) -> None:
    before = kept.votes.count()
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.url)
        first = page.input_value("#vote [name=battle_id]")
        page.get_by_role("button", name="Skip").click()
        second = page.input_value("#vote [name=battle_id]")
        page.get_by_role("button", name="A is better").click()
        named = shown(page)
        page.get_by_role("link", name="Next battle").click()
        third = page.input_value("#vote [name=battle_id]")

    assert len({first, second, third}) == 3
    assert named == 2
    assert kept.votes.count() == before + 1


def test_the_browser_receives_no_name_before_the_vote(site: Site, page: Page) -> None:
    received: list[Response] = []
    page.on("response", lambda answer: received.append(answer))
    page.goto(site.url, wait_until="networkidle")

    seen = [f"{answer.url} {answer.all_headers()} {answer.text()}" for answer in received]
    cookies = str(page.context.cookies())

    assert len(seen) >= 4
    assert all(answer.url.startswith(site.url) for answer in received)
    assert [leak for text in [*seen, cookies, page.content()] for leak in leaks(text)] == []


@pytest.mark.fault
def test_a_vote_survives_a_store_that_goes_away(
    site: Site, kept: Store, server: PrivateStore, page: Page
) -> None:
    before = kept.votes.count()
    page.goto(site.url)
    server.kill()
    try:
        page.get_by_role("button", name="B is better").click()
        told = page.inner_text("main")
    finally:
        server.start()

    page.get_by_role("button", name="Send it again").click()
    page.wait_for_url("**/battles/*")

    assert "Answer B is better" in told
    assert "Nothing is lost" in told
    assert page.get_by_role("heading", level=1).inner_text() == "Answer B is better"
    assert kept.votes.count() == before + 1
