"""The cross-reference of one board and one benchmark: join, association, pairs, exchange rate, items and groups, and as a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from ratings.benchmarks.association import correlation
from ratings.benchmarks.checks import Undefined
from ratings.benchmarks.items import rank_biserials
from ratings.benchmarks.multiplicity import adjusted
from ratings.benchmarks.results import ItemResults
from ratings.benchmarks.sheet import Selection, score_sheet
from ratings.crossref import measures
from ratings.crossref.association import Association, associate
from ratings.crossref.exchange import Exchange, exchange
from ratings.crossref.join import FEW, Join, enough, join
from ratings.crossref.measures import Measure
from ratings.crossref.pairs import PairTable, pair_table
from ratings.sheets import Sheet

SHUFFLES = 1000
READING_LIST = 10
GROUP_ITEMS = 2  # a group of one item is an item


@dataclass(frozen=True)
class GroupFit:
    """One group of items: the correlation of its mean score with the ratings. p by t(M - 2), adjusted by BH."""

    group: str
    items: int
    r: float | None
    p: float | None
    p_adjusted: float | None


@dataclass(frozen=True)
class ItemFits:
    """Items against ratings: how many run against people, and how many would by chance."""

    scored: int
    constant: int  # all models right, or all wrong: counted, not scored
    against: int  # items that lower-rated models get right more often: rank-biserial below 0
    expected_against: float  # under no relation at all: mean over shuffled ratings
    shuffled_low: float  # 2.5 % and 97.5 % of the shuffles
    shuffled_high: float
    reading_list: tuple[
        tuple[str, float], ...
    ]  # the most contrary items: suspects of wrong keys, not findings


@dataclass(frozen=True)
class CrossReference:
    """What people's ratings and a benchmark say of the same models."""

    benchmark: str
    join: Join
    items: int | None  # that every shared model has; None: only scores are known
    scores: tuple[tuple[str, float, float], ...]  # (model, rating, score)
    association: Association
    pairs: PairTable
    exchange: Exchange | None
    groups: tuple[GroupFit, ...]
    item_fits: ItemFits | None
    selection: Selection | None
    notes: tuple[str, ...]


def of_items(
    board: Measure, results: ItemResults, aliases: Mapping[str, str] | None = None, *, seed: int = 0
) -> CrossReference:
    """The cross-reference with item results. Raises `NoData` below five shared models."""
    joined = join(board.models, results.models, aliases)
    enough(joined)
    kept = results.take(joined.benchmark)
    scores, items = measures.items(kept)
    ratings = board.of(joined.arena)
    scores = scores.of(joined.benchmark)
    means = kept.means("exclude")[[kept.row(name) for name in joined.benchmark]]
    complete = ~np.isnan(means).any(axis=0) & ~kept.clashing
    x = means[:, complete]
    labels = ["/".join(group) for group, ok in zip(kept.groups, complete, strict=True) if ok]
    names = [name for name, ok in zip(kept.items, complete, strict=True) if ok]
    return _build(
        results.benchmark, joined, ratings, scores, items,
        _groups(x, labels, ratings.values), _items(x, names, ratings.values, seed),
        score_sheet(kept, errors="exclude", seed=seed).selection, None,
    )  # fmt: skip


def of_scores(
    board: Measure,
    name: str,
    scores: Mapping[str, float],
    aliases: Mapping[str, str] | None = None,
    families: Mapping[str, str] | None = None,
) -> CrossReference:
    """The same with one score a model and no items: errors, groups and items of the benchmark stay unknown."""
    joined = join(board.models, tuple(scores), aliases)
    enough(joined)
    values = np.array([scores[model] for model in joined.benchmark], dtype=np.float64)
    given = Measure(joined.benchmark, values, None)
    return _build(name, joined, board.of(joined.arena), given, None, (), None, None, families)


def _build(
    name: str, joined: Join, ratings: Measure, scores: Measure, items: int | None,
    groups: tuple[GroupFit, ...], fits: ItemFits | None, selection: Selection | None, families: Mapping[str, str] | None,
) -> CrossReference:  # fmt: skip
    notes = []
    if joined.models < FEW:
        notes.append(f"{joined.models} shared models: the interval says more than the value")
    try:
        line = exchange(ratings, scores)
    except Undefined as undefined:
        line = None
        notes.append(f"no exchange rate: {undefined}")
    tested = len(ratings.models) * (len(ratings.models) - 1) // 2
    notes.append(
        f"families of tests: {tested} pairs on each side (Holm), {joined.models} residuals and {len(groups)} groups "
        "(Benjamini-Hochberg, 10 %); single items are not tested: at this size none could be shown"
    )
    notes.append(
        "not done: held-out loss of the benchmark's implied probabilities, capability-adjusted correlation"
    )
    rows = zip(joined.arena, ratings.values.tolist(), scores.values.tolist(), strict=True)
    return CrossReference(
        name, joined, items, tuple(rows), associate(ratings, scores, families), pair_table(ratings, scores),
        line, groups, fits, selection, tuple(notes),
    )  # fmt: skip


def _groups(x: np.ndarray, labels: list[str], ratings: np.ndarray) -> tuple[GroupFit, ...]:
    names = np.array(labels)
    found: list[GroupFit] = []
    for name in dict.fromkeys(label for label in labels if label):
        inside = names == name
        if inside.sum() < GROUP_ITEMS:
            continue
        r = correlation(x[:, inside].mean(axis=1), ratings)
        found.append(GroupFit(name, int(inside.sum()), r, None if r is None else _p(r, len(ratings)), None))
    known = [group for group in found if group.p is not None]
    corrected = adjusted([group.p or 0.0 for group in known], "fdr_bh").tolist() if known else []
    by_name = dict(zip((group.group for group in known), corrected, strict=True))
    rows = [GroupFit(g.group, g.items, g.r, g.p, by_name.get(g.group)) for g in found]
    return tuple(sorted(rows, key=lambda g: (g.r is None, g.r or 0.0)))


