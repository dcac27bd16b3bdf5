"""Label files in the style of PandaLM and LLMBar: each item two answers, and who says 1, 2 or (0) neither."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.importers.files.contents import open_content
from arena.importers.files.rows import Row
from arena.importers.files.sources import Source
from arena.importers.files.streams import refused
from arena.importers.formats.battle_rows import (
    Layout,
    categories_of,
    first_identifier,
    reason_of,
    talks_of,
    traits_of,
)
from arena.importers.formats.judges import JUDGE_ERROR, ORDER
from arena.importers.formats.registry import Parse, Sample, reader
from arena.importers.rules.checks import Checks
from arena.importers.rules.conversations import prompt_id, structure, text_id
from arena.importers.rules.response_errors import fault
from arena.importers.values.values import NotVote, Reject, is_missing, text
from arena.votes import Outcome, Vote

LABELS = {"0": Outcome.TIE, "1": Outcome.A, "2": Outcome.B, "tie": Outcome.TIE, "Tie": Outcome.TIE}
GARBAGE = "garbage"  # PandaLM's word for a judge's answer that it could not read
PANDALM = Layout(category=("motivation_app",), responses=("response1", "response2"))
LLMBAR = Layout(category=("subset",), responses=("output_1", "output_2"))
OUTPUTS = ("output_1", "output_2")  # LLMBar names no models: its two answers stand for themselves
UNNAMED = ("", "")  # no name that an answer could give away
RESULT = "_result"


def label(value: Any, column: str) -> Outcome:
    word = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
    if is_missing(value) or word == GARBAGE:
        raise NotVote(JUDGE_ERROR)
    if word not in LABELS:
        raise Reject(column, value, f"unknown label; known: {', '.join(LABELS)}")
    return LABELS[word]


@reader(
    "pandalm",
    "PandaLM test set: cmp_key names the models, annotator1 to annotator3 vote",
    ("cmp_key", "annotator1"),
)
def pandalm(row: Row, checks: Checks) -> Iterator[Vote]:
    """Each annotator's label is a vote: 1, 2, or 0 for a tie."""
    names = _pair(row.get("cmp_key"), checks)
    item = first_identifier(row, ("idx",))
    talks = talks_of(row, PANDALM)
    reason, traits = reason_of(row, PANDALM, names, talks), traits_of(row, PANDALM, talks)
    categories = categories_of(row, PANDALM)
    for column in [name for name in row.values if name.startswith("annotator")]:
        yield Vote(
            vote_id="" if item is None else f"{item}/{column}",
            model_a=names[0],
            model_b=names[1],
            outcome=label(row.get(column), column),
            voter=column,
            prompt=text_id("\0".join(text(row.get(part), part) or "" for part in ("instruction", "input"))),
            categories=categories,
            reason=reason,
            traits=traits,
        )


def _pair(key: Any, checks: Checks) -> tuple[str, str]:
    parts = key.split("_") if isinstance(key, str) else []
    if len(parts) != 2:
        raise Reject("cmp_key", key, "must be two names with one underscore between them")
    return checks.pair(parts[0], parts[1], ("cmp_key", "cmp_key"))


def _begin(source: Source, checks: Checks) -> Parse:
    """A judge's file names its items by `idx` only: the test set beside it says which models they compare."""
    pairs = _test_set(source)

    def parse(row: Row, checks: Checks) -> Iterator[Vote]:
        yield _judged(row, checks, pairs)

    return parse


def _test_set(source: Source) -> dict[str, Any]:
    beside = sorted(source.path.parent.glob("testset*.json*")) if source.path is not None else []
    for path in beside:
        content = open_content(Source(str(path), Path(path)))
        if content is not None:
            return {str(row.values.get("idx")): row.values.get("cmp_key") for row in content.rows()}
    raise refused(source.name, "names no models; PandaLM's testset file with cmp_key must lie beside it")


def _has_result(columns: Sequence[str], sample: Sample) -> bool:
    return sum(column.endswith(RESULT) for column in columns) == 1 and "cmp_key" not in columns


@reader(
    "pandalm_judge",
    "PandaLM judge results beside the test set: idx and NAME_result",
    ("idx",),
    fits=_has_result,
    begin=_begin,
)
def pandalm_judge(row: Row, checks: Checks) -> Iterator[Vote]:
    yield _judged(row, checks, {})


