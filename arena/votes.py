"""Votes: the outcome of a battle, one vote, and the table of many votes that everything else computes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from arena.errors import BadInput

UNKNOWN = -1  # code of "no voter", "no prompt", "no language", "no reason" in the int32 columns

# Why a kept vote does not enter a fit. A reason outside this list is a programming error.
EXCLUSIONS = (
    "not_blind",
    "self_battle",
    "error_response",
    "empty_response",
    "identity_leak",
    "duplicate",
    "quarantined_session",
    "dedup",
    "missing_traits",
    "challenge_failed",
    "challenge_unchecked",
    "bad_record",
    "excluded_at_source",  # whoever published the vote says that it does not count
    "unpublished",
)


class Outcome(IntEnum):
    """What a voter said of two answers. `score` is side a's share of the win."""

    A = 0
    B = 1
    TIE = 2
    BOTH_BAD = 3

    @property
    def score(self) -> float:
        return (1.0, 0.0, 0.5, 0.5)[self]

    @property
    def word(self) -> str:
        """The word of the generic vote table."""
        return ("model_a", "model_b", "tie", "both_bad")[self]

    @property
    def mirrored(self) -> Outcome:
        """The same outcome with the sides exchanged."""
        return (Outcome.B, Outcome.A, Outcome.TIE, Outcome.BOTH_BAD)[self]

    @classmethod
    def parse(cls, word: str) -> Outcome:
        """The outcome of one of the closed set of words; anything else raises `BadInput`, never a tie."""
        try:
            return OUTCOME_WORDS[word]
        except (KeyError, TypeError):
            known = ", ".join(OUTCOME_WORDS)
            raise BadInput(f"unknown outcome {word!r}; known: {known}") from None


OUTCOME_WORDS: Mapping[str, Outcome] = {
    "model_a": Outcome.A,
    "model_b": Outcome.B,
    "tie": Outcome.TIE,
    "tie (bothbad)": Outcome.BOTH_BAD,
    "both_bad": Outcome.BOTH_BAD,
}


@dataclass(frozen=True)
class Vote:
    """One vote, self-contained: a later edit of the bank never changes an old fit."""

    vote_id: str
    model_a: str
    model_b: str
    outcome: Outcome
    at: float | None = None  # seconds since 1970, UTC
    voter: str | None = None  # keyed hash, the cluster of the statistics
    prompt: str | None = None  # prompt id
    language: str | None = None  # BCP-47
    categories: tuple[str, ...] = ()
    traits: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # name -> (a, b)
    drawn_p: float | None = None  # probability with which the sampler drew the pair
    rule: str | None = None  # the sampler's rule and version
    reason: str | None = None  # why it does not count; None counts
    side_known: bool = True
    count: int = 1
    weight: float = 1.0
    dwell_seconds: float | None = None  # from opening the battle to the vote
    digests: tuple[str, str, str] | None = None  # of the texts shown: prompt, answer a, answer b


IntColumn = npt.NDArray[np.int32]
FloatColumn = npt.NDArray[np.float64]
BoolColumn = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class VoteTable:
    """Votes as columns of equal length n. Names are stored once; the columns hold indices, -1 for none."""

    models: tuple[str, ...]
    voters: tuple[str, ...]
    prompts: tuple[str, ...]
    languages: tuple[str, ...]
    reasons: tuple[str, ...]
    a: IntColumn  # (n,) index into models, the left side
    b: IntColumn  # (n,) index into models, the right side
    outcome: npt.NDArray[np.int8]  # (n,) Outcome
    voter: IntColumn  # (n,) index into voters; -1: its own voter
    prompt: IntColumn  # (n,) index into prompts
    language: IntColumn  # (n,) index into languages
    reason: IntColumn  # (n,) index into reasons; -1: the vote counts
    count: npt.NDArray[np.int64]  # (n,) how many equal votes the row stands for
    weight: FloatColumn  # (n,) 1/p or 1/k; never a sample size
    at: FloatColumn  # (n,) seconds since 1970 UTC; nan unknown
    drawn_p: FloatColumn  # (n,) nan unknown
    side_known: BoolColumn  # (n,)
    labels: Mapping[str, BoolColumn]  # category -> (n,), categories overlap
    traits: Mapping[str, FloatColumn]  # name -> (n, 2), sides a and b; nan missing

    def __len__(self) -> int:
        return len(self.a)

    @property
    def used(self) -> BoolColumn:
        """(n,) which rows count."""
        return np.asarray(self.reason == UNKNOWN, dtype=np.bool_)

    def take(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> VoteTable:
        """The same names with only `rows` (a mask or indices) of every column."""
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in COLUMNS},
            labels={name: column[rows] for name, column in self.labels.items()},
            traits={name: column[rows] for name, column in self.traits.items()},
        )

    def excluded(self) -> dict[str, int]:
        """Votes (not rows) that do not count, by reason, in order of name."""
        found = {name: int(self.count[self.reason == code].sum()) for code, name in enumerate(self.reasons)}
        return {name: found[name] for name in sorted(found) if found[name]}

    @classmethod
    def of(cls, votes: Iterable[Vote]) -> VoteTable:
        """The table of `votes`, in their order; names sorted."""
        return _tabulate(list(votes))

    @classmethod
    def join(cls, tables: Sequence[VoteTable]) -> VoteTable:
        """All rows of `tables`, in order; names united and sorted."""
        return _join(tables)


