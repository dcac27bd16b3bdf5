"""The closed rules that every reader applies, together, with what they noticed on the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import WrongUsage
from arena.importers.rules.tally import Account
from arena.importers.values.confusables import lookalikes
from arena.importers.values.languages import Languages
from arena.importers.values.names import Names
from arena.importers.values.times import Times
from arena.importers.values.values import NotVote, Reject, is_missing, shown
from arena.votes import OUTCOME_WORDS, Outcome

NO_OUTCOME = "no_outcome"
BY_NAME, BLANK_IS_NONE, SCORES = ("by", "name"), ("blank", "none"), ("score", "match")
OF_ALL_CELLS = (BY_NAME, BLANK_IS_NONE, SCORES)  # what `--outcomes` says of all cells, not of one word
NOT_A_VOTE = "not_a_vote"  # what `--outcomes` maps a word to that is no vote at all
SCORE = re.compile(r"\s*([0-9]{1,6}(?:\.5)?)\s*[-:\u2010-\u2015\u2212]\s*([0-9]{1,6}(?:\.5)?)\s*")
OUR_OUTCOMES: Mapping[str, Outcome | None] = {**OUTCOME_WORDS, NOT_A_VOTE: None}


@dataclass
class Checks:
    """One reading's rules. Readers ask it for every name, time, language and outcome."""

    words: Mapping[str, Outcome | None] = field(default_factory=lambda: dict(OUTCOME_WORDS))
    by_name: bool = False  # the winner may be told by the model's name
    blank_is_none: bool = False  # an empty outcome is no vote
    scores: bool = False  # 4-1 is a match that the first won
    names: Names = field(default_factory=Names)
    times: Times = field(default_factory=Times)
    languages: Languages = field(default_factory=Languages)
    account: Account = field(default_factory=Account)
    records: dict[str, tuple[str, ...]] = field(default_factory=dict)  # record of several votes -> their ids
    by_question: bool = False  # some ids of votes stand in `question_id`, which may be the prompt
    named: set[str] = field(default_factory=set)  # models of records that hold no vote
    noted: dict[str, None] = field(default_factory=dict)  # warnings in order, each once
    counted: Counter[str] = field(default_factory=Counter)  # warnings with how often

    def pair(self, a: Any, b: Any, columns: tuple[str, str] = ("model_a", "model_b")) -> tuple[str, str]:
        return self.names.read(a, columns[0]), self.names.read(b, columns[1])

    def outcome(self, value: Any, column: str, names: Collection[str] = ()) -> Outcome:
        """The outcome of a word of the closed set and of `--outcomes`; anything else is refused, never a tie.

        `names`: the two models, whose names are outcomes too if `by_name`.
        """
        word = outcome_word(value)
        if word is None:
            if self.blank_is_none:
                raise NotVote(NO_OUTCOME)
            raise Reject(
                column, None, "an outcome is missing (--outcomes blank=none counts such rows as no vote)"
            )
        if self.by_name:
            named = self._named(word, column, tuple(names))
            if named is not None:
                return named
        if word not in self.words and self.scores and (score := score_of(word)) is not None:
            return Outcome.TIE if score[0] == score[1] else Outcome(score[0] < score[1])
        if word not in self.words:
            raise Reject(column, value, self._unknown(word, names))
        found = self.words[word]
        if found is None:
            raise NotVote(NOT_A_VOTE)
        return found

    def _named(self, word: str, column: str, names: Sequence[str]) -> Outcome | None:
        """Whose name `word` is; refused where it is an outcome word of another meaning too."""
        try:
            name = self.names.read(word, column)
        except Reject:
            return None
        if name not in names:
            return None
        found = (Outcome.A, Outcome.B)[names.index(name)]
        if self.words.get(word, found) is not found:
            raise Reject(column, word, "is an outcome word and the name of a model of this row")
        return found

    def _unknown(self, word: str, names: Collection[str]) -> str:
        if self.by_name:
            pair = " and ".join(repr(name) for name in names)
            return f"unknown outcome; it is neither of {pair}, nor one of {', '.join(self.words)}"
        more = (
            "winners by name: --outcomes by=name"
            if word in names
            else "others by --outcomes WORD=model_a,..."
        )
        if score_of(word) is not None:
            more = "a match by its score: --outcomes score=match; games that count each: wins_a, wins_b"
        return f"unknown outcome; known: {', '.join(self.words)} ({more})"

    def ids_of(self, record: str | None, names: Sequence[str]) -> list[str]:
        """An id for the vote against each of `names` that one record makes.

        A record that comes again with other names gets the ids that it had: whatever it says now, it counts once.
        """
        if record is None:
            return [""] * len(names)
        ids = [f"{record}/{name}" for name in names]
        first = self.records.setdefault(record, tuple(ids))
        return [each if each in first else first[at % len(first)] for at, each in enumerate(ids)]

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


def score_of(word: str) -> tuple[float, float] | None:
    """The two numbers of `4-1` or `2:2`; None for any other word."""
    found = SCORE.fullmatch(word)
    return (float(found.group(1)), float(found.group(2))) if found else None


def outcome_word(value: Any) -> str | None:
    """The word of an outcome cell; yes/no and numbers by how JSON writes them, so that `--outcomes` can name them."""
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else shown(value)


def checks_of(mapping: Mapping[str, str]) -> Checks:
    """The rules of one reading under `--outcomes`, which also says by=name, blank=none and score=match."""
    said = set(mapping.items())
    words = {left: right for left, right in mapping.items() if (left, right) not in OF_ALL_CELLS}
    return Checks(
        words=outcome_words(words),
        by_name=BY_NAME in said,
        blank_is_none=BLANK_IS_NONE in said,
        scores=SCORES in said,
    )


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
            known = ", ".join(ours)
            raise WrongUsage(
                f"--outcomes {left}={right}: one side must be one of {known}; or it is by=name, or blank=none, or score=match"
            )
    return words
