"""AlpacaEval: `annotations.json`, a judge's preference between a baseline and a model per instruction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.readers.values import field, graded, name, number
from ratings.benchmarks.results.entries import Book, Entry, Figure, Marks, Unusable

DRAW = 1.5
LOW, HIGH = 1.0, 2.0  # the baseline is preferred, the model is preferred


def _is_annotations(source: Source) -> bool:
    return {"instruction", "generator_1", "generator_2", "preference"} <= source.first.keys()


@reader("alpaca-eval", "AlpacaEval annotations.json", _is_annotations)
def alpaca_eval(source: Source, book: Book) -> Iterator[Entry]:
    """The score is preference - 1: 0 for the baseline, 1 for the model, in between for a weighted judge. 0 and 1.5 are draws, null is unscored.

    generator_1 is the baseline; results against another baseline or of another annotator, in this file or another, are a variant of their own.
    """
    verdicts: dict[tuple[str, Marks], dict[str, float]] = defaultdict(dict)

    def build(row: int, record: Any) -> list[Entry]:
        model, item = name(record, "generator_2"), name(record, "instruction")
        marks = (("judge", _text(record.get("annotator"))), ("baseline", name(record, "generator_1")))
        score = _score(field(record, "preference"))
        group = record.get("dataset")
        if score is not None:
            verdicts[model, marks].setdefault(item, score)
        entry = Entry(
            "alpaca_eval", book.ask.model or model, item, group=(group,) if isinstance(group, str) and group else (),
            marks=marks, **graded(score),
        )  # fmt: skip
        return [entry]

    yield from book.each(source.name, source.rows(), build)
    book.figures += [
        _discrete(book.ask.model or model, marks, list(found.values()))
        for (model, marks), found in verdicts.items()
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _score(preference: Any) -> float | None:
    if isinstance(preference, bool):
        raise Unusable("the preference is a boolean, not a number", column="preference", value=preference)
    found = number(preference, "preference")
    if found is None:
        return None
    if found == 0:
        found = DRAW
    if not LOW <= found <= HIGH:
        raise Unusable("the preference is neither 0 nor from 1 to 2", column="preference", value=preference)
    return found - 1


def _discrete(model: str, marks: Marks, scores: list[float]) -> Figure:
    wins = sum(1.0 if score > 0.5 else 0.5 if score == 0.5 else 0.0 for score in scores)
    return Figure(
        model, "discrete win rate (draws half)", wins / len(scores), len(scores), "alpaca_eval", marks
    )
