"""Numbers of a cross-reference as words: a dash for what is not known, the interval first where it says more."""

from __future__ import annotations


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def bounds(low: float | None, high: float | None, digits: int = 3) -> str:
    return "–" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"


def estimate(
    value: float | None, low: float | None, high: float | None, digits: int = 3, *, few: bool = False
) -> str:
    """`value [low, high]`; with few models `[low, high], value`, since then the interval says more."""
    if few:
        return f"{bounds(low, high, digits)}, estimate {number(value, digits)}"
    return f"{number(value, digits)} {bounds(low, high, digits)}"


def ranks(span: tuple[int, int] | None) -> str:
    if span is None:
        return "–"
    return str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}"


def p_value(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
