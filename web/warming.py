"""Texts of the bank rendered ahead, so that no visitor waits for a heavy one.

`python -m web.warming` fills the folder `rendered/` under `ARENA_HOME` before the web starts and after a bank is imported;
a thread of each web process reads it into memory and renders what is new.
"""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator

from arena.bank.bank import Bank
from arena.bank.catalogue import Catalogue
from arena.errors import ArenaError
from arena.settings import settings
from arena.settings.settings import Settings
from web.format import render, version
from web.rendered import Rendered

LOOK_SECONDS = 2.0  # a newly imported bank is seen within this time
REST = 1.0  # times what a text took: half a core at most goes into this, and requests come between

FOLDER = "rendered"  # under `ARENA_HOME`

log = logging.getLogger(__name__)


def main() -> int:
    """Fill the folder. A fault leaves the work to the web processes, so the status is 0 whatever happens."""
    try:
        values = settings.load()
        seconds = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
        fill(cache(values), Catalogue.of(values).bank(), seconds)
    except (ArenaError, OSError) as error:
        print(f"arena: texts are not rendered ahead: {error}", file=sys.stderr)
    return 0


def cache(values: Settings) -> Rendered:
    """The folder of rendered texts of this installation."""
    return Rendered(values.home / FOLDER, settings.secret_key(values), version())


def fill(cache: Rendered, bank: Bank, seconds: float = math.inf) -> None:
    """Drop what the bank no longer has, then render for at most `seconds` what the folder does not hold yet."""
    until = time.monotonic() + seconds
    texts = tuple(dict.fromkeys(_texts(bank)))
    cache.keep_only(texts)
    render.cache = cache
    new = [text for text in texts if cache.read(text) is None]
    for number, text in enumerate(new, 1):
        if cache.is_full or time.monotonic() > until:
            return
        render(text)
        if sys.stderr.isatty():
            end = "\n" if number == len(new) else "\r"
            print(f"rendering texts {number} of {len(new)}", end=end, file=sys.stderr, flush=True)


def start(bank: Callable[[], Bank]) -> threading.Thread:
    """A thread that renders the texts of `bank()` and looks for another bank for ever; it ends with its process."""
    thread = threading.Thread(target=_keep_warm, args=(bank,), name="warming", daemon=True)
    thread.start()
    return thread


def _keep_warm(bank: Callable[[], Bank]) -> None:
    seen: Bank | None = None
    while True:
        try:
            now = bank()
            if now is not seen:
                warm(now)
                seen = now
        except ArenaError as error:
            log.warning("texts are not rendered ahead yet: %s", error)
        except Exception:  # whatever a text does, pages are rendered when asked for
            log.exception("rendering ahead failed")
        time.sleep(LOOK_SECONDS)


def warm(bank: Bank, rest: Callable[[float], None] = time.sleep) -> None:
    """Render every prompt and answer once, until the memory is nearly full."""
    for text in _texts(bank):
        if render.is_full:
            log.info(
                "the bank is larger than the memory for rendered texts; the rest is rendered when asked for"
            )
            return
        started = time.thread_time()
        render(text)
        rest(REST * (time.thread_time() - started))


def _texts(bank: Bank) -> Iterator[str]:
    yield from (prompt.text for prompt in bank.prompts.values())
    yield from (answer.text for answers in bank.answers.values() for answer in answers)


if __name__ == "__main__":
    sys.exit(main())
