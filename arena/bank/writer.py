"""The bank's own files: a checked bank and a roster, written whole, the bank before kept beside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bank.bank import Bank, BankReport, read
from arena.bank.catalogue import BANK_FILE
from arena.bank.roster import ModelInfo, Roster, slug_of
from arena.errors import BadInput
from arena.settings import atomic

BEFORE = f"{BANK_FILE}.old"  # the bank that the one in use replaced


def load(
    files: Sequence[Path], roster: Roster, *, skip_bad: bool, error_patterns: bool = True
) -> tuple[Bank, BankReport]:
    """The bank of `files`, and what was found. Raises `BadInput` with all problems unless `skip_bad`."""
    bank, report = read(files, roster, error_patterns=error_patterns)
    if report.problems and not skip_bad:
        raise BadInput(
            f"{len(report.problems)} rows cannot be shown; nothing is kept (--skip-bad leaves them out)",
            report.problems,
        )
    if not report.servable:
        raise BadInput("no prompt has usable answers of two models; nothing is kept", report.problems)
    return bank, report


def joined(declared: Roster, kept: Roster) -> Roster:
    """The models of `declared`, then those of `kept` whose names and slugs are free."""
    names = {name for model in declared for name in (model.name, *model.aliases)}
    more = [model for model in kept if not names & {model.name, *model.aliases}]
    taken = set(declared.by_slug)
    found = list(declared)
    for model in more:
        slug = free_slug(model.slug, taken)
        taken.add(slug)
        found.append(replace(model, slug=slug))
    return Roster(tuple(found))


def settled(roster: Roster, declared: Roster, answering: Iterable[str], voted: Iterable[str]) -> Roster:
    """The roster once a new bank is in place.

    Models of the bank are declared, new ones as active. A model that the new files neither declare nor hold answers
    of is retired if it has votes (they keep a provider and a licence), private ones stay private, others leave.
    """
    answering, voted = set(answering), set(voted)
    found = []
    for model in roster:
        if model.name in answering or model.name in declared.by_name or model.status == "private":
            found.append(model)
        elif model.name in voted:
            found.append(replace(model, status="retired"))
    taken = {model.slug for model in found}
    for name in sorted(answering - {model.name for model in found}):
        slug = free_slug(slug_of(name), taken)
        taken.add(slug)
        found.append(ModelInfo(name, slug))
    names = {model.name for model in found}
    return Roster(tuple(m if m.variant_of in names else replace(m, variant_of=None) for m in found))


def free_slug(slug: str, taken: Iterable[str]) -> str:
    """`slug`, with a number behind it if another model has it."""
    used = set(taken)
    number, found = 2, slug
    while found in used:
        found, number = f"{slug}-{number}", number + 1
    return found


def write_bank(folder: Path, bank: Bank) -> None:
    """Put `bank` in place of the one in `folder`, which stays beside it as `BEFORE`."""
    lines = []
    for (prompt_id, model), answers in sorted(bank.answers.items()):
        prompt = bank.prompts[prompt_id]
        for answer in answers:
            row: dict[str, object] = {
                "prompt_id": prompt_id,
                "prompt": prompt.text,
                "model": model,
                "response": answer.text,
                "sample": answer.sample,
                "category": list(prompt.categories),
                "language": prompt.language,
                "traits": dict(answer.traits),
            }
            lines.append(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
    write(folder / BANK_FILE, "".join(lines), keep_old=True)


def write(path: Path, text: str, *, keep_old: bool = False) -> None:
    """Put a file in place, whole and on the disk."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if keep_old and path.exists():
        old = path.with_name(f"{path.name}.old")
        old.unlink(missing_ok=True)
        os.link(path, old)
    atomic.write(path, text.encode("utf-8"))


def roster_text(roster: Roster, head: str = "") -> str:
    """The roster as TOML, below the comment `head`."""
    return head + "\n".join(_table(model) for model in roster)


def head_of(text: str) -> str:
    """The comment at the top of a roster, which a rewrite keeps."""
    lines = []
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.startswith("#"):
            break
        lines.append(line)
    return "".join(lines).rstrip("\n") + "\n\n" if any(line.strip() for line in lines) else ""


def write_roster(path: Path, roster: Roster) -> None:
    """Put `roster` in place of the file; its comment at the top stays. Raises `BadInput` for one that cannot be read back."""
    head = head_of(path.read_text(encoding="utf-8-sig")) if path.exists() else ""
    Roster.of({"model": [_row(model) for model in roster]}, path.name)
    write(path, roster_text(roster, head))


def changed(roster: Roster, name: str, **values: object) -> Roster:
    """The roster with fields of one model changed. Raises `BadInput` when there is no such model."""
    if name not in roster.by_name:
        raise BadInput(f"there is no model {name!r} in the roster")
    return Roster(tuple(replace(model, **values) if model.name == name else model for model in roster))  # type: ignore[arg-type]


def _row(model: ModelInfo) -> Mapping[str, object]:
    values: dict[str, object] = {"name": model.name, "slug": model.slug}
    for field in ("provider", "licence"):
        if getattr(model, field) is not None:
            values[field] = getattr(model, field)
    values["status"] = model.status
    if model.aliases:
        values["aliases"] = list(model.aliases)
    if model.variant_of is not None:
        values["variant_of"] = model.variant_of
    return values


def _table(model: ModelInfo) -> str:
    # A JSON string or list of strings is one of TOML too, as long as DEL is escaped.
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")
        for key, value in _row(model).items()
    ]
    return "\n".join(["[[model]]", *lines]) + "\n"
