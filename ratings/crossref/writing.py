"""A cross-reference for people: an answer to each question, then the tables behind them."""

from __future__ import annotations

from collections.abc import Iterator

from ratings.crossref.join import FEW
from ratings.crossref.power import Power
from ratings.crossref.result import CrossReference
from ratings.crossref.tables import (
    group_table,
    item_table,
    model_table,
    pair_lists,
    text_table,
    vote_table,
)
from ratings.tables import DASH, Rows, Section, Table, count, estimate, interval, number, p_value, percent

Row = tuple[str, str]
NAMES_SHOWN = 12


def section(found: CrossReference) -> Section:
    """For people."""
    answers = (
        *_join(found), *_association(found), *_pairs(found), *_line(found), *_items(found), *_redundancy(found), *_limits(found),
    )  # fmt: skip
    tables: list[Table] = [(("Question", "Answer"), answers)]
    # Groups before models, single items last: this is the order in which they can be believed.
    for table in (
        group_table(found.groups),
        model_table(found),
        *pair_lists(found.pairs),
        vote_table(found.votes),
        item_table(found.item_fits),
        text_table(found.texts),
    ):
        if table is not None:
            tables.append(table)
    tests: Rows = tuple((family.name, f"{family.tests:,}", family.correction) for family in found.tests)
    tables.append((("Family of tests", "Tests", "Correction"), tests))
    done = (f"not done: {'; '.join(found.not_done)}",) if found.not_done else ()
    more = () if found.redundancy is None else found.redundancy.notes
    return Section(
        f"Arena beside {found.benchmark}",
        tuple(tables),
        (*found.association.notes, *found.notes, *more, *done),
    )


def _join(found: CrossReference) -> Iterator[Row]:
    joined = found.join
    yield (
        "Shared models",
        f"{joined.models} ({len(joined.only_arena)} only on the board, {len(joined.only_benchmark)} only in the benchmark)",
    )
    yield (
        "Joined by alias",
        _some(tuple(f"{one} = {other}" for one, other in joined.renamed)) or "none: by exact name",
    )
    if joined.only_benchmark:
        yield "Only in the benchmark", _some(joined.only_benchmark)
    if joined.unused:
        yield "Aliases that join nothing", _some(joined.unused)
    yield (
        "Items that all have",
        "scores only" if found.items is None else f"{found.items:,} (failed attempts: {found.errors})",
    )


def _association(found: CrossReference) -> Iterator[Row]:
    a = found.association
    few = a.n < FEW
    yield "Pearson", _estimate(a.pearson, a.low, a.high, few)
    yield "Spearman, Kendall tau-b", f"{number(a.spearman, 3)}, {number(a.kendall_tau_b, 3)}"
    yield (
        "Reliability of ratings, of scores",
        f"{number(a.reliability_arena, 4)}, {number(a.reliability_benchmark, 4)}",
    )
    yield "Noise ceiling of r", number(a.noise_ceiling, 3)
    cut = " (cut to 1)" if a.capped else ""
    yield (
        "Freed of noise",
        _estimate(a.disattenuated, a.disattenuated_low, a.disattenuated_high, few) + cut,
    )
    for words, left in (("model", a.leave_one_out), ("family", a.leave_family_out)):
        if left is not None:
            yield (
                f"Pearson, one {words} left out",
                f"{number(left.low, 3)} (without {left.low_without}) to {number(left.high, 3)} (without {left.high_without})",
            )
    if a.families is not None:
        yield "Families of models", f"{a.families}, by {a.family_rule}"
    if a.within_family is not None:
        yield "Pearson within families", estimate(a.within_family, a.within_low, a.within_high, 3)


def _pairs(found: CrossReference) -> Iterator[Row]:
    p = found.pairs
    if p.agreement_paper is None:
        told = p.counts["benchmark silent"]
        yield (
            "Pairs",
            f"{len(p.pairs):,}, of which votes tell {told:,} apart; the benchmark gives no errors to tell any",
        )
        yield "Separability of the arena", number(p.separability_arena, 3)
        return
    yield "Pairs", ", ".join(f"{count} {cell}" for cell, count in p.counts.items())
    yield "Agreement, paper's scale (+1/-1/0, all pairs)", number(p.agreement_paper, 3)
    yield "Agreement, code's scale (1/0.5/0, pairs the arena separates)", number(p.agreement_code, 3)
    yield (
        "Separability: arena, benchmark",
        f"{number(p.separability_arena, 3)}, {number(p.separability_benchmark, 3)}",
    )
    if p.brier is not None:
        yield (
            "Brier score of the benchmark's P(a above b)",
            f"soft truth {number(p.brier.soft, 4)} (least possible {number(p.brier.floor, 4)}); arena's order as truth {number(p.brier.hard, 4)}",
        )


