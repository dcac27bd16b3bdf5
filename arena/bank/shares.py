"""No model in too many battles: the nearest probabilities to a rule's own under which every share keeps its bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Pair = tuple[str, str]  # two models in order of name
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

MOST = 1 / 3  # of battles, unless so few models take part that their even share is near it
ABOVE_EVEN = 1.25  # room above the even share 2/K: a newcomer still comes more often than others
NEWCOMER = 0.5  # of the mean number of battles: a model with less is new here
SWEEPS = 200  # reached bounds settle within some twenty
STEP = 0.05  # where the bank's pairs cannot keep a bound it is raised by this much
INSIDE = 1e-7  # aim this much (relative) below a bound, so that the last digits do not cross it


@dataclass(frozen=True)
class ShareBounds:
    """The largest share of battles that one model, and all newcomers of one provider together, may have."""

    model: float
    newcomers: float


def bound(models: int, most: float = MOST) -> float:
    """The largest share of battles of one of `models` models."""
    return min(1.0, max(most, ABOVE_EVEN * 2 / models))


def newcomers(
    pairs: Sequence[Pair], votes: Mapping[Pair, int], providers: Mapping[str, str | None]
) -> list[frozenset[str]]:
    """The newcomers of each provider that has several. A model without a provider stands for itself."""
    battles: dict[str, int] = {}
    for pair in pairs:
        for model in pair:
            battles[model] = battles.get(model, 0) + votes.get(pair, 0)
    mean = sum(battles.values()) / len(battles)
    found: dict[str, set[str]] = {}
    for model, count in battles.items():
        provider = providers.get(model)
        if provider is not None and count < NEWCOMER * mean:
            found.setdefault(provider, set()).add(model)
    return [frozenset(models) for _, models in sorted(found.items()) if len(models) > 1]


def bounded(
    p: Floats, pairs: Sequence[Pair], groups: Sequence[frozenset[str]], most: float = MOST
) -> tuple[Floats, ShareBounds]:
    """The probabilities nearest to `p` (least relative entropy) that keep the bounds, and the bounds kept.

    p: (n,) of each pair, none 0, sum 1. Where the pairs of the bank cannot keep a bound (one model in all of
    them, say), it is raised by steps until they can, first for models, then for `groups`, and the raised one returned.
    """
    models = sorted({model for pair in pairs for model in pair})
    top = bound(len(models), most)
    single = np.array([[model in pair for pair in pairs] for model in models], dtype=np.bool_)
    for_models, kept = _raised(p, single, np.full(len(single), top), len(single))
    if not groups:
        return kept, ShareBounds(for_models, top)
    united = np.array([[bool(group & set(pair)) for pair in pairs] for group in groups], dtype=np.bool_)
    both = np.concatenate([single, united])
    most_of_each = np.array([for_models] * len(single) + [top] * len(united))
    for_groups, kept = _raised(p, both, most_of_each, len(united))
    return kept, ShareBounds(for_models, for_groups)


def _raised(p: Floats, members: Flags, most: Floats, last: int) -> tuple[float, Floats]:
    """The bound of the `last` groups, raised until all can be kept, and the probabilities that keep them."""
    most = most.copy()
    while True:
        kept = _nearest(p, members, most)
        if (members @ kept <= most).all() and kept.min() > 0:
            return float(most[-1]), kept
        most[-last:] = np.minimum(1.0, most[-last:] + STEP)


def _nearest(p: Floats, members: Flags, most: Floats) -> Floats:
    """Scale each group whose share is over its bound to it, in turn; a group scaled too far comes back.

    Coordinate ascent of the dual: p_i * prod of the factors (each at most 1) of the groups that hold i
    (Csiszar 1975, Dykstra 1985). May end above a bound that cannot be kept.
    """
    factor, aim = np.ones(len(members)), most * (1 - INSIDE)
    for _ in range(SWEEPS):
        settled = True
        for group in np.flatnonzero((members @ p > most) | (factor < 1)):
            inside = members[group]
            share, rest = p[inside].sum(), p[~inside].sum()
            if most[group] >= 1 or rest == 0:
                continue
            change = min(aim[group] * rest / ((1 - aim[group]) * share), 1 / factor[group])
            settled = settled and abs(change - 1) < INSIDE / 100
            factor[group] *= change
            p = np.where(inside, p * change, p)
            p = p / p.sum()
        if settled:
            break
    return p
