"""Arrow arrays out of Python and numpy. `pa.array` and `pa.scalar` load pandas: half a second and 30 MB of every command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def strings(values: Sequence[str | None]) -> Any:
    """(n,) texts, None for none. Raises `UnicodeEncodeError` for half a surrogate pair, as `pa.array` does."""
    texts = [value or "" for value in values]
    joined = "".join(texts)
    parts: Sequence[str | bytes] = texts if joined.isascii() else [text.encode("utf-8") for text in texts]
    offsets = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, parts), np.int32, len(texts)), out=offsets[1:])
    valid = None
    if None in values:
        valid = bits(np.fromiter((value is not None for value in values), np.bool_, len(texts)))
    buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(joined.encode("utf-8"))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def mask(flags: npt.NDArray[np.bool_]) -> Any:
    """(n,) yes or no."""
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, bits(flags)])


def whole_numbers(values: npt.NDArray[np.int64]) -> Any:
    """(n,) int64."""
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def bits(flags: npt.NDArray[np.bool_]) -> Any:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def flags_of(column: Any) -> npt.NDArray[np.bool_]:
    """(n,) a column of yes and no; null is no."""
    found = _unpacked(column.buffers()[1], column)
    return found & is_valid(column) if column.null_count else found


def is_valid(column: Any) -> npt.NDArray[np.bool_]:
    """(n,) is there a value?"""
    if not column.null_count:
        return np.ones(len(column), dtype=np.bool_)
    return _unpacked(column.is_valid().buffers()[1], column.is_valid())


def numbers_of(column: Any, missing: int | float) -> npt.NDArray[Any]:
    """(n,) a column of numbers in its own type, `missing` where there is none."""
    kind = np.dtype(column.type.to_pandas_dtype())
    if not len(column):
        return np.zeros(0, dtype=kind)
    held = np.frombuffer(column.buffers()[1], kind)[column.offset : column.offset + len(column)]
    return np.where(is_valid(column), held, np.array(missing, dtype=kind)) if column.null_count else held


def _unpacked(packed: Any, column: Any) -> npt.NDArray[np.bool_]:
    if not len(column):
        return np.zeros(0, dtype=np.bool_)
    letters = np.frombuffer(packed, np.uint8)
    flags = np.unpackbits(letters, count=column.offset + len(column), bitorder="little")
    return flags[column.offset :].astype(np.bool_)
