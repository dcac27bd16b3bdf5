"""The tables behind a cross-reference: groups, score sheet, conflicts, unseen votes, items, shared texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ratings.benchmarks.reports.score_line import Line
from ratings.crossref.groups import GroupFits
from ratings.crossref.items import READING_LIST, ItemFits
from ratings.crossref.models import ModelLine
from ratings.crossref.pairs import PairComparison, PairTable
from ratings.crossref.prompts import SharedTexts
from ratings.crossref.result import CrossReference
from ratings.diagnostics.held_out import HeldOut
from ratings.tables import DASH, Table, count, estimate, interval, number, p_value, percent, ranks

ROWS = 20  # of a list that may be long
WAYS = {"coin": "a coin", "bradley_terry": "Bradley-Terry", "elo": "online Elo", "style": "Bradley-Terry with style", "benchmark": "the benchmark's scores"}  # fmt: skip


def group_table(found: GroupFits | None) -> Table | None:
    """Groups lead: most contrary first."""
    if found is None or not found.lines:
        return None
    columns = (
        "Group of items, most contrary first", "Items", "Clusters", "r with ratings", "P (BH)", "Reliability",
        "Freed of noise", "Mean AUC", "BT P of the better",
    )  # fmt: skip
    rows = tuple(
        (
            g.group, count(g.items), count(g.clusters), number(g.r, 3), p_value(g.p_adjusted) + (" *" if g.flagged else ""), number(g.reliability, 3),
            estimate(g.disattenuated, g.low, g.high, 3), estimate(g.auc, g.auc_low, g.auc_high, 3), number(g.bt_agree, 3),
        )
        for g in found.lines
    )  # fmt: skip
    return columns, rows


def model_table(found: CrossReference) -> Table:
    """The score sheet, both sides, with the columns that these results have."""
    off = {row.model: row for row in found.exchange.residuals} if found.exchange else {}
    columns: list[tuple[str, Callable[[ModelLine], str]]] = [
        ("Model", lambda row: row.model),
        ("Rating", lambda row: estimate(row.rating, row.rating_low, row.rating_high)),
        ("Ranks, votes", lambda row: _ranks(row.arena_ranks)),
        (_score_title(found), _score),
        *_line_columns([row.line for row in found.models if row.line is not None]),
    ]
    if off:
        columns += [
            ("Elo above the line", lambda row: number(off[row.model].residual, 0, sign=True)),
            (
                "P (BH)",
                lambda row: p_value(off[row.model].p_adjusted) + (" *" if off[row.model].flagged else ""),
            ),
        ]
    rows = tuple(tuple(shown(row) for _, shown in columns) for row in found.models)
    return tuple(name for name, _ in columns), rows


def _score(row: ModelLine) -> str:
    return estimate(row.score, row.score_low, row.score_high, 4)


def _ranks(span: tuple[int, int] | None) -> str:
    return DASH if span is None else ranks(*span)


def _score_title(found: CrossReference) -> str:
    methods = {row.line.method for row in found.models if row.line is not None}
    return f"Score ({methods.pop().replace('wilson', 'Wilson')})" if len(methods) == 1 else "Score"


def _line_columns(lines: list[Line]) -> Iterator[tuple[str, Callable[[ModelLine], str]]]:
    if not lines:
        return
    yield "Ranks, items", lambda row: _ranks(row.benchmark_ranks)
    if any(line.right is not None for line in lines):
        yield (
            "Right of items",
            _of(lambda line: DASH if line.right is None else f"{count(line.right)}/{count(line.items)}"),
        )
    if any(line.right is not None and line.method != "wilson" for line in lines):
        yield "Wilson", _of(lambda line: interval(line.wilson_low, line.wilson_high, 3))
    if any(line.repeats is not None for line in lines):
        yield "SE of item means", _of(lambda line: number(line.repeats.se_items if line.repeats else None, 4))
    if any(line.clustered is not None for line in lines):
        yield (
            "SE by clusters (CR1)",
            _of(lambda line: number(line.clustered.cr1 if line.clustered else None, 4)),
        )
        yield "Design effect", _of(lambda line: number(line.design_effect, 2))
    most = max(len(line.pass_hat) for line in lines)
    if most > 1:
        yield (
            f"pass^{most}",
            _of(lambda line: number(line.pass_hat[-1] if len(line.pass_hat) == most else None, 3)),
        )
    if any(line.errors_matter for line in lines):
        yield (
            "Failed attempts as zero, left out",
            _of(lambda line: f"{number(line.score_errors_zero, 4)}, {number(line.score_errors_excluded, 4)}"),
        )
    if any(line.coverage < 1 for line in lines):
        yield "Items covered", _of(lambda line: percent(line.coverage))


def _of(shown: Callable[[Line], str]) -> Callable[[ModelLine], str]:
    return lambda row: DASH if row.line is None else shown(row.line)


def pair_lists(found: PairTable) -> Iterator[Table]:
    """The pairs on which both sides are sure and say the opposite."""
    conflicts = [row for row in found.pairs if row.cell == "conflict"]
    if conflicts:
        head = f"Conflict: better by votes ({_shown(len(conflicts))})"
        yield (
            (head, "Better by the benchmark", "Elo", "P (Holm)", "Score", "P (Holm)"),
            tuple(map(_pair, conflicts[:ROWS])),
        )


def _pair(row: PairComparison) -> tuple[str, ...]:
    first, second = (row.a, row.b) if row.arena_gap > 0 else (row.b, row.a)
    return (
        first, second, number(abs(row.arena_gap), sign=True), p_value(row.arena_p_holm),
        number(-abs(row.benchmark_gap), 4, sign=True), p_value(row.benchmark_p_holm),
    )  # fmt: skip


def vote_table(found: HeldOut | None) -> Table | None:
    """Unseen votes, foretold three ways or more."""
    if found is None:
        return None
    voters = f"{found.voters:,} voters" if found.voters < found.votes else "as many voters"
    columns = (
        f"{found.votes:,} unseen votes of {voters}, foretold by",
        "Log loss",
        "Brier",
        "Gain on a coin",
    )
    rows = tuple(
        (
            WAYS.get(loss.name, loss.name),
            number(loss.log_loss, 4),
            number(loss.brier, 4),
            DASH
            if loss.gain_low is None
            else estimate(loss.gain, loss.gain_low, loss.gain_high, 4, sign=True),
        )
        for loss in found.losses
    )
    return columns, rows


def item_table(found: ItemFits | None) -> Table | None:
    """A reading list, not findings."""
    if found is None or not found.reading_list:
        return None
    columns = (
        "Reading list: suspects of wrong keys, not findings", "Models", "Mean", "r", "Item-rest r", "AUC", "BT P of the better", "P", "P (BH)",
    )  # fmt: skip
    rows = tuple(
        (
            i.item, count(i.n), *(number(one, 3) for one in (i.p, i.r, i.rest, i.auc, i.bt_agree)), p_value(i.p_value), p_value(i.p_adjusted),
        )
        for i in found.lines[:READING_LIST] if i.r is not None and i.r < 0
    )  # fmt: skip
    return columns, rows


def text_table(found: SharedTexts | None) -> Table | None:
    """Prompts of the arena that are items of the benchmark."""
    if found is None:
        return None
    votes = "" if found.votes is None else f"; {found.votes:,} of {found.votes_known:,} votes"
    head = f"Prompts that are items ({len(found.hits):,} of {found.prompts:,}{votes})"
    rows = tuple((hit.prompt, hit.item, hit.how, number(hit.fraction, 2)) for hit in found.hits[:ROWS])
    return (head, "Item", "How", f"Share of {found.words}-word runs"), rows or (("none", DASH, DASH, DASH),)


def _shown(many: int) -> str:
    return f"{many:,}" if many <= ROWS else f"first {ROWS} of {many:,}"
