"""The bank: prompts with answers of several models, read from JSON lines, checked, and dealt out to battles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path

from arena.bank import reader
from arena.bank.answer_checks import Leak, LeakFinder, is_empty, is_error
from arena.bank.reader import AnswerRow
from arena.bank.roster import ModelInfo, Roster, name_fault, slug_of
from arena.bank.shares import Pair
from arena.bank.traits import TRAITS, measure
from arena.errors import Problem


@dataclass(frozen=True)
class Prompt:
    """A question that models answered."""

    prompt_id: str
    text: str
    categories: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True)
class Answer:
    """One model's answer to one prompt. There may be several samples of it."""

    prompt_id: str
    model: str
    text: str
    sample: int = 0
    traits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class BankReport:
    """What a check found. `problems` keep an answer from being shown; `warnings` do not."""

    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
    prompts: int
    models: tuple[str, ...]
    answers: int  # that may be shown
    servable: tuple[tuple[str, str, str], ...]  # (prompt id, model, model), models in order of name
    strangers: tuple[str, ...] = ()  # models that the roster does not declare
    leaks: tuple[Problem, ...] = ()  # those of the problems that are identity leaks


@dataclass(frozen=True)
class Bank:
    """Prompts and the answers that may be shown."""

    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    answers: Mapping[tuple[str, str], tuple[Answer, ...]] = field(default_factory=dict)  # (prompt id, model)

    @cached_property
    def models(self) -> tuple[str, ...]:
        return tuple(sorted({model for _, model in self.answers}))

    @cached_property
    def shared(self) -> Mapping[Pair, tuple[str, ...]]:
        """Pairs of models (in order of name) -> ids of the prompts that both answered."""
        answered: dict[str, list[str]] = {}
        for prompt_id, model in self.answers:
            answered.setdefault(prompt_id, []).append(model)
        found: dict[Pair, list[str]] = {}
        for prompt_id, models in answered.items():
            for first, second in combinations(sorted(models), 2):
                found.setdefault((first, second), []).append(prompt_id)
        return {pair: tuple(sorted(prompts)) for pair, prompts in sorted(found.items())}

    @property
    def servable(self) -> tuple[tuple[str, str, str], ...]:
        return tuple((prompt, *pair) for pair, prompts in self.shared.items() for prompt in prompts)

    def only(self, roster: Roster) -> Bank:
        """The bank without the answers of retired models."""
        retired = {model.name for model in roster if not model.served}
        kept = {key: answers for key, answers in self.answers.items() if key[1] not in retired}
        return Bank(self.prompts, kept)


def check(paths: Sequence[Path], roster: Roster | None = None, *, error_patterns: bool = True) -> BankReport:
    """What is wrong with the bank of these files. Reads all of it; raises `BadInput` only if a file cannot be read."""
    return read(paths, roster, error_patterns=error_patterns)[1]


def read(
    paths: Sequence[Path], roster: Roster | None = None, *, error_patterns: bool = True, trusted: bool = False
) -> tuple[Bank, BankReport]:
    """The bank of these files without the answers that must not be shown, and what was found.

    `trusted`: the files were written from a checked bank, so texts are not looked at again (a second for 1,000).
    """
    rows, problems = reader.rows(paths)
    rows, clashes, warnings = _settle(rows)
    problems += clashes
    bad, leaks = ([], []) if trusted else _unfit(rows, _roster(roster, rows), error_patterns)
    unfit = {id(row) for row, _ in (*bad, *leaks)}
    problems += [problem for _, problem in (*bad, *leaks)]
    bank = _bank([row for row in rows if id(row) not in unfit])
    warnings += _holes(bank, rows) + _ignored(rows)
    report = BankReport(
        problems=tuple(sorted(problems, key=lambda problem: (problem.file, problem.line or 0))),
        warnings=tuple(warnings),
        prompts=len({row.prompt_id for row in rows}),
        models=tuple(sorted({row.model for row in rows})),
        answers=sum(map(len, bank.answers.values())),
        servable=bank.servable,
        strangers=_strangers(rows, roster),
        leaks=tuple(problem for _, problem in leaks),
    )
    return bank, report


