"""Which of the arena's prompts are items of the benchmark, and how many votes were cast on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from arena.votes import UNKNOWN, VoteTable
from ratings.benchmarks.methods.contamination import PromptHit, items_among_prompts

THRESHOLD = 0.5  # of the n-grams of the shorter text
WORDS = 8  # questions are short: thirteen words in a row, as for corpora, would leave many too short to judge


@dataclass(frozen=True)
class SharedTexts:
    """Prompts that repeat an item: a vote on one may reward a remembered answer, and counts the item on both sides."""

    prompts: int  # looked at
    items: int
    words: int  # in a row that make a match
    threshold: float
    hits: tuple[PromptHit, ...]
    votes: int | None  # cast on these prompts; None: the votes do not name prompts
    votes_known: int | None  # that name a prompt


def shared_texts(
    prompts: Mapping[str, str], items: Mapping[str, str], table: VoteTable | None = None
) -> SharedTexts:
    """`prompts` and `items` are id -> text; the votes of `table` name prompts by the same ids."""
    hits = items_among_prompts(prompts, items, WORDS, THRESHOLD)
    named = None if table is None else table.prompt[table.used] != UNKNOWN
    if table is None or named is None or not named.any():
        return SharedTexts(len(prompts), len(items), WORDS, THRESHOLD, hits, None, None)
    count, prompt = table.count[table.used], table.prompt[table.used]
    shared = {hit.prompt for hit in hits}
    codes = [code for code, name in enumerate(table.prompts) if name in shared]
    return SharedTexts(
        len(prompts), len(items), WORDS, THRESHOLD, hits,
        int(count[np.isin(prompt, codes)].sum()), int(count[named].sum()),
    )  # fmt: skip
