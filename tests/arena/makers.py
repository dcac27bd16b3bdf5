"""Small banks and arenas for tests."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arena.bank.bank import Answer, Bank, Prompt
from arena.bank.roster import ModelInfo, Roster
from arena.bank.traits import measure
from arena.service import Arena, Quotas
from arena.store.store import Store

MODELS = ("heron-7b", "osprey", "wren-mini")


@dataclass(frozen=True)
class Says:
    """A verifier that always says the same."""

    state: str

    def check(self, answer: str, battle_id: str) -> str:
        return self.state


def make_bank(models: Iterable[str] = MODELS, prompts: int = 2) -> Bank:
    """Every model answers every prompt, in its own words but without its name."""
    questions = {f"p{i}": Prompt(f"p{i}", f"Question {i}?", ("short",), "en") for i in range(prompts)}
    answers = {}
    for prompt_id in questions:
        for number, model in enumerate(models):
            text = f"# Answer {prompt_id}\n" + "word " * (number + 1)
            answers[prompt_id, model] = (Answer(prompt_id, model, text, 0, measure(text)),)
    return Bank(questions, answers)


def make_arena(
    store: Store,
    bank: Bank | None = None,
    roster: Roster | None = None,
    *,
    clock: Callable[[], float],
    quotas: Quotas | None = None,
    seed: int = 7,
) -> Arena:
    """An arena on `store` with a fixed clock and seeded draws."""
    return Arena(
        store,
        bank or make_bank(),
        roster or Roster(tuple(ModelInfo(name, name) for name in MODELS)),
        clock=clock,
        quotas=quotas,
        rng=random.Random(seed),
    )
