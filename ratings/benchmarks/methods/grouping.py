"""How the items of results are taken in a number: as clusters or strata where the groups suffice, else one by one, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings.benchmarks.results.dependence import Dependence
from ratings.benchmarks.results.results import Bool, ItemResults

# Five groups that all lean one way have a two-sided sign test of 2/2^5 = .0625: below six no test of groups can speak at 5 %.
FEWEST_GROUPS = 6


@dataclass(frozen=True)
class Taken:
    """How items enter a number, and why not as they were meant to."""

    dependence: Dependence
    codes: npt.NDArray[np.int64]  # (n,) cluster or stratum of each item; empty where independent
    why: str | None = None


def taken(results: ItemResults, items: Bool | None = None) -> Taken:
    """How the items under the mask can be taken: as the results say, unless their groups are too few for that."""
    mask = np.ones(len(results.items), dtype=np.bool_) if items is None else items
    if results.dependence == "stratified":
        return _stratified(strata_of(results)[mask])
    if results.dependence == "clustered" and results.grouped:
        return _clustered(results.clusters()[mask])
    return Taken("independent", _none())


def too_few(groups: int) -> str:
    """Why so many groups carry no clustered test."""
    few = "all items are in one group" if groups == 1 else f"{groups} groups are too few for a clustered test"
    return f"{few} ({FEWEST_GROUPS} are needed): items are taken as independent, which is too sure where those of a group go together"


def strata_of(results: ItemResults) -> npt.NDArray[np.int64]:
    """(N,) stratum of each item; items without a label are a stratum of their own."""
    number: dict[tuple[str, ...], int] = {}
    return np.array([number.setdefault(path, len(number)) for path in results.groups], dtype=np.int64)


def _clustered(codes: npt.NDArray[np.int64]) -> Taken:
    groups = len(np.unique(codes))
    if groups == len(codes):  # every item alone: as independent as can be
        return Taken("independent", _none())
    return (
        Taken("clustered", codes)
        if groups >= FEWEST_GROUPS
        else Taken("independent", _none(), too_few(groups))
    )


def _stratified(codes: npt.NDArray[np.int64]) -> Taken:
    if len(np.unique(codes)) < 2:
        return Taken("independent", _none(), "all items are in one stratum: nothing to stratify by")
    return Taken("stratified", codes)


def _none() -> npt.NDArray[np.int64]:
    return np.zeros(0, dtype=np.int64)
