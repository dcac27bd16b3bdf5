"""tau-bench checkpoints and tau2-bench results: tasks tried several times, some of them ended by failing machinery."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, graded, name, section, share, whole
from ratings.benchmarks.results.entries import Book, Entry

MOST_TRIALS = 10_000
NEARLY = 1e-6  # the benchmark's own tolerance of "reward is 1"
CHECKPOINT = re.compile(r"(tool-calling|act|react|few-shot)-(?P<model>.+)-[\d.]+_range_-?\d+-+\d+_user-.*")
INFRA = {"infrastructure_error"}
OWN_FAILURE = {"context_window_exceeded"}  # not evaluable, but it is the model that ran over


def _is_tau(source: Source) -> bool:
    return isinstance(source.document, list) and {"task_id", "reward", "info", "traj"} <= source.first.keys()


@reader("tau-bench", "tau-bench checkpoint", _is_tau)
def tau_bench(source: Source, book: Book) -> Iterator[Entry]:
    """A reward per task and trial. A row whose info holds an error is a crash of the run, not a wrong answer, whatever its reward of 0 says."""
    stem = source.file.removesuffix(".json")
    made = CHECKPOINT.fullmatch(stem)
    model = book.ask.model or (made["model"] if made else stem)
    if not book.ask.model and not made:
        book.note(f"{source.name}: the model is named after the file; name it with --model")

    def build(row: int, record: Any) -> list[Entry]:
        score = _reward(field(record, "reward"))
        trial = whole(record, "trial") if record.get("trial") is not None else None
        at: dict[str, Any] = {
            "benchmark": "tau-bench",
            "model": model,
            "item": name(record, "task_id"),
            "repeat": trial,
            "run": stem if made else "",
        }
        if section(record, "info").get("error"):
            return [Entry(**at, score=score, status="infra", reason="infra_error")]
        return [Entry(**at, **graded(score))]

    yield from book.each(source.name, source.rows(), build)


def _is_tau2(source: Source) -> bool:
    found = source.document
    if not isinstance(found, dict):
        return False
    return "agent_info" in section(found, "info") and ("simulations" in found or "simulation_index" in found)


def _is_simulation(source: Source) -> bool:
    return source.path.parent.name == "simulations" and {"task_id", "reward_info"} <= source.first.keys()


@reader(
    "tau2", "tau2-bench results.json, or its folder with simulations/", _is_tau2, companion=_is_simulation
)
def tau2(source: Source, book: Book) -> Iterator[Entry]:
    """A reward per task and trial, of one file or of the folder `simulations` beside it.

    `infrastructure_error` is nobody's answer; a conversation that ran over the context window is the model's own failure. Neither has a reward.
    Trials that the settings announce and nothing shows were not run.
    """
    found = source.document
    info = section(found, "info")
    model = book.ask.model or name(section(info, "agent_info"), "llm")
    domain = section(info, "environment_info").get("domain_name")
    benchmark = f"tau2/{domain}" if isinstance(domain, str) else "tau2"
    run = str(found.get("timestamp") or "")
    seen: set[tuple[str, int]] = set()

    def build(row: int, record: Any) -> list[Entry]:
        item, trial = name(record, "task_id"), whole(record, "trial", 0)
        seen.add((item, trial))
        ended = record.get("termination_reason")
        reward = section(record, "reward_info").get("reward")
        at: dict[str, Any] = {
            "benchmark": benchmark,
            "model": model,
            "item": item,
            "repeat": trial,
            "run": run,
        }
        if ended in INFRA:
            return [Entry(**at, score=None, status="infra", reason="infra_error")]
        if ended in OWN_FAILURE:
            return [Entry(**at, score=None, status="error", reason=str(ended))]
        return [Entry(**at, **graded(_reward(reward), "no reward"))]

    yield from book.each(source.name, enumerate(_simulations(source, found), start=1), build)
    trials = whole(info, "num_trials", 1)
    if trials > MOST_TRIALS:
        raise refuse_whole(
            source, f"more than {MOST_TRIALS} trials", column="num_trials", value=str(trials)[:20]
        )
    for task in found.get("tasks") or ():
        item = section(task).get("id")
        for trial in range(trials):
            if item is not None and (str(item), trial) not in seen:
                yield Entry(
                    benchmark, model, str(item), None, trial, "not_run", reason="no simulation", run=run
                )


def _simulations(source: Source, found: Mapping[str, Any]) -> list[Any]:
    listed = found.get("simulations")
    if isinstance(listed, list) and listed:
        return listed
    folder = source.path.parent / "simulations"
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    parts = [Source(path, named=False).document for path in files]
    for path, part in zip(files, parts, strict=True):
        if part is None:
            raise refuse_whole(Source(path), "not JSON")
    flat = [entry for part in parts for entry in (part if isinstance(part, list) else [part])]
    if not flat and listed is None:
        raise refuse_whole(
            source, "no simulations in it or in a folder `simulations` beside it", column="simulations"
        )
    return flat


def _reward(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 - NEARLY <= value <= 1 + NEARLY:
        return 1.0
    return share(value, "reward")
