"""LLMFAO's crowd votes and evalica's tables: the models of two sides, `left` or `right` or `tie`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.importers.files.csv_rows import open_csv
from arena.importers.files.rows import Row
from arena.importers.files.sources import Source
from arena.importers.files.streams import refused
from arena.importers.formats.battle_rows import GENERIC, marks_of, voter_of
from arena.importers.formats.registry import Parse, reader
from arena.importers.rules.checks import Checks
from arena.importers.values.values import NotVote, decimal, identifier, text
from arena.votes import Outcome, Vote

WORDS = {"left": Outcome.A, "right": Outcome.B, "tie": Outcome.TIE}
NEEDS = ("left", "right", "winner")
TRAITS_FILE = "traits.csv"
PROMPTS_FILE = "prompts.csv"
TRAITS = ("length", "headers", "lists", "bold")

Traits = dict[tuple[str, str], dict[str, float]]  # (model, prompt) -> trait -> value


@dataclass(frozen=True)
class Beside:
    """What lies beside a file of votes: traits of answers, and the category of each prompt."""

    traits: Traits
    categories: Mapping[str, str]


def _begin(source: Source, checks: Checks) -> Parse:
    """`traits.csv` (one row for each model and prompt) and `prompts.csv` (prompt, category) are read along."""
    traits, prompts = (_beside(source, name) for name in (TRAITS_FILE, PROMPTS_FILE))
    beside = Beside(read_traits(traits) if traits else {}, read_categories(prompts) if prompts else {})

    def parse(row: Row, checks: Checks) -> Iterator[Vote]:
        yield _vote(row, checks, beside)

    return parse


def _beside(source: Source, name: str) -> Path | None:
    path = source.path.parent / name if source.path is not None else None
    return path if path is not None and path != source.path and path.is_file() else None


@reader("llmfao", "LLMFAO and evalica: left, right, winner (left/right/tie)", NEEDS, begin=_begin)
def llmfao(row: Row, checks: Checks) -> Iterator[Vote]:
    """`id` is the pair and no vote id; `worker` is the voter; `left` and `right` name the models of the two sides."""
    yield _vote(row, checks, Beside({}, {}))


def _vote(row: Row, checks: Checks, beside: Beside) -> Vote:
    names = checks.pair(row.get("left"), row.get("right"), ("left", "right"))
    word = row.get("winner")
    outcome = _outcome(word, names, checks)
    column, value = row.first(GENERIC.prompt)
    prompt = identifier(value, column)
    category = beside.categories.get(prompt or "")
    marks = marks_of(row, checks)
    at_column, at = row.first(GENERIC.at)
    a, b = (beside.traits.get((name, prompt or "")) for name in names)
    return Vote(
        vote_id="",
        model_a=names[0],
        model_b=names[1],
        outcome=outcome,
        voter=voter_of(row, ("worker", "judge", "voter")),
        prompt=prompt,
        at=checks.times.read(at, at_column),
        language=marks["language"],
        weight=marks["weight"],
        categories=tuple(dict.fromkeys(((category,) if category else ()) + marks["categories"])),
        reason="self_battle" if names[0] == names[1] else None,
        traits={name: (a[name], b[name]) for name in a} if a is not None and b is not None else {},
    )


def _outcome(word: Any, names: tuple[str, str], checks: Checks) -> Outcome:
    if isinstance(word, str) and word in WORDS and not (checks.by_name and word in names):
        return WORDS[word]
    try:
        return checks.outcome(word, "winner", names)
    except NotVote:
        checks.named.update(names)
        raise


def read_traits(path: Path) -> Traits:
    """Traits of answers from a table `model,prompt,length,headers,lists,bold`; any other table gives none."""
    found: Traits = {}
    for row in _rows(path, ("model", "prompt", *TRAITS)):
        values = {name: decimal(row.get(name), name) for name in TRAITS}
        known = {name: value for name, value in values.items() if value is not None}
        found[str(row.get("model")), str(row.get("prompt"))] = known
    return found


def read_categories(path: Path) -> dict[str, str]:
    """Categories from a table with the columns `prompt` and `category`; any other table gives none."""
    found = {}
    for row in _rows(path, ("prompt", "category")):
        category = text(row.get("category"), "category")
        if category is not None:
            found[str(row.get("prompt"))] = category
    return found


def _rows(path: Path, needs: Sequence[str]) -> Iterator[Row]:
    content = open_csv(Source(str(path), path))
    if set(needs) <= set(content.columns):
        for row in content.rows():
            if row.fault is not None:
                raise refused(str(path), f"line {row.line}: {row.fault.reason}")
            yield row
