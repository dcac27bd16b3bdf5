"""Ratings: votes in, rankings with intervals out. Arrays at the heart; Redis only in `refresh`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ratings.api.arrays import fit
    from ratings.api.estimator import BradleyTerry
    from ratings.api.tables import rank

__all__ = ["BradleyTerry", "fit", "rank"]

# The doors load scipy, the readers or scikit-learn; the web process imports this package and must not.
DOORS = {"rank": "ratings.api.tables", "fit": "ratings.api.arrays", "BradleyTerry": "ratings.api.estimator"}


def __getattr__(name: str) -> Any:
    if name in DOORS:
        return getattr(import_module(DOORS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
