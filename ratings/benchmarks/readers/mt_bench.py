"""MT-bench: single answers graded 1 to 10, and pairs of answers judged in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.readers.values import field, graded, name, number, onto, whole
from ratings.benchmarks.results.entries import Book, Entry, Marks, Unusable

GRADES = (1.0, 10.0)
PARSE_FAILURE = -1
WINNERS = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}


def _is_single(source: Source) -> bool:
    return {"question_id", "model", "judge", "score"} <= source.first.keys()


@reader("mt-bench", "MT-bench single grading", _is_single)
def single(source: Source, book: Book) -> Iterator[Entry]:
    """Grades 1 to 10 as (grade - 1)/9, the turns of a question as items of one group. -1 says that the judge's answer was not understood.

    Each judge is a variant, also where another file holds the other's grades.
    """

    def build(row: int, record: Any) -> list[Entry]:
        model, question = name(record, "model"), name(record, "question_id")
        grade = number(field(record, "score"), "score")
        if isinstance(record["score"], bool):
            raise Unusable("the score is a boolean, not a grade", column="score", value=record["score"])
        item = f"{question}/turn{whole(record, 'turn', 1)}"
        grade = None if grade == PARSE_FAILURE else grade
        score = onto(grade, "score", GRADES, record["score"])
        at: dict[str, Any] = {"group": (question,), "marks": _judge(record)}
        return [Entry("mt_bench", model, item, **at, **graded(score, "parse_error"))]

    yield from book.each(source.name, source.rows(), build)


def _judge(record: Any) -> Marks:
    judge = record.get("judge")
    return (("judge", str((judge[0] if isinstance(judge, list) and judge else judge) or "")),)


def _is_pair(source: Source) -> bool:
    return {"question_id", "model_1", "model_2", "g1_winner", "g2_winner"} <= source.first.keys()


@reader("mt-bench-pair", "MT-bench pairwise judgments", _is_pair)
def pair(source: Source, book: Book) -> Iterator[Entry]:
    """1 for the winner, 0 for the loser, 1/2 for a tie or where the judge's two orders disagree; an error of the judge is unscored.

    Both models get their side of it; whom each was judged against is part of the result (see `identity`). Each judge is a variant.
    """

    def build(row: int, record: Any) -> list[Entry]:
        one, other, question = name(record, "model_1"), name(record, "model_2"), name(record, "question_id")
        if one == other:
            raise Unusable("a model against itself", column="model_2", value=other)
        score, reason = _outcome(record)
        item = f"{question}/turn{whole(record, 'turn', 1)}"
        sides = {one: score, other: None if score is None else 1 - score}
        return [
            Entry(
                "mt_bench_pair",
                model,
                item,
                group=(question,),
                marks=_judge(record),
                pairing=(one, other),
                **{**graded(value, reason or ""), "reason": reason},
            )
            for model, value in sides.items()
        ]

    yield from book.each(source.name, source.rows(), build)


def _outcome(record: Any) -> tuple[float | None, str | None]:
    """Score of model_1, and what was special."""
    first, second = field(record, "g1_winner"), field(record, "g2_winner")
    for column, value in (("g1_winner", first), ("g2_winner", second)):
        if not isinstance(value, str) or (value not in WINNERS and value != "error"):
            raise Unusable("winner is none of model_1, model_2, tie, error", column=column, value=value)
    if "error" in (first, second):
        return None, "error"
    if first != second:
        return 0.5, "inconsistent"
    return WINNERS[first], None
