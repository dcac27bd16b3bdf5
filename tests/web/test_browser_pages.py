"""Pages in a real Chromium: hostile answers stay text, mathematics is set, nothing overflows, axe has no complaint."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from werkzeug.serving import make_server

from arena.battles import BattleView
from arena.errors import NothingToServe, StoreUnavailable
from arena.service import Arena
from arena.store.store import Store
from ratings.releases import storage
from tests.conftest import PrivateStore
from tests.web.boards import example_release
from tests.web.conftest import ROSTER, options_for, small_bank
from tests.web.test_format import PAYLOADS
from web.app import create_app

pytestmark = pytest.mark.browser

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
RICH = (
    "# One\n\nText with `code`, **bold** and [a link](https://x.test).\n\n### Two\n\n> quoted\n\n"
    "| a | b |\n|---|--:|\n| 1 | 2 |\n\n```python\ndef f(x: int) -> str:\n    return 'a' * x  # twice\n```\n\n"
    "Inline \\(x_1^2 + \\frac{1}{2}\\) and\n\n$$\\sum_{i=1}^{n} \\sqrt{i} \\le \\boxed{42}$$\n\n1. one\n2. two"
)
ARABIC = "مرحبا بالعالم (abc) 123\n\n- واحد\n- اثنان"


class Scripted(Arena):
    """An arena that shows the texts it is told to."""

    texts: tuple[str, str, str] | None = None
    fails: type[Exception] | None = None

    def open_battle(self, visitor: str) -> BattleView:
        if self.fails is not None:
            raise self.fails()
        if self.texts is None:
            return super().open_battle(visitor)
        prompt, a, b = self.texts
        return BattleView("f" * 32, prompt, a, b, self.clock() + 3600, "coding", "en")


@dataclass
class Stage:
    url: str
    arena: Scripted
    heard: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    server = PrivateStore(tmp_path_factory.mktemp("stage_store"))
    server.start()
    store = Store.open(server.url)
    storage.publish(store.releases, example_release(), store.locks.take("refresh", 60) or 0)
    arena = Scripted(store, small_bank(), ROSTER)
    with make_server(
        "127.0.0.1", 0, create_app(arena, store.releases, options_for(store)), threaded=True
    ) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        yield Stage(f"http://127.0.0.1:{web.server_port}", arena)
        web.shutdown()
        thread.join()
    store.close()
    server.stop()


@pytest.fixture(autouse=True)
def unscripted(stage: Stage) -> Iterator[None]:
    yield
    stage.arena.texts = stage.arena.fails = None


ACTIVE = """() => {
  const main = document.querySelector('main');
  const found = [];
  for (const node of main.querySelectorAll('*')) {
    if (/^(script|iframe|object|embed|img|image|style|link|meta|base|video|audio|foreignobject|animate)$/i.test(node.localName))
      found.push(node.localName);
    if (node.closest('.text') && /^(form|input|button|svg|select|textarea)$/i.test(node.localName)) found.push(node.localName);
    for (const attribute of node.attributes) {
      if (/^on/i.test(attribute.name) || attribute.name === 'style') found.push(node.localName + ' ' + attribute.name);
      if (/^(href|src|action|data|xlink:href|formaction)$/i.test(attribute.name) && node.closest('.text')
          && !/^(https?|mailto):/i.test(attribute.value)) found.push(attribute.value);
    }
  }
  for (const button of document.querySelectorAll('.votebar button')) {
    const box = button.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!button.contains(top)) found.push('covered: ' + button.textContent);
  }
  return found;
}"""


def test_no_payload_acts_in_a_browser(stage: Stage, page: Page) -> None:
    asked: list[str] = []
    dialogs: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    found = {}

    for name, payload in PAYLOADS.items():
        stage.arena.texts = (payload, payload, "the other side")
        page.goto(stage.url)
        found[name] = page.evaluate(ACTIVE)
        assert page.locator(".side").count() == 2
        assert page.locator(".side").nth(1).inner_text().endswith("the other side")

    assert {name: faults for name, faults in found.items() if faults} == {}
    assert [url for url in asked if not url.startswith(stage.url)] == []
    assert dialogs == []


def test_mathematics_is_set_and_its_source_is_hidden(stage: Stage, page: Page) -> None:
    stage.arena.texts = ("$a<b$", RICH, "\\[\n\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}\n\\]")
    page.goto(stage.url)

    boxes = page.evaluate("[...document.querySelectorAll('math')].map(m => m.getBoundingClientRect().height)")
    notes = page.evaluate(
        "[...document.querySelectorAll('annotation')].map(a => getComputedStyle(a).display)"
    )
    fraction = page.evaluate("document.querySelector('mfrac').getBoundingClientRect().height")

    assert len(boxes) == 4
    assert min(boxes) > 8
    assert fraction > 15
    assert set(notes) == {"none"}


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize(
    "text",
    [RICH, ARABIC, "W" * 20_000, "|" + "wide|" * 60 + "\n" + "|-" * 60 + "|\n" + "|1" * 60, "```\n" + "x" * 4000 + "\n```",
     "$$" + "+".join(f"x_{{{n}}}" for n in range(200)) + "$$", "so \\(x\\) is $$" + "+".join(f"x_{{{n}}}" for n in range(200)) + "$$ here",
     "> 1. \\[" + "+".join("y" * 200) + "\\]", "# " + "heading" * 60, "```\nnever closed\n</div>"],
    ids=["rich", "arabic", "unbroken", "table", "code", "formula", "inline formula", "quoted formula", "heading", "fence"],
)  # fmt: skip
def test_every_text_stays_in_its_box(stage: Stage, page: Page, text: str, size: dict[str, int]) -> None:
    page.set_viewport_size(size)  # type: ignore[arg-type]
    stage.arena.texts = (text, text, text)
    page.goto(stage.url)

    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    boxes = page.evaluate(
        "[...document.querySelectorAll('.card')].map(c => c.scrollWidth - Math.ceil(c.getBoundingClientRect().width))"
    )
    bar = page.locator(".votebar").bounding_box()
    stuck = Axe().run(page, options={"runOnly": ["scrollable-region-focusable"]}).violations_count

    assert overflow <= 0
    assert stuck == 0
    assert max(boxes) <= 0
    assert bar is not None
    assert bar["y"] + bar["height"] <= size["height"] + 1


@pytest.mark.parametrize("side", [0, 1, 2])
def test_each_text_finds_its_direction(stage: Stage, page: Page, side: int) -> None:
    texts = ["plain words", "plain words", "plain words"]
    texts[side] = ARABIC
    stage.arena.texts = (texts[0], texts[1], texts[2])
    page.goto(stage.url)

    found = page.evaluate(
        "[...document.querySelectorAll('.text > p')].map(p => getComputedStyle(p).direction)"
    )

    assert found == ["rtl" if n == side else "ltr" for n in range(3)]


PAGES = {
    "leaderboard": "/leaderboard",
    "style": "/leaderboard?style=1",
    "found nothing": "/leaderboard?find=nobody",
    "empty": "/leaderboard/empty",
    "model": "/models/zorblax-9",
    "pair": "/pairs/zorblax-9/quimby-xl-2",
    "diagnosis": "/leaderboard/arena/diagnosis",
    "never met": "/pairs/plonkette/quimby-xl-2",
    "method": "/method",
    "governance": "/governance",
    "data": "/data",
    "me": "/me",
    "admin": "/admin",
    "not found": "/nope",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_has_no_complaint(stage: Stage, browser: Browser, scheme: str, size: dict[str, int]) -> None:
    complaints = {}
    with browser.new_context(color_scheme=scheme, viewport=size) as context:  # type: ignore[arg-type]
        page = context.new_page()

        def look(name: str) -> None:
            found = Axe().run(page)
            if found.violations_count:
                complaints[name] = found.generate_report()
            if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                complaints[f"{name} overflows"] = page.url

        for name, path in PAGES.items():
            page.goto(stage.url + path)
            page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
            look(name)
        stage.arena.texts = ("# A question\n\n" + RICH, RICH, ARABIC)
        page.goto(stage.url)
        look("battle")
        stage.arena.texts = None
        page.goto(stage.url)
        page.get_by_role("button", name="A is better").click()
        page.wait_for_url("**/battles/*")
        page.get_by_text("Read the prompt and the answers again").click()
        look("reveal")
        page.goto(f"{stage.url}/me")
        look("my votes")
        for error in (StoreUnavailable, NothingToServe):
            stage.arena.fails = error
            page.goto(stage.url)
            look(error.__name__)

    assert complaints == {}


def test_axe_itself_finds_a_planted_fault(page: Page) -> None:
    page.set_content("<main><img src='x.png'><p style='color:#999;background:#fff'>pale words</p></main>")

    found = {violation["id"] for violation in Axe().run(page).response["violations"]}

    assert {"image-alt", "color-contrast"} <= found


def test_the_kept_choice_page_pleases_axe(stage: Stage, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise StoreUnavailable

    page.goto(stage.url)
    monkeypatch.setattr(Scripted, "cast_vote", fail)

    page.get_by_role("button", name="Tie").click()
    page.wait_for_selector("text=Send it again")

    assert Axe().run(page).violations_count == 0
    assert "Both are equally good" in page.inner_text("main")


def test_the_skip_link_leads_to_the_content(stage: Stage, page: Page) -> None:
    page.goto(f"{stage.url}/leaderboard")

    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")

    assert focused == "Skip to the content"
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_leaderboard_works_from_filter_to_model_to_pair(stage: Stage, page: Page) -> None:
    page.goto(f"{stage.url}/leaderboard")
    page.get_by_label("Find a model").fill("zorb")
    page.get_by_role("button", name="Show").click()
    rows = page.locator("tbody tr").count()
    page.get_by_role("link", name="Style control").click()
    page.get_by_role("link", name="zorblax-9").click()
    page.get_by_role("link", name="quimby/XL 2").first.click()

    assert rows >= 1
    assert page.url.endswith("/pairs/zorblax-9/quimby-xl-2")
