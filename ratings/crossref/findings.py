"""The cross-reference of one board and one benchmark: all its parts from ratings, results and what else is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from arena.errors import NoData
from arena.votes import UNKNOWN
from ratings.benchmarks.reports.score_table import Sheet as ScoreSheet
from ratings.benchmarks.reports.score_table import score_sheet
from ratings.benchmarks.results.results import ItemResults
from ratings.crossref import footer, measures
from ratings.crossref.association import Association, associate
from ratings.crossref.exchange import Exchange, exchange
from ratings.crossref.groups import GroupFits, group_fits
from ratings.crossref.items import ItemFits, item_fits, shuffle
from ratings.crossref.join import FEW, Join, canonical, enough, families, join
from ratings.crossref.measures import Measure
from ratings.crossref.models import model_lines
from ratings.crossref.pairs import pair_table
from ratings.crossref.redundancy import RatingsGivenCapability, Table, redundancy
from ratings.crossref.result import CrossReference, Known
from ratings.crossref.votes import foretold
from ratings.diagnostics.held_out import HeldOut
from ratings.stats.arguments import Float, Undefined

__all__ = ["CrossReference", "Known", "of_items", "of_scores"]

BENT = 0.05  # by which ranks correlate better than values where the relation bends


def of_items(board: Measure, results: ItemResults, known: Known = Known()) -> CrossReference:  # noqa: B008 - frozen
    """The cross-reference with item results. Raises `NoData` below five shared models or two common items."""
    joined = join(board.models, results.models, known.aliases)
    enough(joined)
    kept = results.take(joined.benchmark)
    scores, items = measures.items(kept, known.errors)
    ratings = board.of(joined.arena)
    bare = _of_measures(results.benchmark, joined, ratings, scores.of(joined.benchmark), known)
    own = score_sheet(kept, card=known.card, errors=known.errors, tries=known.tries, seed=known.seed)
    groups, fits = _fits(kept, joined, ratings, known)
    lines = {line.model: line for line in own.lines}
    found = replace(
        bare,
        items=items,
        models=model_lines(ratings, scores.of(joined.benchmark), bare.pairs, lines),
        groups=groups,
        item_fits=fits,
        selection=own.selection,
        saturation=own.saturation,
        ceiling_known=own.ceiling_known,
        tied_with_best=own.tied_with_best,
        notes=(*bare.notes, *_item_notes(kept, own)),
    )
    return footer.added(found)


def of_scores(
    board: Measure, name: str, scores: Mapping[str, float], known: Known = Known()  # noqa: B008 - frozen
) -> CrossReference:  # fmt: skip
    """The same with one score a model and no items: errors, groups and items of the benchmark stay unknown."""
    joined = join(board.models, tuple(scores), known.aliases)
    enough(joined)
    values = np.array([scores[model] for model in joined.benchmark], dtype=np.float64)
    given = Measure(joined.benchmark, values, None)
    return footer.added(_of_measures(name, joined, board.of(joined.arena), given, known))


def _of_measures(name: str, joined: Join, ratings: Measure, scores: Measure, known: Known) -> CrossReference:
    notes: list[str] = []
    if joined.models < FEW:
        notes.append(f"{joined.models} shared models: the interval says more than the value")
    kin, rule = families(joined.arena, known.families)
    association = associate(ratings, scores, kin, rule=rule)
    pairs = pair_table(ratings, scores)
    found = CrossReference(
        benchmark=name,
        join=joined,
        items=None,
        errors=known.errors,
        models=model_lines(ratings, scores, pairs, {}),
        association=association,
        pairs=pairs,
        exchange=_exchange(ratings, scores, notes),
        votes=_foretold(joined, scores, known, notes),
        groups=None,
        item_fits=None,
        redundancy=_redundancy(joined, ratings, scores, known, notes),
        selection=None,
        saturation=None,
        ceiling_known=False,
        tied_with_best=None,
        texts=known.texts,
        tests=(),
        not_done=(),
        notes=(),
    )
    return replace(found, notes=(*notes, *_bent(association)))


def _exchange(ratings: Measure, scores: Measure, notes: list[str]) -> Exchange | None:
    try:
        return exchange(ratings, scores)
    except Undefined as undefined:
        notes.append(f"no exchange rate: {undefined}")
        return None


def _foretold(joined: Join, scores: Measure, known: Known, notes: list[str]) -> HeldOut | None:
    if known.votes is None:
        return None
    table, plan = known.votes
    if (table.voter[table.used] == UNKNOWN).all():
        notes.append(
            "the votes name no voters: errors of ratings as if every vote were another person's, so too small"
        )
    by_name = dict(zip(joined.arena, scores.values.tolist(), strict=True))
    try:
        return foretold(table, plan, by_name, seed=known.seed)
    except NoData as none:
        notes.append(f"unseen votes are not foretold: {none}")
        return None


def _redundancy(
    joined: Join, ratings: Measure, scores: Measure, known: Known, notes: list[str]
) -> RatingsGivenCapability | None:
    if not known.others:
        return None
    try:
        return redundancy(ratings, scores, _renamed(joined, known))
    except Undefined as undefined:
        notes.append(f"no capability-adjusted correlation: {undefined}")
        return None


def _renamed(joined: Join, known: Known) -> Table:
    """The other benchmarks by this benchmark's names of the shared models, by joined names of the rest."""
    aliases = known.aliases
    own = {aliases.get(name, name): name for name in joined.benchmark}
    return {
        title: {
            own.get(name, name): column[other]
            for name, other in canonical(tuple(column), aliases, title).items()
        }
        for title, column in known.others.items()
    }


def _fits(
    kept: ItemResults, joined: Join, ratings: Measure, known: Known
) -> tuple[GroupFits | None, ItemFits | None]:
    means = kept.means(known.errors)[[kept.row(name) for name in joined.benchmark]]
    usable = ~kept.clashing
    shuffles = shuffle(ratings.values, np.random.default_rng(known.seed))
    names = [name for name, ok in zip(kept.items, usable, strict=True) if ok]
    fits = item_fits(means[:, usable], names, ratings.values, shuffles)
    complete = usable & np.isfinite(means).all(axis=0)
    labels = [path[0] if path and ok else "" for path, ok in zip(kept.groups, complete, strict=True)]
    if not any(labels):
        return None, fits
    return _groups(means, labels, complete, kept, ratings, shuffles), fits


def _groups(
    means: Float, labels: list[str], complete: np.ndarray, kept: ItemResults, ratings: Measure, shuffles: Float
) -> GroupFits:  # fmt: skip
    named = [label for label, ok in zip(labels, complete, strict=True) if ok]
    return group_fits(means[:, complete], named, kept.clusters(1)[complete], ratings, shuffles)


def _bent(found: Association) -> tuple[str, ...]:
    if found.pearson is None or found.spearman is None or abs(found.spearman) - abs(found.pearson) <= BENT:
        return ()
    return (
        "ranks correlate better than values: the relation bends (often because scores crowd below their ceiling), so that the "
        "straight line of the exchange rate misleads at its ends",
    )


def _item_notes(kept: ItemResults, own: ScoreSheet) -> tuple[str, ...]:
    notes = list(own.warnings)
    if (
        kept.dependence == "clustered"
        and kept.groups
        and all(kept.groups)
        and len(set(kept.clusters().tolist())) < 2
    ):
        notes.append("all items are of one group: their errors are taken as independent within it")
    return tuple(notes)
