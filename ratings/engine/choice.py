"""Which code does the heavy sums: compiled kernels for large work, numpy for small work or where numba is missing.

`reference` is plain numpy, `compiled` numba; both give the same answer to 1e-4 Elo. Compiled code costs half a second
to load, so small work does without.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from ratings.engine.reference import jackknife, newton_steps, weights
from ratings.engine.reference import pairs as reference_pairs
from ratings.engine.reference import rounds as reference_rounds
from ratings.engine.reference import rows as reference_rows

log = logging.getLogger(__name__)

EngineName = Literal["auto", "reference", "compiled"]
LARGE = 30_000_000  # rows times rounds from which the kernels pay for their loading
MANY_MODELS = 250  # above, fewer rounds at a time, so that their matrices stay small
PER_ENTRY = 3  # what one entry of the information costs a round, in rows


@dataclass(frozen=True)
class Engine:
    """The functions that have two versions; each is described at its numpy one."""

    name: str
    replicates: int  # rounds of one pass
    pairs: Callable[..., None]  # pairwise.evaluate
    scores: Callable[..., Any]  # pairwise.scores
    assemble: Callable[..., Any]  # pairwise.assemble
    rows: Callable[..., reference_rows.RowSums]  # rowwise.single
    pair_to_model_sums: Callable[..., Any]  # pairwise.edges
    rows_at_fit: Callable[..., reference_rounds.RowsAtFit]
    voter_pair_sums: Callable[..., reference_rounds.VoterPairSums]
    start: Callable[..., Any]  # factors.start
    factor: Callable[..., Any]  # factors.factor
    solve: Callable[..., Any]  # factors.solve
    third_derivative: Callable[..., Any]  # factors.third derivatives
    gradient: Callable[..., Any]
    weighted_sums: Callable[..., Any]
    exponentials: Callable[..., Any]  # draws.exponentials
    terms: Callable[..., jackknife.RowTerms]
    voters: Callable[..., jackknife.DfbetaSums]  # leverage.totals
    shares: Callable[..., Any]  # leverage.shares
    voter: Callable[..., Any]  # leverage.voter


NUMPY = Engine(
    name="reference",
    replicates=reference_rounds.REPLICATES,
    pairs=reference_pairs.evaluate,
    scores=reference_pairs.scores,
    assemble=reference_pairs.assemble,
    rows=reference_rows.single,
    pair_to_model_sums=reference_pairs.pair_to_model_sums,
    rows_at_fit=reference_rounds.rows_at_fit,
    voter_pair_sums=reference_rounds.voter_pair_sums,
    start=newton_steps.start,
    factor=newton_steps.factor,
    solve=newton_steps.solve,
    third_derivative=newton_steps.third_derivative,
    gradient=reference_rounds.gradient,
    weighted_sums=reference_rounds.weighted_sums,
    exponentials=weights.exponentials,
    terms=jackknife.terms,
    voters=jackknife.totals,
    shares=jackknife.shares,
    voter=jackknife.voter,
)


def choose(name: EngineName, rows: int, models: int, rounds: int) -> Engine:
    """The engine `name`; `auto` looks at the size of the work and falls back to numpy with one line in the log."""
    small = name == "auto" and (rows + PER_ENTRY * models**2) * max(rounds, 1) < LARGE
    found = None if small or name == "reference" else compiled()
    if found is not None:
        return found
    return NUMPY if models <= MANY_MODELS else replace(NUMPY, replicates=weights.STRIDE)


@cache
def compiled() -> Engine | None:
    """The compiled engine, or None where numba is missing."""
    try:
        # Here and not above: importing numba costs half a second that small work need not pay.
        from ratings.engine.compiled import full_fit, heavy_voters, kernels
        from ratings.engine.compiled import newton_steps as steps
    except ImportError as error:
        log.warning("numba is missing (%s): the slower numpy code is used", error)
        return None
    return Engine(
        name="compiled",
        replicates=kernels.REPLICATES,
        pairs=kernels.pairs,
        scores=kernels.scores,
        assemble=kernels.assemble,
        rows=kernels.rows,
        pair_to_model_sums=kernels.pair_to_model_sums,
        rows_at_fit=full_fit.rows_at_fit,
        voter_pair_sums=kernels.voter_pair_sums,
        start=steps.start,
        factor=steps.factor,
        solve=steps.solve,
        third_derivative=steps.third_derivative,
        gradient=kernels.gradient,
        weighted_sums=kernels.weighted_sums,
        exponentials=kernels.exponentials,
        terms=full_fit.terms,
        voters=kernels.voters,
        shares=kernels.shares,
        voter=heavy_voters.voter,
    )