def _settle(rows: Sequence[AnswerRow]) -> tuple[list[AnswerRow], list[Problem], list[str]]:
    """One row for each (prompt, model, sample), the first; what contradicts it is a problem, never the last word."""
    prompts: dict[str, AnswerRow] = {}
    seen: dict[tuple[str, str, int], AnswerRow] = {}
    kept, problems, equal = [], [], 0
    for row in rows:
        first = prompts.setdefault(row.prompt_id, row)
        if (first.prompt, first.categories, first.language) != (row.prompt, row.categories, row.language):
            problems.append(
                _at(
                    row, "prompt_id", row.prompt_id, f"another prompt than on line {first.line} under this id"
                )
            )
            continue
        fault = name_fault(row.model)
        if fault:
            problems.append(_at(row, "model", row.model, fault))
            continue
        known = seen.setdefault((row.prompt_id, row.model, row.sample), row)
        if known is row:
            kept.append(row)
        elif known.response == row.response:
            equal += 1
        else:
            reason = f"a second, different answer of {row.model!r} to {row.prompt_id!r}; the one on line {known.line} stays"
            problems.append(_at(row, "response", row.response, reason))
    warnings = [f"{equal} rows repeat an earlier one and are left out"] if equal else []
    return kept, problems, warnings


def _unfit(
    rows: Sequence[AnswerRow], roster: Roster, error_patterns: bool
) -> tuple[list[tuple[AnswerRow, Problem]], list[tuple[AnswerRow, Problem]]]:
    finder = LeakFinder(roster)
    bad, leaks = [], []
    for row in rows:
        if is_empty(row.prompt):
            bad.append((row, _at(row, "prompt", row.prompt, "is empty")))
        elif is_empty(row.response):
            bad.append((row, _at(row, "response", row.response, "empty_response: nothing to read")))
        elif error_patterns and is_error(row.response):
            bad.append((row, _at(row, "response", row.response, "error_response: a provider's error text")))
        else:
            leak = finder.find(row.response, row.prompt)
            if leak:
                leaks.append((row, _at(row, "response", leak.shown, f"identity_leak: {_names(leak, row)}")))
    return bad, leaks


def _names(leak: Leak, row: AnswerRow) -> str:
    if leak.model is None:
        return "says which assistant or whose it is"
    return "names its own model" if leak.model == row.model else f"names the model {leak.model!r}"


def _bank(rows: Iterable[AnswerRow]) -> Bank:
    prompts: dict[str, Prompt] = {}
    answers: dict[tuple[str, str], list[Answer]] = {}
    for row in rows:
        prompts.setdefault(row.prompt_id, Prompt(row.prompt_id, row.prompt, row.categories, row.language))
        # Traits that an older version measured may be others than ours.
        known = row.traits is not None and row.traits.keys() == TRAITS.keys()
        traits = dict(row.traits) if row.traits and known else measure(row.response)
        answer = Answer(row.prompt_id, row.model, row.response, row.sample, traits)
        answers.setdefault((row.prompt_id, row.model), []).append(answer)
    return Bank(prompts, {key: tuple(value) for key, value in answers.items()})


def _holes(bank: Bank, rows: Sequence[AnswerRow]) -> list[str]:
    """Prompts that nobody can be shown, and models that miss prompts."""
    answered: dict[str, set[str]] = {row.prompt_id: set() for row in rows}
    for prompt_id, model in bank.answers:
        answered[prompt_id].add(model)
    models = {row.model for row in rows}
    warnings = [
        f"prompt {prompt_id!r} cannot be shown: {len(found)} usable answers"
        for prompt_id, found in answered.items()
        if len(found) < 2
    ]
    for model in sorted(models):
        missing = sum(model not in found for found in answered.values())
        if missing:
            warnings.append(f"model {model!r} has no usable answer to {missing} of {len(answered)} prompts")
    return warnings


def _strangers(rows: Sequence[AnswerRow], roster: Roster | None) -> tuple[str, ...]:
    return () if roster is None else tuple(sorted({row.model for row in rows} - set(roster.by_name)))


def _ignored(rows: Sequence[AnswerRow]) -> list[str]:
    names = sorted({name for row in rows for name in row.ignored})
    return [f"fields ignored: {', '.join(names)}"] if names else []


def _roster(roster: Roster | None, rows: Sequence[AnswerRow]) -> Roster:
    """The roster, with the models of the bank that it does not declare."""
    declared = roster or Roster()
    names = sorted({row.model for row in rows} - set(declared.by_name))
    return Roster((*declared, *(ModelInfo(name, slug_of(name)) for name in names)))


def _at(row: AnswerRow, column: str, value: str, reason: str) -> Problem:
    return Problem(row.file, reason, row=row.number, line=row.line, column=column, value=value)
