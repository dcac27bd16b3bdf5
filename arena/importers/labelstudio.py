"""Label Studio's pairwise tasks: left or right, one vote for each finished annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from arena.importers.battle_rows import marks_of
from arena.importers.checks import Checks
from arena.importers.formats import Sample, reader
from arena.importers.rows import Row
from arena.importers.values import NotVote, Reject, identifier
from arena.votes import Outcome, Vote

# How tasks name the two models; looked up by name, since the order of keys means nothing.
SIDES = (
    ("model_left", "model_right"),
    ("left_model", "right_model"),
    ("model_a", "model_b"),
    ("model1", "model2"),
    ("model_1", "model_2"),
)
SELECTED = {"left": Outcome.A, "right": Outcome.B}


def _has_pairs(columns: object, sample: Sample) -> bool:
    return any(isinstance(values.get("data"), Mapping) and _sides(values["data"]) for values in sample)


@reader("labelstudio", "Label Studio pairwise tasks", ("data", "annotations"), fits=_has_pairs)
def labelstudio(row: Row, checks: Checks) -> Iterator[Vote]:
    """Cancelled annotations and those without a result are no votes; a task with none of them is counted."""
    data, annotations = row.get("data"), row.get("annotations")
    sides = _sides(data) if isinstance(data, Mapping) else None
    if sides is None:
        raise Reject("data", data, f"must name the two models, as {SIDES[0][0]} and {SIDES[0][1]}")
    names = checks.pair(data[sides[0]], data[sides[1]], sides)
    if not isinstance(annotations, list):
        raise Reject("annotations", annotations, "must be a list")
    marks = marks_of(Row(row.number, row.line, data), checks)
    reasons = []
    for annotation in annotations:
        found = _selected(annotation)
        if isinstance(found, Outcome):
            yield replace(_vote(annotation, names, found, identifier(row.get("id"), "id"), checks), **marks)
        else:
            reasons.append(found)
            checks.count(f"annotations without a vote ({found})")
    if len(reasons) == len(annotations):
        checks.named.update(names)
        raise NotVote(reasons[0] if reasons else "no_annotation")


def _sides(data: Mapping[str, Any]) -> tuple[str, str] | None:
    return next((pair for pair in SIDES if pair[0] in data and pair[1] in data), None)


def _selected(annotation: Any) -> Outcome | str:
    """The outcome of one annotation, or in a word why it has none."""
    if not isinstance(annotation, Mapping):
        raise Reject("annotations", annotation, "each must be an object")
    if annotation.get("was_cancelled") is True:
        return "cancelled"
    results = annotation.get("result")
    if not isinstance(results, list):
        raise Reject("annotations", results, "result must be a list")
    pairwise = [each for each in results if isinstance(each, Mapping) and each.get("type") == "pairwise"]
    if not pairwise:
        return "empty_result"
    value = pairwise[0].get("value")
    word = value.get("selected") if isinstance(value, Mapping) else None
    if len(pairwise) > 1 or not isinstance(word, str) or word not in SELECTED:
        raise Reject("annotations", word, "unknown selection; known: left, right")
    return SELECTED[word]


def _vote(
    annotation: Mapping[str, Any], names: tuple[str, str], outcome: Outcome, task: str | None, checks: Checks
) -> Vote:
    who = annotation.get("completed_by")
    if isinstance(who, Mapping):
        who = who.get("id", who.get("email"))
    return Vote(
        vote_id=identifier(annotation.get("id"), "annotations") or "",
        model_a=names[0],
        model_b=names[1],
        outcome=outcome,
        at=checks.times.read(annotation.get("created_at"), "annotations"),
        voter=identifier(who, "annotations"),
        prompt=task,
        reason="self_battle" if names[0] == names[1] else None,
    )
