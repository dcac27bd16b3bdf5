"""Arguments of a statistic, checked: a number outside its domain is refused, never computed with."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from arena.errors import BadInput

Float = npt.NDArray[np.float64]
LARGEST = 1e15  # a count above it is no longer exact beside others in a double


class BadNumber(BadInput, ValueError):
    """An argument of a statistic outside its domain."""

    code = "bad_number"


class Undefined(BadNumber):
    """The arguments are fine, but for these data the statistic has no value (0/0, infinite, no order)."""

    code = "undefined"


def number(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """`value` as a float in [low, high]; refuses text, bool, NaN and arrays of more than no dimension."""
    value = _bare(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise BadNumber(f"{name} is {value!r}, not a number")
    try:
        found = float(value)
    except OverflowError:
        raise BadNumber(f"{name} is too large") from None
    if not low <= found <= high:
        raise BadNumber(f"{name} is {found:g}, not within {low:g} and {high:g}")
    return found


def finite(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """The same without infinities."""
    found = number(name, value, low, high)
    if math.isinf(found):
        raise BadNumber(f"{name} is infinite")
    return found


def positive(name: str, value: Any) -> float:
    """`value` as a finite float above 0."""
    found = finite(name, value, 0.0)
    if found == 0:
        raise BadNumber(f"{name} is 0, not above it")
    return found


def share(name: str, value: Any) -> float:
    """`value` as a float in [0, 1]."""
    return number(name, value, 0.0, 1.0)


def inner(name: str, value: Any) -> float:
    """`value` as a float in (0, 1): a level, a size, a power."""
    found = share(name, value)
    if found in (0.0, 1.0):
        raise BadNumber(f"{name} is {found:g}, not between 0 and 1")
    return found


def whole(name: str, value: Any, low: int = 0, high: float = LARGEST) -> int:
    """`value` as an int in [low, high]; 3.0 is 3, 3.5 and True are refused."""
    found = finite(name, value, low, high)
    if found != math.floor(found):
        raise BadNumber(f"{name} is {found:g}, not a whole number")
    return int(_bare(value))


def vector(
    name: str,
    values: Any,
    *,
    least: int = 1,
    low: float = -math.inf,
    high: float = math.inf,
    gaps: bool = False,
) -> Float:
    """(n,) floats in [low, high], at least `least` of them; True and False are 1 and 0.

    Refuses text, infinities and other shapes. With `gaps`, None and NaN are missing (nan), else refused.
    """
    return _array(name, values, 1, least, low, high, gaps)


def matrix(
    name: str,
    values: Any,
    *,
    least: int = 1,
    low: float = -math.inf,
    high: float = math.inf,
    gaps: bool = False,
) -> Float:
    """(n, k) floats, with the same rules."""
    return _array(name, values, 2, least, low, high, gaps)


def rows(name: str, values: Any) -> Sequence[Any]:
    """`values` if it is a list, tuple or array of rows."""
    if isinstance(values, np.ndarray) and values.ndim > 0:
        return list(values)
    if not isinstance(values, list | tuple):
        raise BadNumber(f"{name} is not a list")
    return values


def named(name: str, values: Any) -> Mapping[str, Any]:
    """`values` if it is a mapping of names."""
    if not isinstance(values, Mapping):
        raise BadNumber(f"{name} is not a table of names")
    return values


def text(name: str, value: Any) -> str:
    """`value` if it is a text."""
    if not isinstance(value, str):
        raise BadNumber(f"{name} is not a text")
    return value


def z_of(level: float) -> float:
    """Two-sided normal quantile of a confidence level: 0.95 -> 1.95996..."""
    return float(-ndtri((1 - inner("level", level)) / 2))


def z_from(z: float, level: float | None) -> float:
    """`z` as given, or the quantile of `level` where that is given."""
    return z_of(level) if level is not None else finite("z", z, 0.0)


def same_length(**vectors: Sequence[Any] | npt.NDArray[Any]) -> int:
    """The common length of the named vectors."""
    lengths = {name: len(values) for name, values in vectors.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise BadNumber(f"lengths differ: {told}")
    return next(iter(lengths.values()))


def spread(values: Float) -> float:
    """Sample standard deviation (divisor n - 1); exactly 0 where the values differ by rounding only."""
    largest = float(np.abs(values).max(initial=0.0))
    if np.ptp(values) <= 8 * np.finfo(np.float64).eps * largest:
        return 0.0
    return float(np.std(values, ddof=1))


def _bare(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value


def _array(name: str, values: Any, ndim: int, least: int, low: float, high: float, gaps: bool) -> Float:
    array = _numeric(name, values, gaps)
    if array.ndim != ndim:
        raise BadNumber(f"{name} has {array.ndim} dimensions, not {ndim}")
    if array.size == 0 and (ndim == 2 or len(array) < least):
        raise BadNumber(f"{name} is empty")
    if len(array) < least:
        raise BadNumber(f"{name} has {len(array)} values, fewer than {least}")
    if np.isinf(array).any() or (not gaps and np.isnan(array).any()):
        raise BadNumber(f"{name} holds a value that is not finite")
    if ((array < low) | (array > high)).any():
        raise BadNumber(f"{name} holds a value outside {low:g} and {high:g}")
    return array


def _numeric(name: str, values: Any, gaps: bool) -> Float:
    try:
        raw = np.asarray(values)
    except ValueError:
        raise BadNumber(f"{name} has rows of different length") from None
    if gaps and raw.dtype.kind == "O":
        raw = np.asarray(np.where(raw == None, np.nan, raw).tolist())  # noqa: E711 - elementwise
    if raw.size and raw.dtype.kind not in "biuf":
        raise BadNumber(f"{name} holds something that is not a number")
    return raw.astype(np.float64)
