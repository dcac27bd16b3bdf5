"""Threads for work that is cut the same way however many there are, and put together in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """`task` of each item, in order, on as many threads as there are processors."""
    if len(items) == 1:
        yield task(items[0])
        return
    with ThreadPoolExecutor(max_workers=max(1, min(processors(), len(items)))) as pool:
        yield from pool.map(task, items)
