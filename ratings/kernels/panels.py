"""Products of a small symmetric matrix and a vector, sixteen entries of the result at a time, held in registers."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir as untyped
from numba.core import types
from numba.extending import intrinsic

from ratings.kernels.compiling import compiled

ir: Any = untyped
u64 = np.uint64
PANEL = 16  # columns; the numbers of one are next to each other, row by row
LONG, WORD = ir.IntType(64), ir.IntType(32)
WIDE = ir.VectorType(ir.DoubleType(), PANEL)
FAST = ("fast",)


@compiled
def gathered(matrix: Any, places: Any, count: Any, out: Any) -> None:
    """Into `out` the panels of matrix[places][:, places], both of `count`; where that is odd a row of zeros follows.

    Up to a whole panel `places` go on, with any models.
    """
    step = (count + (count & u64(1))) * u64(PANEL)
    for j in range(count):
        row, at = u64(places[j]), j * u64(PANEL)
        for i in range(u64(0), count, u64(PANEL)):
            for lane in range(u64(PANEL)):
                out[at + lane] = matrix[row, places[i + lane]]
            at += step
    if count & u64(1):
        at = count * u64(PANEL)
        for _ in range(u64(0), count, u64(PANEL)):
            for lane in range(u64(PANEL)):
                out[at + lane] = 0.0
            at += step


@compiled
def times(panels: Any, vector: Any, count: Any, out: Any) -> Any:
    """out = matrix vector on the first `count` entries, beyond up to a panel anything; the two vectors' product."""
    rows = count + (count & u64(1))
    vector[count] = 0.0
    at = u64(0)
    for i in range(u64(0), count, u64(PANEL)):
        _product(panels, at, vector, rows, out, i)
        at += rows * u64(PANEL)
    total = 0.0
    for i in range(count):
        total += out[i] * vector[i]
    return total


def _panel(context: Any, panels: Any, first: Any, vector: Any, rows: Any, out: Any, place: Any) -> Any:
    """out[place : place + PANEL] = the sum over j < `rows`, an even number, of panels[first + j PANEL :] vector[j]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = [context.make_array(signature.args[n])(context, builder, args[n]).data for n in (0, 2, 4)]

        def wide(array: Any, at: Any) -> Any:
            return builder.bitcast(builder.gep(array, [at]), WIDE.as_pointer())

        def plus(total: Any, row: Any) -> Any:
            numbers = builder.load(
                wide(data[0], builder.add(args[1], builder.mul(row, LONG(PANEL)))), align=8
            )
            value = builder.load(builder.gep(data[1], [row]))
            one = builder.insert_element(ir.Constant(WIDE, ir.Undefined), value, WORD(0))
            mask = ir.Constant(ir.VectorType(WORD, PANEL), [0] * PANEL)
            spread = builder.shuffle_vector(one, ir.Constant(WIDE, ir.Undefined), mask)
            return builder.fadd(builder.fmul(numbers, spread, flags=FAST), total, flags=FAST)

        before, loop, after = builder.block, *(builder.append_basic_block(name) for name in ("rows", "done"))
        builder.branch(loop)
        builder.position_at_end(loop)
        row, even, odd = builder.phi(LONG), builder.phi(WIDE), builder.phi(WIDE)
        # Two sums, for a multiplication takes longer than a row's loads.
        found = [plus(even, row), plus(odd, builder.add(row, LONG(1)))]
        following = builder.add(row, LONG(2))
        builder.cbranch(builder.icmp_unsigned("<", following, args[3]), loop, after)
        nothing = ir.Constant(WIDE, [0.0] * PANEL)
        for phi, start, later in (
            (row, LONG(0), following),
            (even, nothing, found[0]),
            (odd, nothing, found[1]),
        ):
            phi.add_incoming(start, before)
            phi.add_incoming(later, loop)
        builder.position_at_end(after)
        builder.store(builder.fadd(*found, flags=FAST), wide(data[2], args[5]), align=8)
        return context.get_dummy_value()

    whole = types.uint64
    return types.void(panels, whole, vector, whole, out, whole), generate


_product: Any = intrinsic(_panel)
