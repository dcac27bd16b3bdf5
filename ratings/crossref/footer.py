"""The footer of a cross-reference: every family of tests with its correction, and what was not done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ratings.crossref.result import CrossReference, FamilyOfTests


def added(found: CrossReference) -> CrossReference:
    """`found` with its footer."""
    return replace(found, tests=tuple(_tests(found)), not_done=tuple(_not_done(found)))


def _tests(found: CrossReference) -> Iterator[FamilyOfTests]:
    pairs = len(found.pairs.pairs)
    yield FamilyOfTests("pairs of models by votes (t, effective voters)", pairs, "Holm, 5 %")
    if found.items is not None:
        yield FamilyOfTests("pairs of models by items (t of paired contrasts)", pairs, "Holm, 5 %")
        yield FamilyOfTests("pairs of models for the benchmark's ranks (score sheet)", pairs, "Holm, 5 %")
    if found.exchange is not None:
        yield FamilyOfTests(
            "models off the line (t)", len(found.exchange.residuals), "Benjamini-Hochberg, 10 %"
        )
    if found.groups is not None and found.groups.power is not None:
        yield FamilyOfTests(
            "groups of items (permutation of models)",
            found.groups.power.tests,
            "Benjamini-Hochberg, 10 %",
        )
    if found.item_fits is not None:
        yield FamilyOfTests(
            "single items (exact or permutation)", found.item_fits.scored, "Benjamini-Hochberg, 10 %"
        )
        yield FamilyOfTests("items that run against the ratings, as a whole (permutation)", 1, "none needed")
    if found.redundancy is not None:
        yield FamilyOfTests("correlations with capability", 4, "none: read their intervals")


def _not_done(found: CrossReference) -> Iterator[str]:
    if found.votes is None:
        yield "held-out loss of the benchmark's implied probabilities"
    if found.redundancy is None:
        yield "capability-adjusted correlation (other benchmarks are needed)"
    if found.items is None:
        yield "errors, groups, items, selection and ceiling of the benchmark (item results are needed)"
    elif found.groups is None:
        yield "groups of items (the results name none)"
    if found.selection is not None and found.selection.tries is None:
        yield "deduction for selection (the number of tries is not declared)"
    if found.saturation is not None and not found.ceiling_known:
        yield "ceiling by wrong keys (no label error rate is stated: 1 is taken)"
    if found.texts is None:
        yield "search for prompts that are items (texts of both are needed)"
    yield "models are taken as independent witnesses in Fisher's limits: families are shown, not modelled"
    yield "style, language and category of votes are those of the board as it was fitted"