def _judged(row: Row, checks: Checks, pairs: Mapping[str, Any]) -> Vote:
    column = next((name for name in row.values if name.endswith(RESULT)), "")
    item = first_identifier(row, ("idx",))
    if item is None or item not in pairs:
        raise Reject("idx", item, "is no item of the test set")
    names = _pair(pairs[item], checks)
    judge = column.removesuffix(RESULT)
    return Vote(f"{item}/{judge}", *names, label(row.get(column), column), voter=judge, prompt=item)


VERDICTS = ("winner_order_1", "winner_order_swapped")


@reader("llmbar_verdicts", "LLMBar verdicts of judges in both orders", ("item", "judge", *VERDICTS))
def llmbar_verdicts(row: Row, checks: Checks) -> Iterator[Vote]:
    """Both orders are votes, each with its sides; how often a judge agrees with the gold label is reported."""
    judge = "/".join(part for name in ("judge", "prompting") if (part := first_identifier(row, (name,))))
    item = "/".join(part for name in ("subset", "item") if (part := first_identifier(row, (name,))))
    winners = [label(row.get(column), column) for column in VERDICTS]
    checks.account.measure(ORDER, judge, float(winners[0] is not winners[1]), item)
    yield from _orders(row, checks, winners, judge, item)


@reader(
    "llmbar_results",
    "LLMBar result files: label and results of both orders",
    ("input", "output_1", "output_2", "label", "results"),
)
def llmbar_results(row: Row, checks: Checks) -> Iterator[Vote]:
    """The file does not name the judge: it is one voter."""
    results = structure(row.get("results"))
    first = results[0] if isinstance(results, list) and results else None
    if not isinstance(first, Mapping):
        raise Reject("results", results, "must be a list with the winners of both orders")
    found = [first.get(key) for key in ("swap = False", "swap = True")]
    words = [each.get("winner") if isinstance(each, Mapping) else None for each in found]
    winners = [label(word, "results") for word in words]
    item = text_id("\0".join(text(row.get(part), part) or "" for part in ("input", *OUTPUTS))) or ""
    checks.account.measure(ORDER, "judge", float(winners[0] is not winners[1]), item)
    yield from _orders(row, checks, winners, "judge", item)


def _orders(row: Row, checks: Checks, winners: Sequence[Outcome], judge: str, item: str) -> Iterator[Vote]:
    checks.note("the file names no models: its two answers are called output_1 and output_2")
    gold_column, gold = row.first(("gold_label", "label"))
    right = None if is_missing(gold) else label(gold, gold_column)
    talks = talks_of(row, LLMBAR)
    reason, traits = fault(*talks, UNNAMED), traits_of(row, LLMBAR, talks)
    for order, winner in zip(("as given", "swapped"), winners, strict=True):
        if right is not None:
            checks.account.measure(
                f"agreement with the gold label, {order}", judge, float(winner is right), item
            )
        names, outcome = OUTPUTS, winner
        if order == "swapped":
            names, outcome = (OUTPUTS[1], OUTPUTS[0]), winner.mirrored
        yield Vote(
            vote_id=f"{item}/{judge}/{order}",
            model_a=names[0],
            model_b=names[1],
            outcome=outcome,
            voter=judge,
            prompt=prompt_id(item),
            categories=categories_of(row, LLMBAR),
            reason=reason,
            traits={name: pair if order == "as given" else pair[::-1] for name, pair in traits.items()},
        )


@reader("llmbar", "LLMBar items with gold labels", ("input", "output_1", "output_2", "label"))
def llmbar(row: Row, checks: Checks) -> Iterator[Vote]:
    """The gold label of each item as the vote of one voter."""
    checks.note("the file names no models: its two answers are called output_1 and output_2")
    talks = talks_of(row, LLMBAR)
    yield Vote(
        "",
        *OUTPUTS,
        label(row.get("label"), "label"),
        voter="gold",
        prompt=text_id(text(row.get("input"), "input") or ""),
        reason=fault(*talks, UNNAMED),
        traits=traits_of(row, LLMBAR, talks),
    )
