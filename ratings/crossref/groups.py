"""Groups of items (subjects, passages) against ratings: where the signal is that single items are too few models to show."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ratings.crossref.items import Shuffles, concordance, correlations
from ratings.crossref.measures import Measure, error_covariance
from ratings.crossref.power import Power, power
from ratings.stats.arguments import Float, Undefined
from ratings.stats.clusters import clustered
from ratings.stats.correlation import constant, disattenuated_interval, reliability
from ratings.stats.multiplicity import adjusted

GROUP_ITEMS = 2  # a group of one item is an item
FALSE_DISCOVERIES = 0.1


@dataclass(frozen=True)
class GroupFit:
    """One group of items. None where its models or items do not tell."""

    group: str
    items: int
    clusters: int  # of items inside it (passages of a subject); as many as items where nothing finer is known
    r: float | None  # of its mean score with the ratings
    p: float | None  # two-sided, ratings shuffled over models
    p_adjusted: float | None  # Benjamini-Hochberg over the groups
    reliability: float | None  # of its mean score, errors clustered (CR1)
    disattenuated: float | None  # r without the noise of ratings and items
    low: float | None
    high: float | None
    auc: float | None  # mean over its items that vary
    auc_low: float | None  # t(clusters - 1) with CR1, over these items: how alike they are, for these models
    auc_high: float | None
    bt_agree: float | None
    flagged: bool  # r < 0 and p_adjusted <= 10 %: runs against people


@dataclass(frozen=True)
class GroupFits:
    """The groups, most contrary first, and what correlations so many tests over so few models could show."""

    lines: tuple[GroupFit, ...]
    single: int  # groups of one item: counted, not scored
    power: Power | None


def group_fits(
    x: Float, labels: list[str], inner: npt.NDArray[np.int64], ratings: Measure, shuffles: Shuffles
) -> GroupFits:
    """Groups of the columns of `x` (M, N), complete; `labels` "" for none; `inner` (N,) the finer clusters."""
    names = np.array(labels)
    sizes = {name: int((names == name).sum()) for name in dict.fromkeys(labels) if name}
    found = [
        _fit(name, x[:, names == name], inner[names == name], ratings, shuffles)
        for name, size in sizes.items()
        if size >= GROUP_ITEMS
    ]
    tested = [group.p for group in found if group.p is not None]
    corrected = iter(adjusted(tested, "fdr_bh").tolist())
    lines = [group if group.p is None else _corrected(group, next(corrected)) for group in found]
    return GroupFits(
        lines=tuple(sorted(lines, key=lambda g: (g.r is None, g.r or 0.0, g.group))),
        single=sum(size < GROUP_ITEMS for size in sizes.values()),
        power=power(len(ratings.models), len(tested), FALSE_DISCOVERIES) if tested else None,
    )


def _corrected(group: GroupFit, p_adjusted: float) -> GroupFit:
    against = group.r is not None and group.r < 0 and p_adjusted <= FALSE_DISCOVERIES
    return replace(group, p_adjusted=p_adjusted, flagged=against)


def _fit(name: str, x: Float, inner: npt.NDArray[np.int64], ratings: Measure, shuffles: Shuffles) -> GroupFit:
    score = x.mean(axis=1)
    clusters = len(np.unique(inner))
    r = p = None
    if not constant(score) and not constant(ratings.values):
        r = float(correlations(score[:, None], ratings.values[None])[0, 0])
        hits = np.abs(correlations(score[:, None], shuffles)[:, 0]) >= abs(r) - 1e-9
        p = float((1 + hits.sum()) / (1 + len(shuffles)))
    trust = _reliability(x, score, inner) if clusters > 1 else None
    freed, low, high = _freed(r, ratings, trust)
    auc, agree = concordance(x, ratings.values)
    varied = ~np.isnan(auc)
    mean, mean_low, mean_high = _mean(auc[varied], inner[varied])
    return GroupFit(
        group=name,
        items=x.shape[1],
        clusters=clusters,
        r=r,
        p=p,
        p_adjusted=None,
        reliability=trust,
        disattenuated=freed,
        low=low,
        high=high,
        auc=mean,
        auc_low=mean_low,
        auc_high=mean_high,
        bt_agree=float(agree[varied].mean()) if varied.any() else None,
        flagged=False,
    )


def _reliability(x: Float, score: Float, inner: npt.NDArray[np.int64]) -> float | None:
    try:
        return reliability(score, error_covariance(x, inner))
    except Undefined:
        return None


def _freed(
    r: float | None, ratings: Measure, trust: float | None
) -> tuple[float | None, float | None, float | None]:
    if r is None or trust is None or abs(r) == 1:
        return None, None, None
    own = ratings.reliability
    try:
        found = disattenuated_interval(r, len(ratings.models), 1.0 if own is None else own, trust)
    except Undefined:
        return None, None, None
    return found.r_dis, *found.ci


def _mean(auc: Float, inner: npt.NDArray[np.int64]) -> tuple[float | None, float | None, float | None]:
    if len(auc) == 0:
        return None, None, None
    mean = float(auc.mean())
    if len(np.unique(inner)) < 2 or np.ptp(auc) <= 1e-12:
        return mean, None, None
    low, high = clustered(auc, inner).interval()
    return mean, max(0.0, low), min(1.0, high)
