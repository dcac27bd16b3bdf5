"""SWE-bench: run reports, per-instance reports, `results.json` of its experiments, and its leaderboard file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, name, names, section
from ratings.benchmarks.results.entries import Book, Claim, Entry, Unusable

BENCHMARK = "swe-bench"
# The lists of a run report, the one that decides first: (list, score, status, reason).
LISTS: tuple[tuple[str, float, str, str | None], ...] = (
    ("resolved_ids", 1.0, "ok", None),
    ("empty_patch_ids", 0.0, "error", "empty_patch"),
    ("infra_failure_ids", 0.0, "infra", "infra_error"),
    ("ambiguous_failure_ids", 0.0, "error", "ambiguous_failure"),
    ("error_ids", 0.0, "error", "error"),
    ("unresolved_ids", 0.0, "ok", None),
    ("incomplete_ids", 0.0, "not_run", "incomplete"),
)
COUNTED = (
    ("resolved_instances", "resolved_ids"), ("submitted_instances", "submitted_ids"), ("completed_instances", "completed_ids"),
    ("unresolved_instances", "unresolved_ids"), ("empty_patch_instances", "empty_patch_ids"), ("error_instances", "error_ids"),
)  # fmt: skip


# What other versions and forks of the harness call a list of ids `resolved_ids`, `unresolved_ids`, ...
ENDINGS = ("_submissions", "_instances", "_instance_ids")
LISTED = (*(key for key, *_ in LISTS), "submitted_ids", "completed_ids")


def _normal(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report with its lists under the names that the harness gives them today."""
    found = dict(report)
    for key in LISTED:
        for ending in ENDINGS:
            other = key.removesuffix("_ids") + ending
            if key not in found and isinstance(report.get(other), list):
                found[key] = found.pop(other)
    return found


def _is_run(source: Source) -> bool:
    if not isinstance(source.document, dict):
        return False
    found = _normal(source.document)
    return "resolved_ids" in found and bool(
        {"submitted_ids", "completed_ids", "unresolved_ids", "total_instances"} & found.keys()
    )


@reader("swebench", "SWE-bench run report <model>.<run>.json", _is_run)
def run_report(source: Source, book: Book) -> Iterator[Entry]:
    """Every instance that any list names. The denominator is the data set: completed_ids lacks empty patches and errors.

    An empty patch is the model's failure, a failure of the infrastructure is not; instances never submitted were not run. The reports of several runs
    are so many attempts.
    """
    report = _normal(source.document)
    named, _, run = source.file.removesuffix(".json").rpartition(".")
    model = book.ask.model or named or run
    found = {key: names(report.get(key), key) for key, *_ in LISTS}
    others = [
        *names(report.get("submitted_ids"), "submitted_ids"),
        *names(report.get("completed_ids"), "completed_ids"),
    ]
    _check(source, report, found)
    decided: dict[str, Entry] = {}
    for key, score, status, reason in LISTS:
        for item in found[key]:
            decided.setdefault(
                item,
                Entry(
                    BENCHMARK,
                    model,
                    item,
                    score,
                    0,
                    status,
                    _repository(item),
                    reason=_why(report, item, reason),
                    run=run,
                ),
            )
    left = [item for item in dict.fromkeys(others) if item not in decided]
    for item in left:
        decided[item] = Entry(
            BENCHMARK,
            model,
            item,
            None,
            0,
            "unscored",
            _repository(item),
            reason="in no list of outcomes",
            run=run,
        )
    book.listed.update(dict.fromkeys(decided))
    yield from decided.values()
    yield from _rest(book, model, run, decided)
    total = report.get("total_instances")
    if isinstance(total, int) and total > 0:
        if total > len(decided) and book.ask.items is None:
            book.note(
                f"{source.name}: {total} instances in the data set, {len(decided)} named; the others by --items"
            )
        book.claims.append(
            Claim(
                model,
                len(set(found["resolved_ids"])) / total,
                source.name,
                BENCHMARK,
                n=total,
                what="resolved of the data set",
            )
        )


def _check(source: Source, report: Mapping[str, Any], found: Mapping[str, list[str]]) -> None:
    both = sorted(
        set(found["resolved_ids"])
        & {*found["unresolved_ids"], *found["error_ids"], *found["empty_patch_ids"], *found["incomplete_ids"]}
    )
    if both:
        raise refuse_whole(
            source, "an instance is resolved and, in another list, not", value=both[0], column="resolved_ids"
        )
    for count, key in COUNTED:
        stated, listed = report.get(count), report.get(key)
        if isinstance(stated, int) and isinstance(listed, list) and stated != len(set(listed)):
            raise refuse_whole(source, f"{key} lists {len(set(listed))}", value=str(stated), column=count)


def _why(report: Mapping[str, Any], item: str, reason: str | None) -> str | None:
    detail = section(report, "failure_reasons").get(item)
    return f"{reason}: {detail}" if reason and isinstance(detail, str) else reason


def _is_instance(source: Source) -> bool:
    found = source.document
    if not isinstance(found, dict) or not found:
        return False
    marks = {"patch_is_None", "patch_exists", "patch_successfully_applied", "tests_status"}
    return all(
        isinstance(part, Mapping) and "resolved" in part and bool(marks & part.keys())
        for part in found.values()
    )


