"""promptfoo: the JSON output of an evaluation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.entries import Book, Entry, Unusable
from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, fingerprint, graded, section, share, whole

NO_FAILURE, ASSERTION, ERROR = 0, 1, 2  # failureReason
LONGEST = 200  # characters of variables that still make a name
GROUPS = ("group", "cluster", "topic", "category", "subject", "dataset", "suite")


def _is_output(source: Source) -> bool:
    found = section(source.document, "results") if isinstance(source.document, dict) else {}
    rows = found.get("results")
    return isinstance(rows, list) and (
        not rows or bool({"provider", "testIdx", "vars"} & section(rows[0]).keys())
    )


@reader("promptfoo", "promptfoo output.json", _is_output)
def promptfoo(source: Source, book: Book) -> Iterator[Entry]:
    """A score per provider and test. An error of the call (failureReason 2) is no wrong answer.

    A test is known by its variables, since repeats are further rows with the same ones; several prompts for one provider are variants.
    """
    rows = section(source.document, "results").get("results")
    if not isinstance(rows, list):
        raise refuse_whole(source, "no list results.results", column="results")
    prompts: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        prompts[_provider(row, strict=False)][_prompt(row)] = None

    def build(row: int, record: Any) -> list[Entry]:
        model = _provider(record)
        at: dict[str, Any] = {
            "benchmark": str(section(source.document, "config").get("description") or "promptfoo"),
            "model": book.ask.model or model,
            "item": _item(record),
            "repeat": None,
            "group": _group(record, book.ask.group),
            "hash": fingerprint(section(record, "vars")),
            "variant": _prompt(record) if len(prompts[model]) > 1 else "",
        }
        if _failed(record):
            return [Entry(**at, score=None, status="error", reason="error")]
        return [Entry(**at, **graded(share(field(record, "score"), "score")))]

    yield from book.each(source.name, enumerate(rows, start=1), build)


def _failed(record: Mapping[str, Any]) -> bool:
    reason = record.get("failureReason")
    if reason is None:  # before version 3: an error without any grading is one of the call
        return bool(record.get("error")) and not section(record, "gradingResult")
    if isinstance(reason, bool) or reason not in (NO_FAILURE, ASSERTION, ERROR):
        raise Unusable("failureReason is none of 0, 1, 2", column="failureReason", value=reason)
    return bool(reason == ERROR)


def _provider(record: Any, *, strict: bool = True) -> str:
    found = record.get("provider") if isinstance(record, Mapping) else None
    model = found.get("id") if isinstance(found, Mapping) else found
    if isinstance(model, str) and model.strip():
        return model
    if not strict:
        return ""
    raise Unusable("no provider", column="provider", value=found)


def _prompt(record: Any) -> str:
    prompt = section(record, "prompt")
    return str(
        prompt.get("label") or section(record).get("promptId") or section(record).get("promptIdx") or ""
    )


def _item(record: Mapping[str, Any]) -> str:
    values = section(record, "vars") or section(record, "testCase", "vars")
    named = " | ".join(str(value) for value in values.values())
    if named.strip() and len(named) <= LONGEST and "\n" not in named:
        return named
    identity = section(record, "testCase", "metadata").get("id")
    return str(identity) if identity is not None else f"test {whole(record, 'testIdx')}"


def _group(record: Mapping[str, Any], key: str | None) -> tuple[str, ...]:
    about = section(record, "testCase", "metadata")
    texts = {
        name: value
        for name, value in about.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
    }
    if key is None:
        key = next(
            (name for name in GROUPS if name in texts),
            next(iter(texts)) if len(texts) == 1 and "id" not in texts else None,
        )
    return (str(texts[key]),) if key in texts else ()
