"""promptfoo: the JSON output of an evaluation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, fingerprint, graded, section, share, whole
from ratings.benchmarks.results.entries import Book, Entry, Marks, Unusable

NO_FAILURE, ASSERTION, ERROR = 0, 1, 2  # failureReason
SHOWN = 8  # characters of a prompt's id, a hash
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

    A test is known by its variables, since repeats are further rows of the same test; tests with equal variables that differ in anything else
    (description, assertions, metadata) are items of their own. Several prompts for one provider are variants. A provider that was set up in
    several ways goes by the labels of these, in whatever files they are.
    """
    rows = section(source.document, "results").get("results")
    if not isinstance(rows, list):
        raise refuse_whole(source, "no list results.results", column="results")
    items, crowded = _items(rows), _crowded(rows)
    run = str(section(source.document).get("evalId") or "")

    def build(row: int, record: Any) -> list[Entry]:
        provider = _provider(record)
        at: dict[str, Any] = {
            "benchmark": str(section(source.document, "config").get("description") or "promptfoo"),
            "model": book.ask.model or provider,
            "setup": None if book.ask.model else (provider, _label(record)),
            "item": items.get((_item(record), _test(record)), _item(record)),
            "repeat": None,
            "group": _group(record, book),
            "hash": fingerprint(section(record, "vars")),
            "marks": _prompt(record, crowded),
            "run": run,
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


def _label(record: Any) -> str:
    label = section(record, "provider").get("label")
    return label if isinstance(label, str) else ""


def _prompt(record: Any, crowded: Container[tuple[str, str]]) -> Marks:
    """Label of the prompt, what tells it from others of that label in any file, and its place where one file has it at several."""
    label, identity, place = _prompt_key(record)
    return (
        ("prompt", label),
        ("prompt id", identity[:SHOWN] if identity else f"#{place}"),
        ("prompt #", f"#{place}" if (label, identity) in crowded else ""),
    )


def _prompt_key(record: Any) -> tuple[str, str, str]:
    found = section(record)
    place, identity = str(found.get("promptIdx", "")), str(found.get("promptId") or "")
    return str(section(record, "prompt").get("label") or identity or place), identity, place


def _crowded(rows: Iterable[Any]) -> set[tuple[str, str]]:
    """Labels and ids that stand for prompts at several places of the file."""
    uses = Counter((label, identity) for label, identity, _ in set(map(_prompt_key, rows)))
    return {key for key, count in uses.items() if count > 1}


def _item(record: Mapping[str, Any]) -> str:
    values = section(record, "vars") or section(record, "testCase", "vars")
    named = " | ".join(str(value) for value in values.values())
    if named.strip() and len(named) <= LONGEST and "\n" not in named:
        return named
    identity = section(record, "testCase", "metadata").get("id")
    return str(identity) if identity is not None else f"test {whole(record, 'testIdx')}"


def _items(rows: list[Any]) -> dict[tuple[str, str], str]:
    """(name by variables, test) -> item, for the tests that share their variables with another."""
    tests: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        if isinstance(row, Mapping):
            about = section(row, "testCase").get("description")
            tests[_name(row)].setdefault(_test(row), about if isinstance(about, str) else "")
    return {
        (name, test): f"{name} | {about or f'test #{place}'}"
        for name, found in tests.items()
        if len(found) > 1
        for place, (test, about) in enumerate(
            (test, about if sum(about == other for other in found.values()) == 1 else "")
            for test, about in found.items()
        )
    }


def _test(record: Mapping[str, Any]) -> str:
    """What a test is beside its variables."""
    return fingerprint({key: value for key, value in section(record, "testCase").items() if key != "vars"})


def _name(record: Mapping[str, Any]) -> str:
    """`_item`, or nothing for a row that cannot be named: it is refused where it is read."""
    try:
        return _item(record)
    except Unusable:
        return ""


def _group(record: Mapping[str, Any], book: Book) -> tuple[str, ...]:
    """The value of the key that is asked for, else of one that looks like a label: a label only."""
    about = section(record, "testCase", "metadata")
    texts = {
        name: value
        for name, value in about.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
    }
    key = book.ask.label
    if key is None:
        key = next(
            (name for name in GROUPS if name in texts),
            next(iter(texts)) if len(texts) == 1 and "id" not in texts else None,
        )
    if key is None or key not in texts:
        return ()
    book.labels[key] = False
    return (str(texts[key]),)
