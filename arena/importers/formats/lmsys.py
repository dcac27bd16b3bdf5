"""What LMSYS and LMArena published as tables: conversation rows, one-hot rows, the 140k table, search, preference sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import QUESTION, Layout, battle
from arena.importers.formats.registry import Sample, reader
from arena.importers.rules.checks import NO_OUTCOME, Checks
from arena.importers.rules.conversations import structure, text_id, words
from arena.importers.values.values import NotVote, Reject, boolean
from arena.votes import Outcome, Vote

LMSYS = Layout(
    vote_id=("battle_id", "vote_id", QUESTION),
    voter=("judge", "judge_hash", "session_id"),
    category=("category_tag", "category"),
    code="is_code",
    dedup="dedup_tag",
)
PREFERENCES = replace(LMSYS, responses=("response_1", "response_2"))
NEW = replace(
    LMSYS,
    vote_id=("id",),
    voter=("evaluation_session_id",),
    category=("category_tag", "category", "occupational_tags"),
)
SEARCH = Layout(
    vote_id=(QUESTION, "id"),
    voter=("judge",),
    language=("languages", "language"),
    category=("primary_intent",),
    talks=("messages_a", "messages_b"),
    null_outcome="not a vote",
)
ONE_HOT = Layout(vote_id=("id",), at=(), voter=(), prompt=(), language=(), category=())
HOT = {"winner_model_a": Outcome.A, "winner_model_b": Outcome.B, "winner_tie": Outcome.TIE}


def _has_conversation(columns: Sequence[str], sample: Sample) -> bool:
    return bool(
        {
            "conversation_a",
            "conv_metadata",
            "anony",
            "judge_hash",
            "category_tag",
            "is_code",
            "dedup_tag",
        }.intersection(columns)
    )


@reader(
    "lmsys",
    "LMSYS conversation rows: chatbot_arena_conversations (33k), 100k, clean_battle output",
    ("question_id", "model_a", "model_b", "winner"),
    fits=_has_conversation,
)
def lmsys(row: Row, checks: Checks) -> Iterator[Vote]:
    yield battle(row, checks, LMSYS)


@reader(
    "lmsys_preference",
    "PPE human preference rows: response_1 and response_2",
    ("question_id", "model_a", "model_b", "winner", "response_1", "response_2"),
)
def lmsys_preference(row: Row, checks: Checks) -> Iterator[Vote]:
    """The prompt column is a text: it is kept as its hash, like every text."""
    yield battle(row, checks, PREFERENCES)


@reader(
    "lmsys_140k",
    "LMArena 140k and expert rows: evaluation sessions, content in parts",
    ("id", "model_a", "model_b", "winner", "evaluation_session_id"),
)
def lmsys_140k(row: Row, checks: Checks) -> Iterator[Vote]:
    """The session is the voter: its battles belong together."""
    yield battle(row, checks, NEW)


@reader(
    "search_arena",
    "search-arena rows; a conversation without vote has no winner",
    ("model_a", "model_b", "winner", "messages_a", "messages_b"),
)
def search_arena(row: Row, checks: Checks) -> Iterator[Vote]:
    yield battle(row, checks, SEARCH)


@reader(
    "lmsys_55k",
    "arena-human-preference-55k and Kaggle's train.csv: three 0/1 columns",
    ("id", "model_a", "model_b", *HOT),
)
def lmsys_55k(row: Row, checks: Checks) -> Iterator[Vote]:
    """Exactly one of the three columns is 1. Both-bad votes were folded into the ties before the release."""
    names = checks.pair(row.get("model_a"), row.get("model_b"))
    hot = [outcome for column, outcome in HOT.items() if boolean(row.get(column), column)]
    if not hot and checks.blank_is_none:
        checks.named.update(names)
        raise NotVote(NO_OUTCOME)
    if len(hot) != 1:
        shown = ", ".join(f"{column}={row.get(column)}" for column in HOT)
        raise Reject(None, shown, "exactly one of the three winner columns must be 1")
    vote = battle(row, checks, ONE_HOT, hot[0])
    asked = structure(row.get("prompt"))
    yield replace(
        vote, prompt=text_id("\n".join(map(words, asked)) if isinstance(asked, list) else words(asked))
    )
