"""The closed rules that every reader applies, together, with what they noticed on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.errors import WrongUsage
from arena.importers.languages import Languages
from arena.importers.lookalikes import lookalikes
from arena.importers.names import Names
from arena.importers.tally import Account
from arena.importers.times import Times
from arena.importers.values import NotVote, Reject, is_missing, shown
from arena.votes import OUTCOME_WORDS, Outcome

NOT_A_VOTE = "not_a_vote"  # what `--outcomes` maps a word to that is no vote at all
OUR_OUTCOMES: Mapping[str, Outcome | None] = {**OUTCOME_WORDS, NOT_A_VOTE: None}


@dataclass
class Checks:
    """One reading's rules. Readers ask it for every name, time, language and outcome."""

    words: Mapping[str, Outcome | None] = field(default_factory=lambda: dict(OUTCOME_WORDS))
    names: Names = field(default_factory=Names)
    times: Times = field(default_factory=Times)
    languages: Languages = field(default_factory=Languages)
    account: Account = field(default_factory=Account)
    named: set[str] = field(default_factory=set)  # models of records that hold no vote
    noted: dict[str, None] = field(default_factory=dict)  # warnings in order, each once
    counted: Counter[str] = field(default_factory=Counter)  # warnings with how often

    def pair(self, a: Any, b: Any, columns: tuple[str, str] = ("model_a", "model_b")) -> tuple[str, str]:
        return self.names.read(a, columns[0]), self.names.read(b, columns[1])

    def outcome(self, value: Any, column: str) -> Outcome:
        """The outcome of a word of the closed set and of `--outcomes`; anything else is refused, never a tie."""
        word = outcome_word(value)
        try:
            found = self.words[word] if word is not None else None
        except KeyError:
            known = ", ".join(self.words)
            raise Reject(column, value, f"unknown outcome; known: {known} (others by --outcomes)") from None
        if found is None:
            if word is None:
                raise Reject(column, None, "an outcome is missing")
            raise NotVote(NOT_A_VOTE)
        return found

    def note(self, warning: str) -> None:
        self.noted[warning] = None

    def count(self, warning: str) -> None:
        self.counted[warning] += 1

    def warnings(self, models: tuple[str, ...]) -> tuple[str, ...]:
        """All that was noticed, once the names of all models are known."""
        found = [*self.noted, *(f"{what}: {times:,}" for what, times in self.counted.items())]
        found += [*self.names.changes(), *lookalikes(models)]
        if self.times.units - {"seconds"}:
            found.append(f"times are numbers in {', '.join(sorted(self.times.units))} since 1970")
        if self.times.naive:
            found.append("times without a zone are taken as UTC")
        if self.languages.unknown:
            some = ", ".join(sorted(self.languages.unknown)[:10])
            found.append(f"languages that are none we know count as unknown: {some}")
        return tuple(found)


def outcome_word(value: Any) -> str | None:
    """The word of an outcome cell; yes/no and numbers by how JSON writes them, so that `--outcomes` can name them."""
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else shown(value)


def outcome_words(mapping: Mapping[str, str]) -> dict[str, Outcome | None]:
    """The closed set of words with those of `--outcomes A=B`: one side is a word of ours, the other the file's.

    Ours: model_a, model_b, tie, both_bad, and not_a_vote for words that hold no vote.
    """
    ours = OUR_OUTCOMES
    words: dict[str, Outcome | None] = dict(OUTCOME_WORDS)
    for left, right in mapping.items():
        if right in ours:
            words[left] = ours[right]
        elif left in ours:
            words[right] = ours[left]
        else:
            raise WrongUsage(f"--outcomes {left}={right}: one side must be one of {', '.join(ours)}")
    return words
