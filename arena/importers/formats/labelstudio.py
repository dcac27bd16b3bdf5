"""Label Studio's pairwise tasks, in its JSON and its JSON-MIN export: left or right, one vote for each finished annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import marks_of
from arena.importers.formats.registry import Sample, reader
from arena.importers.rules.checks import Checks
from arena.importers.values.values import NotVote, Reject, identifier
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


MIN = frozenset({"annotator", "annotation_id", "lead_time"})  # what JSON-MIN adds to a task's own columns


def _has_min_pairs(columns: object, sample: Sample) -> bool:
    return bool(sample) and _sides(sample[0]) is not None


@reader("labelstudio-min", "Label Studio pairwise tasks, JSON-MIN", MIN, fits=_has_min_pairs)
def labelstudio_min(row: Row, checks: Checks) -> Iterator[Vote]:
    """One object an annotation; the choice stands under the name of the labelling tag, whatever that is."""
    sides = _sides(row.values)
    if sides is None:
        raise Reject("model_a", None, f"must name the two models, as {SIDES[0][0]} and {SIDES[0][1]}")
    names = checks.pair(row.get(sides[0]), row.get(sides[1]), sides)
    chosen = [key for key, value in row.values.items() if isinstance(value, str) and value in SELECTED]
    if len(chosen) > 1:
        raise Reject(chosen[1], row.get(chosen[1]), f"says left or right a second time, after {chosen[0]}")
    if not chosen:
        raise NotVote("no_selection")
    vote = Vote(
        vote_id=identifier(row.get("annotation_id"), "annotation_id") or "",
        model_a=names[0],
        model_b=names[1],
        outcome=SELECTED[str(row.get(chosen[0]))],
        at=checks.times.read(row.get("created_at"), "created_at"),
        voter=identifier(row.get("annotator"), "annotator"),
        prompt=identifier(row.get("id"), "id"),
        reason="self_battle" if names[0] == names[1] else None,
    )
    yield replace(vote, **marks_of(row, checks))


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
