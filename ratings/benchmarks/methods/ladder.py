"""What a board may tell of a private test set: the Ladder and Thresholdout, and the attack that they are for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from ratings.stats.arguments import BadNumber, Float, finite, matrix, positive, rows, share, vector, whole

Guess = npt.NDArray[np.int64]
Board = Callable[[Guess], float]  # public accuracy of a 0/1 vector
NEAR = 1e-9  # steps: closer than that to a half step is on it


class BudgetSpent(BadNumber):
    """The holdout has been looked at as often as its guarantee allows."""

    code = "budget_spent"


def ladder(scores: Sequence[float] | Float, eta: float) -> Float:
    """(k,) what the Ladder shows after each of k submissions with public accuracies `scores`.

    R_0 = 0; the board moves only if a score exceeds it by more than `eta`, then to the score rounded to the nearest multiple of eta
    (halves up). Counted in whole steps, so that a rise of exactly one step, such as .12 to .14 with eta .02, never moves it.
    Blum & Hardt 2015. Raises `BadNumber` for eta <= 0 or scores outside [0, 1].
    """
    step = positive("eta", eta)
    shown, best = [], 0
    for score in vector("scores", scores, least=0, low=0.0, high=1.0):
        halves = 2 * float(score) / step
        if abs(halves - round(halves)) < NEAR * max(1.0, halves):
            halves = round(halves)
        if halves > 2 * (best + 1):
            best = math.floor((halves + 1) / 2)
        shown.append(best)
    exact = Fraction(repr(step))
    return np.array([float(exact * steps) for steps in shown])


def moves(shown: Sequence[float] | Float) -> npt.NDArray[np.bool_]:
    """(k,) which submissions moved the board: all that an attacker learns."""
    x = vector("shown", shown, least=0)
    return np.asarray(np.diff(x, prepend=0.0) > 0)


def parameter_free_ladder(scores: Sequence[Sequence[float]] | Float) -> Float:
    """(k,) what the Ladder without a step shows, from the submissions' item scores (k, n).

    A submission moves the board, to its own mean, if it beats the best so far (at first: nothing right) by more than s/sqrt(n), s the
    sample standard deviation of the item differences: the threshold of a paired t test at 1. With S and Q the sum and the sum
    of squares of the differences this is S > 0 and S^2 > Q, which whole numbers decide without rounding. Blum & Hardt 2015, section 4.
    """
    if len(rows("scores", scores)) == 0:
        return np.zeros(0)
    x = matrix("scores", scores, low=0.0, high=1.0)
    best, shown = np.zeros(x.shape[1]), []
    for row in x:
        d = row - best
        total, squares = float(d.sum()), float(d @ d)
        if total > 0 and total**2 > squares * (1 + 1e-12):
            best = row
        shown.append(float(best.mean()))
    return np.array(shown)


class Thresholdout:
    """A reusable holdout (Dwork et al. 2015): it answers from the training data unless the holdout clearly disagrees.

        T^ = T + Laplace(2 sigma); for each question, if |holdout - train| > T^ + Laplace(4 sigma):
        answer holdout + Laplace(sigma), draw T^ anew, and spend one of the budget; else answer train

    With sigma = 0 it is deterministic. Once `budget` disagreements are told, `answer` raises `BudgetSpent`.
    """

    def __init__(
        self,
        threshold: float,
        sigma: float,
        budget: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        self._threshold = finite("threshold", threshold, 0.0)
        self._sigma = finite("sigma", sigma, 0.0)
        if self._sigma > 0 and rng is None:
            raise BadNumber("noise needs an rng")
        self.left = None if budget is None else whole("budget", budget)
        self._rng = rng
        self._noisy = self._threshold + self._noise(2)

    def answer(self, train: float, holdout: float) -> float:
        """The answer to one question, whose means on the training and the holdout data these are."""
        train, holdout = finite("train", train), finite("holdout", holdout)
        if self.left is not None and self.left < 1:
            raise BudgetSpent("the budget of holdout answers is spent")
        # A disagreement of exactly the threshold is none, also when .82 - .78 is not .04 in binary.
        if abs(holdout - train) - (self._noisy + self._noise(4)) <= 1e-12:
            return train
        if self.left is not None:
            self.left -= 1
        self._noisy = self._threshold + self._noise(2)
        return holdout + self._noise(1)

    def _noise(self, times: int) -> float:
        if self._sigma == 0 or self._rng is None:
            return 0.0
        return float(self._rng.laplace(0.0, times * self._sigma))


def exact_board(labels: Sequence[int], public: Sequence[Any]) -> Board:
    """A board that tells the exact accuracy on the public items: what one should not run."""
    hidden = vector("labels", labels, low=0, high=1)
    mask = vector("public", public, low=0, high=1) == 1
    if len(mask) != len(hidden) or not mask.any():
        raise BadNumber("public must mark some of the labels")
    return lambda guess: float((np.asarray(guess)[mask] == hidden[mask]).mean())


def constant_board(score: float) -> Board:
    """A board that tells every submission the same."""
    told = share("score", score)
    return lambda guess: told


def boosting_attack(board: Board, n: int, k: int, rng: np.random.Generator) -> Guess:
    """(n,) 0/1 labels that climb a board of exact scores without knowing anything.

    k random vectors, those told 1/2 or more kept, their majority by coordinate (ties and nothing kept: 1).
    Blum & Hardt 2015, theorem 5.1. The test of a release policy, not a feature.
    """
    guesses: Guess = rng.integers(0, 2, (whole("k", k), whole("n", n, 1)))
    told = np.array([board(guess) for guess in guesses])
    return majority(guesses[told >= 0.5])


def majority(guesses: Guess) -> Guess:
    """(n,) coordinatewise majority of 0/1 rows, ties toward 1."""
    return np.asarray(2 * guesses.sum(axis=0) >= len(guesses)).astype(np.int64)


def attack_heuristic(k: int, n: int) -> float:
    """Public accuracy that the attack is expected to reach: Phi(sqrt(k/(pi n)))."""
    return float(ndtr(math.sqrt(whole("k", k) / (math.pi * whole("n", n, 1)))))


ATTACK_SLOPE = 1 / (math.pi * math.sqrt(2))  # its gain per sqrt(k/n) while small: 0.225
