"""Which models of the arena are which models of a benchmark, and what is left over on either side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.errors import BadInput, NoData

RULE = "the letters with which a model's own name begins, its owner left out (llama-2-7b-chat and org/Llama-3 are both llama)"

FEWEST = 5  # shared models below which no association is given
FEW = 10  # below it the interval says more than the value


@dataclass(frozen=True)
class Join:
    """The shared models, in the arena's order, and the rest."""

    arena: tuple[str, ...]  # (M,) names on the board
    benchmark: tuple[str, ...]  # (M,) the same models' names in the benchmark
    only_arena: tuple[str, ...]
    only_benchmark: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]  # (benchmark's name, arena's name) that the alias table joined
    unused: tuple[str, ...]  # aliases that join nothing

    @property
    def models(self) -> int:
        return len(self.arena)


def join(arena: Sequence[str], benchmark: Sequence[str], aliases: Mapping[str, str] | None = None) -> Join:
    """Join by exact name after `aliases` (other name -> arena's name, or both to a third); nothing is guessed.

    Raises `BadInput` when two names of one side become one model: which of their results counts is not ours to choose.
    """
    table = dict(aliases or {})
    left, right = canonical(arena, table, "arena"), canonical(benchmark, table, "benchmark")
    shared = [name for name in left if name in right]
    pairs = [(right[name], left[name]) for name in shared]
    used = {old for old in table if old in {name for pair in pairs for name in pair}}
    return Join(
        arena=tuple(one for _, one in pairs),
        benchmark=tuple(other for other, _ in pairs),
        only_arena=tuple(left[name] for name in left if name not in right),
        only_benchmark=tuple(right[name] for name in right if name not in left),
        renamed=tuple((other, one) for other, one in pairs if other != one),
        unused=tuple(sorted(set(table) - used)),
    )


def enough(found: Join) -> None:
    """Raise `NoData` when too few models are shared to speak of an association."""
    if found.models < FEWEST:
        apart = ", ".join(found.only_benchmark[:8])
        raise NoData(
            f"models both on the board and in the benchmark: {found.models}; {FEWEST} are needed"
            + (
                f"; name aliases: only in the benchmark are {apart}"
                if apart
                else "; the benchmark has no others"
            )
        )


def canonical(names: Sequence[str], aliases: Mapping[str, str], side: str) -> dict[str, str]:
    """Joined name -> own name, in order. Raises `BadInput` when two names become one model."""
    found: dict[str, str] = {}
    for name in names:
        known = aliases.get(name, name)
        if known in found:
            raise BadInput(f"two models of the {side}, {found[known]!r} and {name!r}, are both {known!r}")
        found[known] = name
    return found


def by_prefix(names: Sequence[str]) -> dict[str, str]:
    """name -> family, by `RULE`; a name without letters in front is its own family."""
    return {name: _prefix(name) for name in names}


def families(names: Sequence[str], declared: Mapping[str, str] | None) -> tuple[dict[str, str], str]:
    """The families of `names` with the rule that made them: as declared, by prefix where nothing is declared.

    A model that a declaration leaves out is its own family.
    """
    if declared is None:
        return by_prefix(names), RULE
    return {name: declared.get(name, name) for name in names}, "as declared; undeclared models alone"


def _prefix(name: str) -> str:
    own = name.rsplit("/", 1)[-1]
    found = re.match(r"[^\W\d_]+", own)
    return found.group().casefold() if found else own