def _p(r: float, n: int) -> float:
    if abs(r) == 1:
        return 0.0
    return float(2 * student.sf(abs(r) * ((n - 2) / (1 - r * r)) ** 0.5, n - 2))


def _items(x: np.ndarray, names: list[str], ratings: np.ndarray, seed: int) -> ItemFits | None:
    if not np.isin(x, (0.0, 1.0)).all():
        return None
    fits = rank_biserials(x, ratings)
    known = ~np.isnan(fits)
    if not known.any():
        return None
    rng = np.random.default_rng(seed)
    # The items are kept together, so that their dependence over models widens the range as it should.
    varied = x[:, known]
    centred = varied.sum(axis=0)
    ranks = np.argsort(np.argsort(ratings)) + 1.0
    m = len(ratings)
    shuffled = [
        float(np.sum(rng.permutation(ranks) @ varied < centred * (m + 1) / 2 - 1e-9)) for _ in range(SHUFFLES)
    ]
    low, high = np.quantile(shuffled, [0.025, 0.975])
    order = np.argsort(np.where(known, fits, np.inf), kind="stable")[:READING_LIST]
    return ItemFits(
        int(known.sum()), int((~known).sum()), int((fits[known] < 0).sum()), float(np.mean(shuffled)), float(low), float(high),
        tuple((names[i], float(fits[i])) for i in order if fits[i] < 0),
    )  # fmt: skip


def sheet(found: CrossReference) -> Sheet:
    """For people."""
    a, p = found.association, found.pairs
    summary = [
        ("Shared models", f"{found.join.models} ({len(found.join.only_arena)} only on the board, {len(found.join.only_benchmark)} only in the benchmark)"),
        ("Joined by alias", "; ".join(f"{one} = {other}" for one, other in found.join.renamed) or "none"),
        ("Items that all have", "scores only" if found.items is None else f"{found.items:,}"),
        ("Pearson", f"{_n(a.pearson)} [{_n(a.low)}, {_n(a.high)}]"),
        ("Spearman, Kendall tau-b", f"{_n(a.spearman)}, {_n(a.kendall_tau_b)}"),
        ("Reliability of ratings, of scores", f"{_n(a.reliability_arena, 4)}, {_n(a.reliability_benchmark, 4)}"),
        ("Noise ceiling of r", _n(a.noise_ceiling)),
        ("Freed of noise", f"{_n(a.disattenuated)} [{_n(a.disattenuated_low)}, {_n(a.disattenuated_high)}]{' (cut to 1)' if a.capped else ''}"),
    ]  # fmt: skip
    for words, left in (("model", a.leave_one_out), ("family", a.leave_family_out)):
        if left is not None:
            summary.append(
                (
                    f"Pearson, one {words} left out",
                    f"{left.low:.3f} (without {left.low_without}) to {left.high:.3f} (without {left.high_without})",
                )
            )
    summary += [
        ("Pairs", ", ".join(f"{count} {cell}" for cell, count in p.counts.items())),
        ("Agreement, paper's scale (+1/-1/0, all pairs)", _n(p.agreement_paper)),
        ("Agreement, code's scale (1/0.5/0, pairs the arena separates)", _n(p.agreement_code)),
        ("Separability: arena, benchmark", f"{_n(p.separability_arena)}, {_n(p.separability_benchmark)}"),
    ]
    if p.brier is not None:
        summary.append(("Brier, soft truth (least possible)", f"{p.brier.soft:.4f} ({p.brier.floor:.4f})"))
    tables = [(("Question", "Answer"), tuple(summary))]
    if found.exchange is not None:
        e = found.exchange
        summary.append(
            ("Elo for 0.01 of the score", f"{e.slope / 100:.2f} [{e.low / 100:.2f}, {e.high / 100:.2f}]")
        )
        tables[0] = (("Question", "Answer"), tuple(summary))
    if found.item_fits is not None:
        i = found.item_fits
        summary.append(
            (
                "Items that run against the ratings",
                f"{i.against} of {i.scored} ({i.expected_against:.0f} expected of no relation, {i.shuffled_low:.0f} to {i.shuffled_high:.0f}); {i.constant} constant",
            )
        )
        tables[0] = (("Question", "Answer"), tuple(summary))
    off = {row.model: row for row in found.exchange.residuals} if found.exchange else {}
    body = tuple(
        (model, f"{rating:.1f}", f"{score:.4f}", *((f"{off[model].residual:+.0f}", f"{off[model].p_adjusted:.3f}{' *' if off[model].flagged else ''}") if model in off else ("–", "–")))
        for model, rating, score in found.scores
    )  # fmt: skip
    wide = [(("Model", "Rating", "Score", "Elo above the line", "P (BH)"), body)]
    grouped = tuple((g.group, str(g.items), _n(g.r), _n(g.p_adjusted)) for g in found.groups)
    more = [(("Group of items", "Items", "r with ratings", "P (BH)"), grouped)] if grouped else []
    return Sheet(
        f"Arena beside {found.benchmark}", (*tables, *more, *wide), (*found.association.notes, *found.notes)
    )


def _n(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
