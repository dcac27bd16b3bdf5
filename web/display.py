"""Words and numbers as a reader sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from arena.votes import Outcome
from ratings import tables
from ratings.leaderboard import Leaderboard
from ratings.releases.payloads import PairGap
from ratings.tables import DASH, count, p_value, points_estimate

CHOICES: Mapping[str, Outcome] = {
    "a": Outcome.A,
    "b": Outcome.B,
    "tie": Outcome.TIE,
    "both_bad": Outcome.BOTH_BAD,
}
CHOICE_OF = {outcome: word for word, outcome in CHOICES.items()}
SAID = {
    Outcome.A: "Answer A is better",
    Outcome.B: "Answer B is better",
    Outcome.TIE: "Both are equally good",
    Outcome.BOTH_BAD: "Both are bad",
}
# Why a vote is kept but does not count, to a person.
REASONS: Mapping[str, str] = {
    "not_blind": "the voter could know which model wrote which answer",
    "self_battle": "both answers came from the same model",
    "error_response": "one of the answers is an error message, not an answer",
    "empty_response": "one of the answers is empty",
    "identity_leak": "one of the answers names the model that wrote it",
    "duplicate": "the same vote was already there",
    "quarantined_session": "votes of this visitor are set aside for review",
    "dedup": "the same prompt was voted on very often, so only a share of these votes counts",
    "missing_traits": "length or formatting of an answer is not known, and this board needs it",
    "challenge_failed": "the check for robots was not passed",
    "challenge_unchecked": "the check for robots could not be made, so it waits for the owner of this arena",
    "bad_record": "the record is damaged",
    "excluded_at_source": "whoever published the vote says that it does not count",
    "unpublished": "one of the models is not published yet",
}
STATUS: Mapping[str, str] = {
    "ranked": "ranked",
    "preliminary": "preliminary",
    "separated": "not comparable",
    "unrated": "no votes yet",
}


def reason(code: str) -> str:
    """Why a vote does not count, in words."""
    return REASONS.get(code, code.replace("_", " "))


def said(outcome: Outcome) -> str:
    return SAID[outcome]


def choice(outcome: Outcome) -> str:
    return CHOICE_OF[outcome]


def number(value: float | None, decimals: int = 0) -> str:
    return tables.number(value, decimals)


def signed(value: float | None, decimals: int = 0) -> str:
    return tables.number(value, decimals, sign=True)


def interval(low: float | None, high: float | None, decimals: int = 0) -> str:
    return tables.interval(low, high, decimals)


def estimate(
    value: float | None, low: float | None, high: float | None, decimals: int = 0, *, sign: bool = False
) -> str:
    """A value with its interval."""
    return tables.estimate(value, low, high, decimals, sign=sign)


def share(value: float | None, decimals: int = 0) -> str:
    """A share as per cent."""
    return _unbroken(tables.percent(value, decimals))


def percent_estimate(value: float | None, low: float | None, high: float | None, decimals: int = 0) -> str:
    """A share and its interval as per cent."""
    return _unbroken(tables.percent_estimate(value, low, high, decimals))


def _unbroken(text: str) -> str:
    """No line of a page begins with the sign."""
    return text.replace(" %", "\u202f%")


def part(count: int, of: int) -> str:
    """`count` of `of` as per cent; a dash when there is nothing to divide."""
    return share(count / of if of else None)


def ranks(row: Any) -> str:
    """All the ranks that the votes, or the items of a benchmark, allow: one number or a range."""
    # Lines of a benchmark are plain data.
    low, high = (
        row[end] if isinstance(row, Mapping) else getattr(row, end) for end in ("rank_low", "rank_high")
    )
    return tables.ranks(low, high)


def decimals(board: Leaderboard) -> int:
    """How many decimals the ratings of a board deserve: none while its intervals are wider than ten points."""
    widths = sorted(
        row.high - row.low for row in board.models if row.low is not None and row.high is not None
    )
    return 1 if widths and widths[len(widths) // 2] < 10 else 0


def gap_bounds(gap: PairGap | None, decimals: int = 0) -> str:
    """A gap with its 95 % interval."""
    return DASH if gap is None else estimate(gap.gap, gap.low, gap.high, decimals, sign=True)


def win_bounds(gap: PairGap | None, decimals: int = 0) -> str:
    """The probability of a win with its 95 % interval."""
    return DASH if gap is None else percent_estimate(gap.win_probability, gap.win_low, gap.win_high, decimals)


def moment(at: float | None) -> str:
    """An instant, UTC, to the minute."""
    return DASH if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def day(at: float) -> str:
    """A day, UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def ago(at: float, now: float) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, round(now - at))
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "whole": count,  # `count` is Jinja's own: how long a list is
    **{
        function.__name__: function
        for function in (
            reason, said, choice, number, signed, interval, estimate, share, percent_estimate, points_estimate, part,
            ranks, decimals, gap_bounds, win_bounds, p_value, moment, day, iso, ago,
        )
    },
}  # fmt: skip
