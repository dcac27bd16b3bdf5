"""Words and numbers as a reader sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from arena.votes import Outcome
from ratings.leaderboard import Leaderboard, Standing
from ratings.releases.payloads import PairGap

DASH = "–"
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


def whole(value: float | None) -> str:
    """A count with thin spaces between the thousands; a dash for none."""
    return DASH if value is None else f"{round(value):,}".replace(",", "\u202f")


def number(value: float | None, decimals: int = 0) -> str:
    """A number with a real minus sign; a dash for none."""
    if value is None:
        return DASH
    text = f"{value:.{decimals}f}"
    return f"−{text[1:]}" if text.startswith("-") and float(text) != 0 else text.removeprefix("-")


def signed(value: float | None, decimals: int = 0) -> str:
    text = number(value, decimals)
    return text if value is None or text.startswith("−") or float(text) == 0 else f"+{text}"


def share(value: float | None) -> str:
    """A share of votes as per cent."""
    return DASH if value is None else f"{100 * value:.0f}\u202f%"


def part(count: int, of: int) -> str:
    """`count` of `of` as per cent; a dash when there is nothing to divide."""
    return share(count / of if of else None)


def ranks(row: Standing) -> str:
    """All the ranks that the votes allow: one number or a range."""
    if row.rank_low is None or row.rank_high is None:
        return DASH
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}{DASH}{row.rank_high}"


def bounds(row: Standing, decimals: int = 0) -> str:
    """The 95 % interval; an open end is said, never drawn as a huge number."""
    if row.low is None and row.high is None:
        return DASH
    if row.high is None:
        return f"{number(row.low, decimals)} or more"
    if row.low is None:
        return f"{number(row.high, decimals)} or less"
    return f"{number(row.low, decimals)} to {number(row.high, decimals)}"


def decimals(board: Leaderboard) -> int:
    """How many decimals the ratings of a board deserve: none while its intervals are wider than ten points."""
    widths = sorted(
        row.high - row.low for row in board.models if row.low is not None and row.high is not None
    )
    return 1 if widths and widths[len(widths) // 2] < 10 else 0


def gap_bounds(gap: PairGap | None, decimals: int = 0) -> str:
    """A gap with its 95 % interval: +44 (12 to 76)."""
    if gap is None or gap.gap is None:
        return DASH
    if gap.low is None or gap.high is None:
        return signed(gap.gap, decimals)
    return f"{signed(gap.gap, decimals)} ({signed(gap.low, decimals)} to {signed(gap.high, decimals)})"


def win_bounds(gap: PairGap | None, decimals: int = 0) -> str:
    """The probability of a win with its 95 % interval: 56 % (52 to 61 %)."""
    if gap is None or gap.win_probability is None:
        return DASH
    value = f"{100 * gap.win_probability:.{decimals}f}\u202f%"
    if gap.win_low is None or gap.win_high is None:
        return value
    return f"{value} ({100 * gap.win_low:.{decimals}f} to {100 * gap.win_high:.{decimals}f}\u202f%)"


def p_value(p: float | None) -> str:
    """A P value to two digits that count; a dash for none."""
    if p is None:
        return DASH
    if p < 0.0001:
        return "< .0001"
    return f"{p:.2g}" if p >= 0.001 else f"{p:.4f}"


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
    function.__name__: function
    for function in (
        reason, said, choice, whole, number, signed, share, part, ranks, bounds, decimals, gap_bounds, win_bounds,
        p_value, moment, day, iso, ago,
    )
}  # fmt: skip