@reader("swebench-instance", "SWE-bench report.json of one instance", _is_instance)
def instance_report(source: Source, book: Book) -> Iterator[Entry]:
    """`logs/run_evaluation/<run>/<model>/<instance>/report.json`; the model is named by its folder.

    An instance without a patch has no such file: `--items` names the whole data set, and what no file reports on was not run.
    """
    path = source.path.resolve()
    model, run = book.ask.model or path.parent.parent.name, path.parent.parent.parent.name
    if not model:
        raise refuse_whole(source, "the model is named by the folder two above; name it with --model")

    owner = f"{run}/{model}"
    if book.ask.items and owner not in book.owing:
        book.owing.add(owner)
        book.owed.update({(owner, entry.item): entry for entry in _rest(book, model, run, {})})

    def build(row: int, pair: Any) -> list[Entry]:
        item, report = pair
        book.owed.pop((owner, item), None)
        score, status, reason = _outcome(report)
        return [Entry(BENCHMARK, model, item, score, 0, status, _repository(item), reason=reason, run=run)]

    yield from book.each(source.name, enumerate(source.document.items(), start=1), build)


def _outcome(report: Mapping[str, Any]) -> tuple[float, str, str | None]:
    resolved = field(report, "resolved")
    if not isinstance(resolved, bool):
        raise Unusable("resolved is neither true nor false", column="resolved", value=resolved)
    if report.get("infra_failure") is True and not resolved:
        return 0.0, "infra", "infra_error"
    if not resolved and (report.get("patch_is_None") is True or report.get("patch_exists") is False):
        return 0.0, "error", "empty_patch"
    if not resolved and report.get("patch_successfully_applied") is False:
        return 0.0, "error", "patch did not apply"
    return float(resolved), "ok", None


def _is_experiment(source: Source) -> bool:
    found = source.document
    if not isinstance(found, dict) or not isinstance(found.get("resolved"), list):
        return False
    return bool({"no_generation", "no_logs"} & found.keys())


@reader("swebench-experiments", "SWE-bench/experiments results.json", _is_experiment, last=True)
def experiments(source: Source, book: Book) -> Iterator[Entry]:
    """Who resolved what; who did not is said nowhere, so that the data set's list is needed (`--items`, or a run report beside it)."""
    report = source.document
    folder = source.path.resolve().parent
    model = book.ask.model or (folder.parent.name if folder.name == "results" else folder.name)
    every = book.ask.items or tuple(book.listed)
    if not every:
        raise refuse_whole(
            source,
            "unresolved instances are not in it: name the file of all instances with --items",
            column="resolved",
        )
    marks: dict[str, tuple[float, str, str | None]] = {}
    marks |= dict.fromkeys(
        names(report.get("no_generation"), "no_generation"), (0.0, "error", "no_generation")
    )
    marks |= dict.fromkeys(names(report.get("no_logs"), "no_logs"), (0.0, "infra", "no_logs"))
    marks |= dict.fromkeys(names(report.get("resolved"), "resolved"), (1.0, "ok", None))
    stray = sorted(set(marks) - set(every))
    if stray:
        raise refuse_whole(
            source, "an instance that the data set does not have", value=stray[0], column="resolved"
        )
    for item in every:
        score, status, reason = marks.get(item, (0.0, "ok", None))
        yield Entry(BENCHMARK, model, item, score, 0, status, _repository(item), reason=reason)


def _is_board(source: Source) -> bool:
    found = source.document
    boards = found.get("leaderboards") if isinstance(found, dict) else None
    return isinstance(boards, list) and any(_detailed(board) for board in boards)


@reader("swebench-leaderboard", "SWE-bench leaderboards.json with per-instance details", _is_board)
def leaderboard(source: Source, book: Book) -> Iterator[Entry]:
    """The published file, one benchmark a board. What it states for a system is held against that system's own details."""
    for board in source.document["leaderboards"]:
        rows = enumerate(_detailed(board), start=1)
        yield from book.each(
            source.name, rows, _System(source, book, f"{BENCHMARK}/{board.get('name')}").entries
        )


class _System:
    def __init__(self, source: Source, book: Book, benchmark: str) -> None:
        self.source, self.book, self.benchmark = source, book, benchmark

    def entries(self, row: int, system: Any) -> list[Entry]:
        model = name(system, "folder" if system.get("folder") else "name")
        stated = system.get("resolved")
        if isinstance(stated, int | float) and not isinstance(stated, bool) and 0 <= stated <= 100:
            self.book.claims.append(
                Claim(
                    model,
                    stated / 100,
                    self.source.name,
                    self.benchmark,
                    digits=decimals(stated) + 2,
                    what="published",
                )
            )
        found = []
        for item, detail in system["per_instance_details"].items():
            score, status, reason = _outcome(detail)
            found.append(
                Entry(self.benchmark, model, item, score, 0, status, _repository(item), reason=reason)
            )
        return found


def decimals(value: float) -> int:
    """Digits after the point, as printed, at least one: 52.8 was not rounded to a whole number."""
    return max(1, len(repr(float(value)).partition(".")[2].rstrip("0")))


def _detailed(board: Any) -> list[Mapping[str, Any]]:
    results = board.get("results") if isinstance(board, Mapping) else None
    results = results if isinstance(results, list) else []
    return [
        row
        for row in results
        if isinstance(row, Mapping) and isinstance(row.get("per_instance_details"), Mapping)
    ]


def _rest(book: Book, model: str, run: str, have: Mapping[str, Any]) -> Iterator[Entry]:
    for item in book.ask.items or ():
        if item not in have:
            yield Entry(
                BENCHMARK,
                model,
                item,
                None,
                0,
                "not_run",
                _repository(item),
                reason="not in the report",
                run=run,
            )


def _repository(item: str) -> tuple[str, ...]:
    repository, dash, number = item.rpartition("-")
    return (repository,) if dash and number.isdigit() else ()
