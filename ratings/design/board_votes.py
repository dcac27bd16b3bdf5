"""The votes that belong to a board: those that its filters let in, whether or not they count."""

from __future__ import annotations

import numpy as np

from arena.votes import VoteTable
from ratings.leaderboard import Plan


def votes_of(table: VoteTable, plan: Plan) -> VoteTable:
    """`table` without the votes of another category, language or time than `plan` asks for."""
    inside = np.ones(len(table), dtype=np.bool_)
    if plan.category is not None:
        inside &= table.labels.get(plan.category, np.zeros(len(table), dtype=np.bool_))
    if plan.language is not None:
        codes = [code for code, name in enumerate(table.languages) if name == plan.language]
        inside &= np.isin(table.language, codes)
    # A vote without a time is in no window.
    if plan.since is not None:
        inside &= table.at >= plan.since
    if plan.until is not None:
        inside &= table.at < plan.until
    return table if inside.all() else table.take(inside)
