"""What LMSYS published: conversation rows (33k, 100k, clean_battle output), the 55k one-hot table, the 140k table."""

from __future__ import annotations

from collections.abc import Iterator

from arena.importers.battle_rows import Layout, battle
from arena.importers.checks import Checks
from arena.importers.formats import Sample, reader
from arena.importers.rows import Row
from arena.votes import Vote

LMSYS = Layout(
    vote_id=("question_id", "battle_id"),
    voter=("judge", "judge_hash", "session_id"),
    category=("category_tag", "category"),
)


def _has_conversation(sample: Sample) -> bool:
    marks = {"conversation_a", "conv_metadata", "anony", "judge_hash"}
    return any(marks & set(values) for values in sample)


@reader(
    "lmsys",
    "LMSYS conversation rows: chatbot_arena_conversations (33k), 100k, clean_battle output",
    ("question_id", "model_a", "model_b", "winner"),
    fits=_has_conversation,
)
def lmsys(row: Row, checks: Checks) -> Iterator[Vote]:
    yield battle(row, checks, LMSYS)