COLUMNS = (
    "a", "b", "outcome", "voter", "prompt", "language", "reason", "count", "weight", "at", "drawn_p", "side_known",
)  # fmt: skip
CODED = {
    "models": ("a", "b"),
    "voters": ("voter",),
    "prompts": ("prompt",),
    "languages": ("language",),
    "reasons": ("reason",),
}


def coded(values: Sequence[str | None]) -> tuple[tuple[str, ...], IntColumn]:
    """Distinct names in order, and for each value its index (-1 for None)."""
    names = tuple(sorted({value for value in values if value is not None}))
    index = {name: code for code, name in enumerate(names)}
    codes = [UNKNOWN if value is None else index[value] for value in values]
    return names, np.array(codes, dtype=np.int32)


def _tabulate(votes: Sequence[Vote]) -> VoteTable:
    n = len(votes)
    models, sides = coded([v.model_a for v in votes] + [v.model_b for v in votes])
    voters, voter = coded([v.voter for v in votes])
    prompts, prompt = coded([v.prompt for v in votes])
    languages, language = coded([v.language for v in votes])
    reasons, reason = coded([v.reason for v in votes])
    categories = sorted({name for v in votes for name in v.categories})
    traits = sorted({name for v in votes for name in v.traits})
    missing = (np.nan, np.nan)
    return VoteTable(
        models=models,
        voters=voters,
        prompts=prompts,
        languages=languages,
        reasons=reasons,
        a=sides[:n],
        b=sides[n:],
        outcome=np.array([v.outcome for v in votes], dtype=np.int8),
        voter=voter,
        prompt=prompt,
        language=language,
        reason=reason,
        count=np.array([v.count for v in votes], dtype=np.int64),
        weight=np.array([v.weight for v in votes], dtype=np.float64),
        at=_optional([v.at for v in votes]),
        drawn_p=_optional([v.drawn_p for v in votes]),
        side_known=np.array([v.side_known for v in votes], dtype=np.bool_),
        labels={name: np.array([name in v.categories for v in votes], dtype=np.bool_) for name in categories},
        traits={
            name: np.array([v.traits.get(name, missing) for v in votes], dtype=np.float64).reshape(n, 2)
            for name in traits
        },
    )


def _optional(values: Sequence[float | None]) -> FloatColumn:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _join(tables: Sequence[VoteTable]) -> VoteTable:
    if not tables:
        return _tabulate([])
    if len(tables) == 1:
        return tables[0]
    columns: dict[str, object] = {}
    for names_field, code_fields in CODED.items():
        united = tuple(sorted({name for table in tables for name in getattr(table, names_field)}))
        index = {name: code for code, name in enumerate(united)}
        columns[names_field] = united
        for code_field in code_fields:
            parts = [_recode(table, names_field, code_field, index) for table in tables]
            columns[code_field] = np.concatenate(parts)
    for name in COLUMNS:
        if name not in columns:
            columns[name] = np.concatenate([getattr(table, name) for table in tables])
    lengths = [len(table) for table in tables]
    labels = sorted({name for table in tables for name in table.labels})
    traits = sorted({name for table in tables for name in table.traits})
    columns["labels"] = {
        name: np.concatenate(
            [t.labels.get(name, np.zeros(n, dtype=np.bool_)) for t, n in zip(tables, lengths, strict=True)]
        )
        for name in labels
    }
    columns["traits"] = {
        name: np.concatenate(
            [t.traits.get(name, np.full((n, 2), np.nan)) for t, n in zip(tables, lengths, strict=True)]
        )
        for name in traits
    }
    return VoteTable(**columns)  # type: ignore[arg-type]


def _recode(table: VoteTable, names_field: str, code_field: str, index: Mapping[str, int]) -> IntColumn:
    old = getattr(table, names_field)
    # The extra last entry maps -1 (unknown) to itself.
    lookup = np.array([index[name] for name in old] + [UNKNOWN], dtype=np.int32)
    codes: IntColumn = lookup[getattr(table, code_field)]
    return codes
