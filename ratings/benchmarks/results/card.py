"""The benchmark card: what one must know to read a score, as TOML, and the questions that it leaves open."""

from __future__ import annotations

import datetime
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from arena.errors import BadInput, Problem

OPEN = "open"  # `options` of a benchmark with free answers


@dataclass(frozen=True)
class Card:
    """What is known of a benchmark and of the runs on it. Only `name` is needed; None and () are open questions."""

    name: str
    version: str | None = None  # of the data set: tag, date or commit
    released: str | None = None  # ISO date on which the items became public
    subset: str | None = None  # which items were run: all, a split, a filter
    claim: str | None = None  # what a high score is said to show
    harness: str | None = None  # code around the model, with its version
    prompting: str | None = None  # template, examples, system prompt
    decoding: str | None = None  # temperature, reasoning effort, sampling
    budget: str | None = None  # steps, tokens, minutes, money per item
    infrastructure: str | None = None  # CPU, memory, time limits, parallel runs
    attempts: int | None = None  # answers sampled per item
    tries: int | None = None  # configurations tried before this one was reported, private ones too
    grader: str | None = None  # exact match, unit tests, a judge model
    grader_checked: str | None = None  # how the grader itself was validated
    exposure: str | None = None  # public, gated or private; could it be in training data
    run_by: str | None = None  # the model's maker, the benchmark's, or a third party
    label_error_rate: float | None = None  # share of items with a wrong key
    options: float | None = None  # answers to choose from; infinity for free answers ("open")
    human: float | None = None  # score of people, a share
    human_source: str | None = None
    known_flaws: tuple[str, ...] = ()
    not_validated: tuple[str, ...] = ()
    citation: str | None = None
    licence: str | None = None

    @property
    def ceiling(self) -> float | None:
        """1 - label_error_rate."""
        return None if self.label_error_rate is None else 1 - self.label_error_rate

    @property
    def floor(self) -> float | None:
        """Score of blind guessing, 1/options."""
        return None if self.options is None else 1 / self.options


QUESTIONS: Mapping[str, str] = {
    "version": "Which version of the items is it?",
    "released": "Since when have the items been public?",
    "subset": "Which of the items were run?",
    "claim": "What does a high score claim to show, and what supports that?",
    "harness": "Which harness, in which version, stands between the model and the items?",
    "prompting": "How was the model prompted?",
    "decoding": "With which decoding settings and reasoning effort?",
    "budget": "What could one item cost in steps, tokens and time?",
    "infrastructure": "On what machines, with what limits, and how are their failures counted?",
    "attempts": "How many answers per item, and is it the first, the best or all that counts?",
    "tries": "How many runs and variants were made before this one was reported?",
    "grader": "Who or what decides that an answer is right?",
    "grader_checked": "How was the grader checked?",
    "exposure": "Can the items or their answers be in the training data?",
    "run_by": "Who ran it?",
    "label_error_rate": "What share of the keys is wrong?",
    "options": "What would guessing score?",
    "human": "What do people score?",
    "known_flaws": "Which flaws are known?",
    "not_validated": "What was never checked?",
    "citation": "How is this version cited?",
}


@dataclass(frozen=True)
class CardAnswer:
    """One question of the reading checklist; `answer` None where the card is silent."""

    key: str
    question: str
    answer: str | None


@dataclass(frozen=True)
class Checklist:
    """The questions a careful reader asks, answered from the card."""

    name: str
    answers: tuple[CardAnswer, ...] = field(default=())

    @property
    def missing(self) -> tuple[CardAnswer, ...]:
        return tuple(answer for answer in self.answers if answer.answer is None)

    def __str__(self) -> str:
        known, total = len(self.answers) - len(self.missing), len(self.answers)
        lines = [f"{self.name}: {known} of {total} questions answered"]
        return "\n".join(lines + [f"  open: {answer.question} ({answer.key})" for answer in self.missing])


def checklist(card: Card) -> Checklist:
    """What the card answers and, above all, what it does not: a missing answer is information too."""
    answers = [CardAnswer(key, question, _shown(getattr(card, key))) for key, question in QUESTIONS.items()]
    return Checklist(card.name, tuple(answers))


def read_card(text: str, source: str = "card") -> Card:
    """The card in a TOML text. Raises `BadInput` for broken TOML, unknown keys and values of the wrong kind or range."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{source}: not TOML: {error}") from None
    problems = [problem for key, value in table.items() if (problem := _problem(source, key, value))]
    if "name" not in table:
        problems.append(Problem(source, "no name", column="name"))
    if problems:
        raise BadInput(f"{source}: {len(problems)} faults; first: {problems[0]}", problems)
    return Card(**{key: _value(key, value) for key, value in table.items()})


def template(name: str) -> str:
    """An empty card to fill in: every key with its question, commented out."""
    lines = [f"name = {_quoted(name)}", ""]
    for key, question in QUESTIONS.items():
        lines += [f"# {question}", f"# {key} = {EXAMPLES.get(key, _quoted(''))}", ""]
    return "\n".join(lines)


EXAMPLES = {
    "released": "2025-01-31", "attempts": "1", "tries": "1", "label_error_rate": "0.02", "options": '4  # or "open"',
    "human": "0.9", "known_flaws": "[]", "not_validated": "[]",
}  # fmt: skip
LISTS = ("known_flaws", "not_validated")
COUNTS = ("attempts", "tries")
SHARES = ("label_error_rate", "human")
KEYS = tuple(each.name for each in fields(Card))


def _problem(source: str, key: str, value: Any) -> Problem | None:
    reason = f"unknown key; known: {', '.join(KEYS)}" if key not in KEYS else _fault(key, value)
    return None if reason is None else Problem(source, reason, column=key, value=str(value))


def _fault(key: str, value: Any) -> str | None:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    if key in LISTS:
        fine = isinstance(value, list) and all(isinstance(part, str) for part in value)
        return None if fine else "not a list of texts"
    if key in COUNTS:
        return None if numeric and isinstance(value, int) and value >= 1 else "not a whole number from 1"
    if key in SHARES:
        return None if numeric and 0 <= value <= 1 else "not a share from 0 to 1"
    if key == "options":
        return (
            None
            if value == OPEN or (numeric and isinstance(value, int) and value >= 2)
            else 'neither "open" nor 2 or more'
        )
    if key == "released":
        return None if _is_date(value) else "not a date such as 2025-01-31"
    return None if isinstance(value, str) and (value.strip() or key != "name") else "not a text"


def _value(key: str, value: Any) -> Any:
    if key in LISTS:
        return tuple(value)
    if key == "options":
        return math.inf if value == OPEN else float(value)
    if key == "released":
        return value.isoformat() if isinstance(value, datetime.date) else value
    if isinstance(value, str):
        return value.strip() or None
    return value


def _is_date(value: Any) -> bool:
    if isinstance(value, datetime.date):
        return True
    try:
        datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def _shown(value: Any) -> str | None:
    if value is None or value == ():
        return None
    if isinstance(value, tuple):
        return "; ".join(value)
    if isinstance(value, float):
        return OPEN if math.isinf(value) else f"{value:g}"
    return str(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
