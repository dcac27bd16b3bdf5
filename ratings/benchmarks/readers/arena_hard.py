"""Arena-Hard: two games per question against a baseline, the second with the sides changed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.readers.values import field, graded, kind, name
from ratings.benchmarks.results.entries import Book, Entry, Figure, Marks, Unusable

VERDICT = re.compile(r"(?P<left>[AB])(?P<sign>>>|>|=|<|<<)(?P<right>[AB])")
STRONG_WEIGHT = 3  # votes that the benchmark's own board gives a strong verdict


def _is_judgment(source: Source) -> bool:
    return isinstance(source.first.get("games"), list) and "model" in source.first


@reader("arena-hard", "Arena-Hard model_judgment jsonl", _is_judgment)
def arena_hard(source: Source, book: Book) -> Iterator[Entry]:
    """Each game is an item of its question's group: 1 if the model wins, 1/2 for A=B, 0 if the baseline wins; no verdict is unscored.

    In the first game A is the baseline and B the model, in the second the sides are changed. `A<B` is read as `B>A`.
    Each judge and each baseline is a variant, in one file or in several.
    """
    games: dict[tuple[str, Marks], list[tuple[float, bool]]] = defaultdict(list)

    def build(row: int, record: Any) -> list[Entry]:
        model = book.ask.model or name(record, "model")
        question = name(record, "uid" if "uid" in record and "question_id" not in record else "question_id")
        marks = tuple((key, str(record.get(key) or "")) for key in ("judge", "baseline"))
        found = []
        listed = field(record, "games")
        if not isinstance(listed, list) or len(listed) > 2:
            raise Unusable("games is not a list of two", column="games", value=kind(listed))
        for place, game in enumerate(listed):
            verdict = _verdict(game)
            score = None if verdict is None else _for_model(verdict[0], place)
            if verdict is not None and score is not None:
                games[model, marks].append((score, verdict[1]))
            found.append(
                Entry(
                    "arena_hard",
                    model,
                    f"{question}/game{place + 1}",
                    group=(question,),
                    marks=marks,
                    **graded(score),
                )
            )
        return found

    yield from book.each(source.name, source.rows(), build)
    book.figures += [
        figure for (model, marks), played in games.items() for figure in _figures(model, marks, played)
    ]


def _verdict(game: Any) -> tuple[float, bool] | None:
    """Score of A and whether the verdict is strong; None where the judge gave none."""
    text = game.get("score") if isinstance(game, Mapping) else game
    if text is None or (isinstance(text, float) and text != text):
        return None
    match = VERDICT.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match["left"] == match["right"]:
        raise Unusable("verdict is none of A>>B, A>B, A=B, B>A, B>>A", column="score", value=text)
    sign = match["sign"]
    if sign == "=":
        return 0.5, False
    a_wins = (match["left"] == "A") == sign.startswith(">")
    return float(a_wins), len(sign) == 2


def _for_model(score_of_a: float, place: int) -> float:
    return 1 - score_of_a if place == 0 else score_of_a


def _figures(model: str, marks: Marks, played: list[tuple[float, bool]]) -> list[Figure]:
    weights = [STRONG_WEIGHT if strong else 1 for _, strong in played]
    weighted = sum(weight * score for weight, (score, _) in zip(weights, played, strict=True))
    plain = sum(score for score, _ in played)
    return [
        Figure(model, "win rate over games", plain / len(played), len(played), "arena_hard", marks),
        Figure(
            model,
            f"win rate, strong verdicts {STRONG_WEIGHT} times",
            weighted / sum(weights),
            sum(weights),
            "arena_hard",
            marks,
        ),
    ]
