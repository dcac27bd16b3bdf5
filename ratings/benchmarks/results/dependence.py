"""How the items of a benchmark hang together, in words: independent, in clusters or in fixed strata; and who said so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Dependence = Literal["independent", "clustered", "stratified"]


@dataclass(frozen=True)
class Labels:
    """What the labels of entries are for.

    Nobody's column is a cluster by itself: only what was asked for, or what one item was cut into by its own harness (two games or
    two turns of a question, the cluster that a log's own standard error names).
    """

    asked: Dependence | None = None  # by --group or --strata
    names: tuple[str, ...] = ()  # what the labels are called: a column, a key of metadata
    tied: frozenset[str] = frozenset()  # benchmarks whose labels are clusters by their harness

    def of(self, benchmarks: Iterable[str]) -> Dependence:
        """How items of these benchmarks (as their files call them) are taken together."""
        if self.asked is not None:
            return self.asked
        return "clustered" if self.tied.intersection(benchmarks) else "independent"

    def joined(self, later: Labels) -> Labels:
        """Both; the later wish stands."""
        names = tuple(dict.fromkeys((*self.names, *later.names)))
        return Labels(later.asked or self.asked, names, self.tied | later.tied)


NAMED = 5  # labels in a note
UNUSED = Labels()  # labels are labels


def looks_like_groups(names: Sequence[str]) -> str:
    """The note on labels that were not used."""
    shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return (
        f"items are taken as independent; {shown} could group them: "
        f"--group {names[0]} takes its values as clusters, --strata {names[0]} as fixed parts"
    )
