"""What the web layer must be told: plain values, read from the settings once, in `main`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KIB = 1024


@dataclass(frozen=True)
class Options:
    """Values that decide how the pages behave. `secret` signs the cookie; everything else has a safe default."""

    secret: str = field(repr=False)
    title: str = "Arena"
    https: bool = False  # cookies get Secure and the __Host- prefix
    trusted_proxies: int = 0  # hops whose X-Forwarded-* entries are believed
    admin_token: str | None = field(default=None, repr=False)
    battles_per_visitor_minute: int = 60
    votes_per_visitor_minute: int = 60
    battles_per_minute: int = 600  # for one network address, which a class or an office shares
    votes_per_minute: int = 600
    votes_per_day: int = 5000
    battle_seconds: int = 3600
    challenge_script: str | None = None  # the widget of a check against robots
    challenge_site_key: str | None = None
    benchmarks: Path | None = None  # folder of imported benchmarks
    refresh_at: str = "02:30"  # UTC, for the page that explains
    limits_url: str = "memory://"  # where limits are counted; shared by all workers
    limits_options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    largest_body: int = 64 * KIB  # bytes; a vote needs less than one
    largest_field: int = 4 * KIB  # bytes of all form fields kept in memory
