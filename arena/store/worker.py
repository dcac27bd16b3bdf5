"""The part of the store that the worker and the web tell each other by: refreshes asked for, failures noted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from arena.store import schema
from arena.store.client import Client


@dataclass(frozen=True)
class WorkerFault:
    """What fails in the worker: its `part`, why, and when it was last noticed."""

    part: str
    why: str
    at: float  # seconds UTC


class WorkerNotes:
    """What the worker is asked for, and what of it fails."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def ask_refresh(self, at: float) -> None:
        """Note that the owner wants a refresh; the worker looks for it."""
        self.client.do("set", schema.REFRESH_ASKED, repr(at))

    def refresh_asked_at(self) -> float | None:
        """When a refresh was last asked for (seconds UTC)."""
        value = self.client.do("get", schema.REFRESH_ASKED)
        return None if value is None else float(value)

    def failed(self, part: str, why: str, at: float) -> None:
        """Note that `part` of the worker failed at `at` (seconds UTC), until `works` takes it back."""
        fault = json.dumps({"at": at, "why": why})

        def note(pipeline: Any) -> None:
            pipeline.hset(schema.WORKER_FAULTS, part, fault)
            pipeline.incr(schema.WORKER_FAILURES)

        self.client.pipe(note)

    def works(self, part: str) -> None:
        """Take back that `part` of the worker failed."""
        self.client.do("hdel", schema.WORKER_FAULTS, part)

    def faults(self) -> list[WorkerFault]:
        """What of the worker fails now, by part."""
        values = self.client.do("hgetall", schema.WORKER_FAULTS)
        found = {part.decode(): json.loads(value) for part, value in values.items()}
        return [WorkerFault(part, found[part]["why"], found[part]["at"]) for part in sorted(found)]

    def failures(self) -> int:
        """How often the worker failed since the beginning."""
        return int(self.client.do("get", schema.WORKER_FAILURES) or 0)
