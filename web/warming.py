"""Texts of the bank rendered ahead by a thread of each web process, so that no visitor waits for a heavy one."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from arena.bank import Bank
from arena.errors import ArenaError
from web.format import render

LOOK_SECONDS = 2.0  # a newly imported bank is seen within this time
REST = 1.0  # times what a text took: half a core at most goes into this, and requests come between

log = logging.getLogger(__name__)


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
