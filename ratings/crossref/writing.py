"""A cross-reference for people: an answer to each question, then the tables behind them."""

from __future__ import annotations

from collections.abc import Iterator

from ratings.crossref.join import FEW
from ratings.crossref.power import Power
from ratings.crossref.result import CrossReference
from ratings.crossref.tables import (
    Table,
    group_table,
    item_table,
    model_table,
    pair_lists,
    text_table,
    vote_table,
)
from ratings.tables import Rows, Sheet
from ratings.words import bounds, estimate, number, p_value

Row = tuple[str, str]
NAMES_SHOWN = 12


def sheet(found: CrossReference) -> Sheet:
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
    return Sheet(
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
    yield "Pearson", estimate(a.pearson, a.low, a.high, few=few)
    yield "Spearman, Kendall tau-b", f"{number(a.spearman)}, {number(a.kendall_tau_b)}"
    yield (
        "Reliability of ratings, of scores",
        f"{number(a.reliability_arena, 4)}, {number(a.reliability_benchmark, 4)}",
    )
    yield "Noise ceiling of r", number(a.noise_ceiling)
    cut = " (cut to 1)" if a.capped else ""
    yield (
        "Freed of noise",
        estimate(a.disattenuated, a.disattenuated_low, a.disattenuated_high, few=few) + cut,
    )
    for words, left in (("model", a.leave_one_out), ("family", a.leave_family_out)):
        if left is not None:
            yield (
                f"Pearson, one {words} left out",
                f"{left.low:.3f} (without {left.low_without}) to {left.high:.3f} (without {left.high_without})",
            )
    if a.families is not None:
        yield "Families of models", f"{a.families}, by {a.family_rule}"
    if a.within_family is not None:
        yield "Pearson within families", estimate(a.within_family, a.within_low, a.within_high)


def _pairs(found: CrossReference) -> Iterator[Row]:
    p = found.pairs
    if p.agreement_paper is None:
        told = p.counts["benchmark silent"]
        yield (
            "Pairs",
            f"{len(p.pairs):,}, of which votes tell {told:,} apart; the benchmark gives no errors to tell any",
        )
        yield "Separability of the arena", number(p.separability_arena)
        return
    yield "Pairs", ", ".join(f"{count} {cell}" for cell, count in p.counts.items())
    yield "Agreement, paper's scale (+1/-1/0, all pairs)", number(p.agreement_paper)
    yield "Agreement, code's scale (1/0.5/0, pairs the arena separates)", number(p.agreement_code)
    yield (
        "Separability: arena, benchmark",
        f"{number(p.separability_arena)}, {number(p.separability_benchmark)}",
    )
    if p.brier is not None:
        yield (
            "Brier score of the benchmark's P(a above b)",
            f"soft truth {p.brier.soft:.4f} (least possible {p.brier.floor:.4f}); arena's order as truth {p.brier.hard:.4f}",
        )


def _line(found: CrossReference) -> Iterator[Row]:
    e = found.exchange
    if e is not None:
        errors = "scores taken as exact" if e.error_ratio is None else "errors in both"
        yield (
            f"Elo for 0.01 of the score, {errors}",
            f"{e.slope / 100:.2f} {bounds(e.low / 100, e.high / 100, 2)}",
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
            f"{i.against:,} of {i.scored:,}; of no relation {i.expected_against:,.0f} expected, {i.shuffled_low:,.0f} to "
            f"{i.shuffled_high:,.0f} (P of so few {p_value(i.p_fewer)}); {i.constant:,} constant, {i.short:,} with too few models: not scored",
        )
        yield (
            "Single items shown to run against people, with them",
            f"{i.flagged_against:,}, {i.flagged_with:,} (Benjamini-Hochberg, 10 %)",
        )
        yield "What single items could show", _power(i.power)


def _power(p: Power) -> str:
    return (
        f"{p.tests:,} tests over {p.models} models: one alone passes at |r| {p.least:.2f}; a true |r| of {p.detectable:.2f} is found "
        f"with power 80 %, one of .5 with {p.at_half:.1%}"
    )


def _redundancy(found: CrossReference) -> Iterator[Row]:
    r = found.redundancy
    if r is None:
        return
    yield (
        "Other benchmarks",
        f"{', '.join(r.others)}; {r.n} shared models have all ({r.capability_models} models make the component, {r.share:.0%} of variance)",
    )
    for words, part in (
        ("Benchmark with capability (the others' first component)", r.benchmark_capability),
        ("Ratings with capability", r.arena_capability),
        ("Ratings with benchmark, the same models", r.arena_benchmark),
        ("Ratings with benchmark, capability given", r.partial),
    ):
        shown = (
            "–"
            if part is None
            else f"{estimate(part.r, part.low, part.high, few=r.n < FEW)}, P {p_value(part.p)}"
        )
        yield words, shown


def _limits(found: CrossReference) -> Iterator[Row]:
    s, top = found.selection, found.saturation
    if s is not None:
        if s.tries is not None and s.inflation is not None and s.debiased is not None:
            yield (
                f"Best of {s.tries:,} declared tries",
                f"{100 * s.inflation:.2f} points of luck; the best score without it {s.debiased:.4f}",
            )
        yield "Correlation of models' errors over items (rho)", number(s.rho)
        if s.split_half is not None:
            yield (
                "Luck in being best of these models (split-half)",
                f"{100 * s.split_half.bias_n:.2f} points over {s.split_half.splits:,} splits",
            )
    if top is not None:
        known = "by the stated label errors" if found.ceiling_known else "label errors not stated"
        yield (
            "Ceiling",
            f"{top.ceiling:.3f} ({known}); best {top.top:.4f}: {'saturated' if top.saturated else 'not saturated'}",
        )
        yield (
            "Models not told from the best",
            f"{found.tied_with_best} by paired tests, {top.n_tied} by the quick unpaired count",
        )


def _some(names: tuple[str, ...]) -> str:
    rest = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
