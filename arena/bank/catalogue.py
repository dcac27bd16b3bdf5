"""The bank and the roster of this service: where their files are, read at first use and again when they change."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from pathlib import Path

from arena.bank import bank
from arena.bank.bank import Bank
from arena.bank.roster import Roster
from arena.errors import BadInput, StoreUnavailable
from arena.settings.settings import Settings

LOOK_SECONDS = 2.0  # a changed file is seen within this time, by every process
BANK_FILE = "bank.jsonl"
ROSTER_FILE = "models.toml"

log = logging.getLogger(__name__)


class Catalogue:
    """Reads a bank (file or folder) and a roster. A change that cannot be read leaves the last good one in use.

    While no roster could be read at all, asking raises `StoreUnavailable`: without it private models would be named.
    """

    def __init__(self, bank_path: Path, roster_path: Path, *, trusted: bool = False) -> None:
        self.bank_path = bank_path
        self.roster_path = roster_path
        self.trusted = trusted  # the bank was checked when it came in
        self._lock = threading.Lock()
        self._seen: tuple[object, ...] | None = None
        self._looked_at = float("-inf")
        self._found: tuple[Bank, Roster] | None = None
        self._fault: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Catalogue:
        """The files that the settings name; unset: what `bank import` keeps under `ARENA_HOME`."""
        bank_path = settings.bank or settings.home / "bank"
        beside = bank_path if bank_path.is_dir() or not bank_path.suffix else bank_path.parent
        return cls(bank_path, settings.models or beside / ROSTER_FILE, trusted=settings.bank is None)

    def bank(self) -> Bank:
        """The answers that may be shown. Empty while there is no file."""
        return self._now()[0]

    def roster(self) -> Roster:
        return self._now()[1]

    def fault(self) -> str | None:
        """Why the files as they are now cannot be read; None when they can."""
        with suppress(StoreUnavailable):
            self._now()
        return self._fault

    def _now(self) -> tuple[Bank, Roster]:
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            with self._lock:
                if time.monotonic() - self._looked_at >= LOOK_SECONDS:
                    self._look()
                    self._looked_at = time.monotonic()
        if self._found is None:
            raise StoreUnavailable("the roster of models cannot be read; nothing is shown until it is mended")
        return self._found

    def _look(self) -> None:
        seen = (_stamp(self.bank_path), _stamp(self.roster_path))
        if seen == self._seen:
            return
        try:
            self._found, self._fault = self._read(), None
        except BadInput as error:
            log.error("the bank or the roster cannot be read; the last good one stays in use: %s", error)
            self._fault = str(error)
            self._found = self._found or self._roster_alone()
        self._seen = seen

    def _roster_alone(self) -> tuple[Bank, Roster] | None:
        """Nothing to vote on, but models shown as the roster says; None while there is no good roster either."""
        try:
            return Bank(), self._roster()
        except BadInput:
            return None

    def _roster(self) -> Roster:
        return Roster.load(self.roster_path) if self.roster_path.exists() else Roster()

    def _read(self) -> tuple[Bank, Roster]:
        roster = self._roster()
        if not self.bank_path.exists() or (
            self.bank_path.is_dir() and not any(self.bank_path.glob("*.jsonl"))
        ):
            return Bank(), roster
        found, report = bank.read([self.bank_path], roster, trusted=self.trusted)
        if report.problems:
            log.warning(
                "%d rows of the bank are not shown; `python -m arena bank check` tells why",
                len(report.problems),
            )
        return found, roster


def _stamp(path: Path) -> tuple[object, ...]:
    """What changes whenever the file or the folder's files do."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    found = []
    for file in files:
        try:
            stat = file.stat()
        except OSError:
            continue
        found.append((str(file), stat.st_mtime_ns, stat.st_size, stat.st_ino))
    return tuple(found)
