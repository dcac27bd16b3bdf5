"""simple-evals: the HTML report, the only place where it keeps a score per item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import graded, share
from ratings.benchmarks.results.entries import Book, Claim, Entry, Unusable

SCORE = re.compile(r"<p>\s*Score:\s*([^<]*)</p>")
EVALS = (
    "healthbench_consensus",
    "healthbench_hard",
    "healthbench_meta",
    "simpleqa",
    "browsecomp",
    "humaneval",
    "healthbench",
    "mgsm_en",
    "mgsm",
    "mmlu",
    "math",
    "gpqa",
    "drop",
)
FLATTENED = ("gpqa", "math")  # ten repeats of every item by default, written one after the other
REPEATS = 10


def _is_report(source: Source) -> bool:
    return source.is_text and source.text.lstrip()[:1] == "<" and SCORE.search(source.text) is not None


def _is_summary(source: Source) -> bool:
    found = source.document
    if not isinstance(found, dict) or "score" not in found:
        return False
    return all(isinstance(value, int | float) for value in found.values()) and any(
        key.endswith(":std") for key in found
    )


@reader("simple-evals", "simple-evals <eval>_<model>.html", _is_report, companion=_is_summary)
def simple_evals(source: Source, book: Book) -> Iterator[Entry]:
    """Items by position (`#0`, `#1`, ...), as there are no names.

    GPQA and MATH repeat their whole list ten times: `--repeats 10` makes position i the attempt i // N at item i mod N. Without it every
    position counts as an item of its own, and the interval is too narrow where they are not.
    """
    stem = source.file.removesuffix(".html")
    eval_name = next((name for name in EVALS if stem.startswith(f"{name}_")), stem.partition("_")[0])
    model = book.ask.model or stem[len(eval_name) + 1 :]
    if not model:
        raise refuse_whole(
            source, "the file's name tells no model (<eval>_<model>.html); name it with --model"
        )
    cells = SCORE.findall(source.text)
    repeats = book.ask.repeats or 1
    if len(cells) % repeats:
        raise refuse_whole(source, f"{len(cells)} scores are not {repeats} rounds of the same items")
    items = len(cells) // repeats
    if repeats == 1 and eval_name in FLATTENED and len(cells) % REPEATS == 0:
        book.note(
            f"{eval_name}: {len(cells)} positions; if they are {REPEATS} rounds of {len(cells) // REPEATS} items, say --repeats {REPEATS}"
        )

    def build(row: int, text: Any) -> list[Entry]:
        place = row - 1
        return [Entry(eval_name, model, f"#{place % items}", repeat=place // items, **graded(_score(text)))]

    yield from book.each(source.name, enumerate(cells, start=1), build)
    summary = source.beside(f"{stem}.json")
    stated = summary.get("score") if isinstance(summary, dict) else None
    if isinstance(stated, int | float) and 0 <= stated <= 1:
        book.claims.append(Claim(model, float(stated), source.name, eval_name, n=len(cells)))


def _score(text: str) -> float | None:
    word = text.strip()
    if word in ("None", "nan", ""):
        return None
    try:
        return share({"True": 1.0, "False": 0.0}[word] if word in ("True", "False") else float(word), "Score")
    except ValueError:
        raise Unusable("the score is not a number", column="Score", value=text) from None
