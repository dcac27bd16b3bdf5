"""The report on one benchmark: score sheet, pairs, items, claims and the card's silence, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ratings.benchmarks.library.claims import Check, check_claims
from ratings.benchmarks.methods.baselines import NAMES as BASELINE_NAMES
from ratings.benchmarks.methods.baselines import Baseline, baselines
from ratings.benchmarks.methods.ceiling import implied_accuracy
from ratings.benchmarks.methods.planning import detectable_gap_of_se, price_of_halving
from ratings.benchmarks.reports.comparison import Comparison, compare
from ratings.benchmarks.reports.score_table import Sheet, score_sheet
from ratings.benchmarks.results.assembly import Origins
from ratings.benchmarks.results.card import Card, checklist
from ratings.benchmarks.results.entries import Claim, Figure
from ratings.benchmarks.results.results import ItemResults, Policy
from ratings.stats.arguments import BadNumber

WHOLE = "X"  # of the item map: a full score; 0 to 9 are tenths, - is no score
NONE = "-"
MAP_CELLS = 3_000_000  # models x items; above it the map is left out
TESTED = {
    "McNemar, exact": "McNemar's exact test on the items that only one of the two gets right",
    "paired t": "the paired t test on item means",
    "paired t, stratified": "the paired t test on item means with standard errors by strata (t with Satterthwaite's freedom)",
    "paired t, clustered": "the paired t test with standard errors clustered by group (CR1, t(groups - 1))",
}


@dataclass(frozen=True)
class Item:
    """One item over all models."""

    item: str
    group: tuple[str, ...]
    models: int  # that have a score
    mean: float | None


@dataclass(frozen=True)
class ItemMap:
    """Every model on every item, hardest items last; one character each."""

    items: tuple[Item, ...]  # easiest first
    rows: tuple[str, ...]  # of each line of the sheet, in its order
    solved_by_all: int
    solved_by_none: int


@dataclass(frozen=True)
class Flag:
    """An item on which the audit of a model's work found something."""

    item: str
    model: str
    counts_as_right: bool
    findings: tuple[str, ...]


@dataclass(frozen=True)
class ItemPower:
    """What so many items can show."""

    items: int
    p: float  # the best score
    detectable: (
        float | None
    )  # smallest true gap found with 80 % power by an unpaired test at 5 %; None where none is, or no spread
    items_for_half: int  # for an interval half as wide
    se: float | None = None  # of the best score, from the spread of its scores
    effective: int | None = None  # how many independent items the clusters are worth, where fewer


@dataclass(frozen=True)
class Report:
    """Everything that is said of one benchmark, with the settings that made it."""

    sheet: Sheet
    comparison: Comparison
    item_map: ItemMap | None
    checks: tuple[Check, ...]
    figures: tuple[Figure, ...]
    baselines: tuple[Baseline, ...]
    flags: tuple[Flag, ...]  # of the audit of diffs, where diffs were given
    power: ItemPower | None
    implied: dict[
        str, float | None
    ]  # model -> accuracy freed of wrong keys, where the card tells how many there are
    card: Card | None
    open_questions: tuple[str, ...]
    account: tuple[str, ...]  # lines of what was read

    @property
    def test(self) -> str:
        """The test behind every claim about a pair, in words."""
        words = TESTED[self.comparison.test]
        if self.comparison.test == "McNemar, exact" and self.comparison.dependence == "stratified":
            words += " (valid over strata; intervals by strata)"
        if not self.comparison.family:
            return f"{words} (no pair has items for it)"
        return f"{words}, corrected for {self.comparison.family} pairs (Holm)"

    def to_object(self) -> dict[str, Any]:
        """Plain data for JSON; infinities as text."""
        found = asdict(self)
        found["test"] = self.test
        found["dependence"] = self.comparison.dependence
        for line in found["sheet"]["lines"]:
            line["missing"] = line["statuses"].get("unscored", 0)
        if self.card is not None and self.card.options is not None and math.isinf(self.card.options):
            found["card"]["options"] = "open"
        return found


