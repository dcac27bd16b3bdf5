"""LLMFAO's crowd votes and evalica's tables: the models of two sides, `left` or `right` or `tie`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.importers.battle_rows import voter_of
from arena.importers.checks import Checks
from arena.importers.csv_rows import open_csv
from arena.importers.formats import Parse, Sample, reader
from arena.importers.rows import Row
from arena.importers.sources import Source
from arena.importers.values import decimal, identifier
from arena.votes import Outcome, Vote

WORDS = {"left": Outcome.A, "right": Outcome.B, "tie": Outcome.TIE}
NEEDS = ("left", "right", "winner")
TRAITS_FILE = "traits.csv"
TRAITS = ("length", "headers", "lists", "bold")

Traits = dict[tuple[str, str], dict[str, float]]  # (model, prompt) -> trait -> value


def _begin(source: Source, checks: Checks) -> Parse:
    """A file `traits.csv` beside the votes, one row for each (model, prompt), is read along."""
    traits: Traits = {}
    beside = source.path.parent / TRAITS_FILE if source.path is not None else None
    if beside is not None and beside != source.path and beside.is_file():
        traits = read_traits(beside)

    def parse(row: Row, checks: Checks) -> Iterator[Vote]:
        yield _vote(row, checks, traits)

    return parse


def _words(columns: Sequence[str], sample: Sample) -> bool:
    return all(values.get("winner") in (*WORDS, "", None) or "winner" not in values for values in sample[:5])


@reader("llmfao", "LLMFAO and evalica: left, right, winner (left/right/tie)", NEEDS, begin=_begin)
def llmfao(row: Row, checks: Checks) -> Iterator[Vote]:
    """`id` is the pair and no vote id; `worker` is the voter; `left` and `right` name the models of the two sides."""
    yield _vote(row, checks, {})


def _vote(row: Row, checks: Checks, traits: Traits) -> Vote:
    names = checks.pair(row.get("left"), row.get("right"), ("left", "right"))
    word = row.get("winner")
    outcome = WORDS[word] if isinstance(word, str) and word in WORDS else checks.outcome(word, "winner")
    prompt = identifier(row.get("prompt"), "prompt")
    a, b = (traits.get((name, prompt or "")) for name in names)
    return Vote(
        vote_id="",
        model_a=names[0],
        model_b=names[1],
        outcome=outcome,
        voter=voter_of(row, ("worker", "judge", "voter")),
        prompt=prompt,
        reason="self_battle" if names[0] == names[1] else None,
        traits={name: (a[name], b[name]) for name in a} if a is not None and b is not None else {},
    )


def read_traits(path: Path) -> Traits:
    """Traits of answers from a table `model,prompt,length,headers,lists,bold`."""
    content = open_csv(Source(str(path), path))
    found: Traits = {}
    for row in content.rows():
        if row.fault is not None:
            raise row.fault
        values = {name: decimal(row.get(name), name) for name in TRAITS}
        known = {name: value for name, value in values.items() if value is not None}
        found[str(row.get("model")), str(row.get("prompt"))] = known
    return found
