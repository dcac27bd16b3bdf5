"""What two rankings with intervals can tell apart, and where they agree: separability, agreement, pair Brier score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr

from ratings.stats.arguments import BadNumber, Float, Undefined, finite, named, rows, vector
from ratings.stats.intervals import Z95

Board = Mapping[str, Sequence[float]]  # model -> (score, low, high)


def separability(board: Board) -> float:
    """Share of model pairs whose intervals do not overlap (touching ends do not). Li et al. 2024, arXiv:2406.11939.

    A demand of about 2.8 standard errors, so a lower bound of what paired tests separate. Raises `BadNumber` below two models.
    """
    known = _checked(board)
    signs = [_separated(known[a], known[b]) for a, b in _pairs(known)]
    return float(np.mean([sign != 0 for sign in signs]))


@dataclass(frozen=True)
class Agreement:
    """The two scales in use, which are not comparable."""

    by_paper: float  # mean over all pairs of 1 same order, -1 opposite, 0 when either does not separate
    by_code: (
        float | None
    )  # over pairs that the reference separates: 1, 0, or 1/2; None where it separates none
    pairs: int
    reference_pairs: int


def agreement_with_confidence(reference: Board, board: Board) -> Agreement:
    """Agreement of `board` with `reference` over the pairs of models that both have.

    The paper (Li et al. 2024, section 3) scores all pairs by 1, -1, 0; its published code scores the pairs that the reference separates by 1, 0
    and 1/2 where the board does not separate. Name the one that is quoted.
    """
    ref, own = _shared(reference, board)
    signs = np.array([(_separated(ref[a], ref[b]), _separated(own[a], own[b])) for a, b in _pairs(ref)])
    product = signs[:, 0] * signs[:, 1]
    known = signs[:, 0] != 0
    by_code = float((1 + product[known]).mean() / 2) if known.any() else None
    return Agreement(float(product.mean()), by_code, len(signs), int(known.sum()))


def pair_rank_brier(
    reference: Board,
    board: Board,
    *,
    board_se: Sequence[float] | None = None,
    reference_se: Sequence[float] | None = None,
) -> float:
    """Mean squared error of the board's P(a above b) against the reference's order, over all shared pairs.

        P = Phi((s_a - s_b)/sqrt(se_a^2 + se_b^2)),  mean (P - O)^2,  O = 1, 0 or 1/2 (tied)

    With `reference_se` the order itself is uncertain, q = Phi(...), and the score is the expected q (1 - P)^2 + (1 - q) P^2, whose
    floor is mean q (1 - q). Standard errors follow the boards' order of models; without `board_se` they are read off the
    intervals. Errors are taken as independent: where items are shared, paired probabilities are better.
    """
    ref, own = _shared(reference, board)
    known = _errors(board, board_se)
    other = None if reference_se is None else _errors(reference, reference_se)
    terms = []
    for a, b in _pairs(ref):
        p = _above(own[a][0] - own[b][0], known[a], known[b])
        q = _above(ref[a][0] - ref[b][0], *((0.0, 0.0) if other is None else (other[a], other[b])))
        # Without reference errors a tie of the reference has O = 1/2 and costs (P - 1/2)^2.
        cost = (p - q) ** 2 if other is None else q * (1 - p) ** 2 + (1 - q) * p**2
        terms.append(cost)
    return math.fsum(terms) / len(terms)


def _above(gap: float, se_a: float, se_b: float) -> float:
    se = math.hypot(se_a, se_b)
    if se == 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return float(ndtr(gap / se))


def _separated(a: Float, b: Float) -> int:
    """1: a lies above b, -1: below, 0: the intervals overlap."""
    if a[1] >= b[2] and a[0] > b[0]:
        return 1
    return -1 if b[1] >= a[2] and b[0] > a[0] else 0


def _checked(board: Board) -> dict[str, Float]:
    found = {
        model: vector(f"the interval of {model}", row, least=3)
        for model, row in named("board", board).items()
    }
    for model, row in found.items():
        if len(row) != 3 or not row[1] <= row[0] <= row[2]:
            raise BadNumber(f"{model} needs (score, low, high) with low <= score <= high")
    if len(found) < 2:
        raise BadNumber("two models make a pair")
    return found


def _shared(reference: Board, board: Board) -> tuple[dict[str, Float], dict[str, Float]]:
    ref, own = _checked(reference), _checked(board)
    models = [model for model in ref if model in own]
    if len(models) < 2:
        raise Undefined("fewer than two models are on both boards")
    return {model: ref[model] for model in models}, {model: own[model] for model in models}


def _errors(board: Board, errors: Sequence[float] | None) -> dict[str, float]:
    if errors is None:
        return {model: (row[2] - row[1]) / (2 * Z95) for model, row in board.items()}
    if len(rows("standard errors", errors)) != len(board):
        raise BadNumber(f"{len(errors)} standard errors for {len(board)} models")
    return {model: finite("se", se, 0.0) for model, se in zip(board, errors, strict=True)}


def _pairs(models: Mapping[str, Float]) -> list[tuple[str, str]]:
    return list(combinations(models, 2))