def _line(found: CrossReference) -> Iterator[Row]:
    e = found.exchange
    if e is not None:
        errors = "scores taken as exact" if e.error_ratio is None else "errors in both"
        yield (
            f"Elo for 0.01 of the score, {errors}",
            estimate(e.slope / 100, e.low / 100, e.high / 100, 2),
        )
        off = [row.model for row in e.residuals if row.flagged]
        yield "Models off the line (Benjamini-Hochberg, 10 %)", ", ".join(off) or "none"


def _items(found: CrossReference) -> Iterator[Row]:
    i = found.item_fits
    if found.groups is not None and found.groups.power is not None:
        against = [group.group for group in found.groups.lines if group.flagged]
        yield "Groups that run against the ratings (Benjamini-Hochberg, 10 %)", ", ".join(against) or "none"
        yield "What groups could show", _power(found.groups.power)
    if i is not None:
        yield (
            "Items that run against the ratings (r < 0)",
            f"{count(i.against)} of {count(i.scored)}; of no relation {count(i.expected_against)} expected, {count(i.shuffled_low)} to "
            f"{count(i.shuffled_high)} (P of so few {p_value(i.p_fewer)}); {i.constant:,} constant, {i.short:,} with too few models: not scored",
        )
        yield (
            "Single items shown to run against people, with them",
            f"{i.flagged_against:,}, {i.flagged_with:,} (Benjamini-Hochberg, 10 %)",
        )
        yield "What single items could show", _power(i.power)


def _power(p: Power) -> str:
    return (
        f"{p.tests:,} tests over {p.models} models: one alone passes at |r| {number(p.least, 2)}; a true |r| of {number(p.detectable, 2)} is found "
        f"with power 80 %, one of .5 with {percent(p.at_half)}"
    )


def _redundancy(found: CrossReference) -> Iterator[Row]:
    r = found.redundancy
    if r is None:
        return
    yield (
        "Other benchmarks",
        f"{', '.join(r.others)}; {r.n} shared models have all ({r.capability_models} models make the component, {percent(r.share, 0)} of variance)",
    )
    for words, part in (
        ("Benchmark with capability (the others' first component)", r.benchmark_capability),
        ("Ratings with capability", r.arena_capability),
        ("Ratings with benchmark, the same models", r.arena_benchmark),
        ("Ratings with benchmark, capability given", r.partial),
    ):
        shown = (
            DASH
            if part is None
            else f"{_estimate(part.r, part.low, part.high, r.n < FEW)}, P {p_value(part.p)}"
        )
        yield words, shown


def _limits(found: CrossReference) -> Iterator[Row]:
    s, top = found.selection, found.saturation
    if s is not None:
        if s.tries is not None and s.inflation is not None and s.debiased is not None:
            yield (
                f"Best of {s.tries:,} declared tries",
                f"{number(100 * s.inflation, 2)} points of luck; the best score without it {number(s.debiased, 4)}",
            )
        yield "Correlation of models' errors over items (rho)", number(s.rho, 3)
        if s.split_half is not None:
            yield (
                "Luck in being best of these models (split-half)",
                f"{number(100 * s.split_half.bias_n, 2)} points over {count(s.split_half.splits)} splits",
            )
    if top is not None:
        known = "by the stated label errors" if found.ceiling_known else "label errors not stated"
        yield (
            "Ceiling",
            f"{number(top.ceiling, 3)} ({known}); best {number(top.top, 4)}: {'saturated' if top.saturated else 'not saturated'}",
        )
        yield (
            "Models not told from the best",
            f"{found.tied_with_best} by paired tests, {top.n_tied} by the quick unpaired count",
        )


def _some(names: tuple[str, ...]) -> str:
    rest = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _estimate(value: float | None, low: float | None, high: float | None, few: bool) -> str:
    """With few models the interval first, since then it says more."""
    if few:
        return f"{interval(low, high, 3)}, estimate {number(value, 3)}"
    return estimate(value, low, high, 3)