def report(
    results: ItemResults,
    *,
    card: Card | None = None,
    claims: Sequence[Claim] = (),
    origins: Origins | None = None,
    figures: Sequence[Figure] = (),
    account: Sequence[str] = (),
    findings: Mapping[str, Sequence[str]] | None = None,
    errors: Policy = "zero",
    level: float = 0.95,
    tries: int | None = None,
    seed: int = 0,
) -> Report:
    """The report on `results`. Null, echo and oracle agents are baselines: they are judged, and left out of the table.

    `origins` says which items come from which benchmark and variant of the files, so that each claim is held against its own. `findings` are those of the audit of diffs by item (`model/item` where several models worked on it).
    """
    found = baselines(results)
    agents = [model for model in results.models if model.lower() in BASELINE_NAMES]
    contenders = [model for model in results.models if model not in agents]
    shown = results.take(contenders) if agents and contenders else results
    sheet = score_sheet(shown, card=card, errors=errors, level=level, tries=tries, seed=seed)
    return Report(
        sheet=sheet,
        comparison=compare(shown, errors=errors, level=level),
        item_map=item_map(shown, sheet),
        checks=check_claims(claims, results, origins),
        figures=tuple(figure for figure in figures if figure.model in results.models),
        baselines=found if agents else (),
        flags=_flags(results, findings or {}),
        power=_power(sheet),
        implied=_implied(sheet, card),
        card=card,
        open_questions=() if card is None else tuple(answer.question for answer in checklist(card).missing),
        account=tuple(account),
    )


def item_map(results: ItemResults, sheet: Sheet) -> ItemMap | None:
    """The map; None for a table of more than three million cells, or without a scale from 0 to 1."""
    if (
        results.scale != (0.0, 1.0)
        or len(results.models) * len(results.items) > MAP_CELLS
        or not results.items
    ):
        return None
    means = results.means(sheet.errors)
    n = np.count_nonzero(~np.isnan(means), axis=0)
    average = np.divide(np.nansum(means, axis=0), n, out=np.full(len(n), np.nan), where=n > 0)
    order = np.argsort(np.where(n > 0, -average, np.inf), kind="stable")
    items = tuple(
        Item(results.items[i], results.groups[i], int(n[i]), None if n[i] == 0 else float(average[i]))
        for i in order
    )
    rows = tuple(_row(means[results.row(line.model)][order]) for line in sheet.lines)
    return ItemMap(items, rows, int((average == 1).sum()), int((average == 0).sum()))


def _row(scores: Any) -> str:
    return "".join(NONE if s != s else WHOLE if s >= 1 else str(int(s * 10)) for s in scores.tolist())


def _flags(results: ItemResults, findings: Mapping[str, Sequence[str]]) -> tuple[Flag, ...]:
    means = results.means("zero")
    return tuple(
        Flag(item, model, bool(means[row, column] >= 1), tuple(found))
        for row, model in enumerate(results.models)
        for column, item in enumerate(results.items)
        if (
            found := findings.get(f"{model}/{item}")
            or (findings.get(item) if len(results.models) == 1 else None)
        )
    )


def _power(sheet: Sheet) -> ItemPower | None:
    best = sheet.lines[0] if sheet.lines else None
    if best is None or best.score is None or sheet.scale != (0.0, 1.0):
        return None
    gap = detectable_gap_of_se(best.se) if best.se else None
    if gap is not None and gap > max(best.score, 1 - best.score):  # no score is so far from the best
        gap = None
    return ItemPower(best.items, best.score, gap, price_of_halving(best.items), best.se, best.worth)


def _implied(sheet: Sheet, card: Card | None) -> dict[str, float | None]:
    if card is None or card.label_error_rate is None or card.options is None or sheet.scale != (0.0, 1.0):
        return {}
    found: dict[str, float | None] = {}
    for line in sheet.lines:
        if line.score is None:
            continue
        try:
            found[line.model] = implied_accuracy(line.score, card.label_error_rate, card.options, line.items)
        except BadNumber:
            found[line.model] = None  # above the ceiling by more than chance: the card or the run is wrong
    return found
