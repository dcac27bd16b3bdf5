"""The roster: which models take part, who provides them, and what may be said of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from arena.errors import BadInput, Problem
from arena.settings import bounds

Status = Literal["active", "retired", "private"]
# active: in battles and named. retired: in no new battle; its votes and its place in every fit stay.
# private: in battles, but no visitor ever reads its name: reveals say "a private model", public exports leave its
# votes out (and count them) until `models publish`. How many a provider tries in private stands in the ledger.
FIELDS = ("name", "slug", "provider", "licence", "status", "aliases", "variant_of")


@dataclass(frozen=True)
class ModelInfo:
    """One model as its owner declares it."""

    name: str
    slug: str  # its part of an address
    provider: str | None = None
    licence: str | None = None
    status: Status = "active"
    aliases: tuple[str, ...] = ()
    variant_of: str | None = None  # the model that it is a variant of

    @property
    def served(self) -> bool:
        """Does it take part in new battles?"""
        return self.status != "retired"


@dataclass(frozen=True)
class Roster:
    """All declared models, in order of declaration."""

    models: tuple[ModelInfo, ...] = ()

    def __iter__(self) -> Iterator[ModelInfo]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    @cached_property
    def by_name(self) -> Mapping[str, ModelInfo]:
        return {model.name: model for model in self.models}

    @cached_property
    def by_slug(self) -> Mapping[str, ModelInfo]:
        return {model.slug: model for model in self.models}

    def get(self, name: str) -> ModelInfo | None:
        return self.by_name.get(name)

    @cached_property
    def hidden(self) -> frozenset[str]:
        """Names that no visitor may read."""
        return frozenset(model.name for model in self.models if model.status == "private")

    @classmethod
    def load(cls, path: Path) -> Roster:
        """The roster of a models.toml. Raises `BadInput` with every problem of the file."""
        return cls.of(bounds.read_toml(path), str(path))

    @classmethod
    def of(cls, content: Mapping[str, Any], file: str) -> Roster:
        """The roster of a parsed models.toml."""
        problems = [
            Problem(file, "unknown table; a roster holds [[model]] only", value=key)
            for key in content
            if key != "model"
        ]
        rows = content.get("model", [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadInput(f"{file}: write each model as a [[model]] table")
        models = []
        for number, row in enumerate(rows, 1):
            faults = list(_faults(row, file, number))
            problems += faults
            if not faults:
                models.append(_model(row))
        problems += _clashes(models, file)
        if problems:
            raise BadInput(f"{file}: {len(problems)} problems in the roster", problems)
        return cls(tuple(models))


def name_fault(name: str) -> str | None:
    """Why `name` cannot name a model; None when it can.

    A name is kept exactly as written, so it must look like what it is: NFC, no control, direction or invisible
    character, no space at an end, at most 120 characters.
    """
    if not name:
        return "is empty"
    if len(name) > 120:
        return f"has {len(name)} characters; 120 is the most"
    for character in name:
        category = unicodedata.category(character)
        if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            return f"holds U+{ord(character):04X}, a control or invisible character"
    if name != name.strip():
        return "starts or ends with white space"
    if unicodedata.normalize("NFC", name) != name:
        return "is not in Unicode's composed form (NFC)"
    return None


def slug_of(name: str) -> str:
    """An address part for `name`: lower-case ASCII letters, digits, dots and hyphens."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9.]+", "-", folded).strip("-.") or "model"


def _faults(row: Mapping[str, Any], file: str, number: int) -> Iterator[Problem]:
    for key, value in row.items():
        if key not in FIELDS:
            yield Problem(file, f"unknown field; known: {', '.join(FIELDS)}", row=number, column=key)
        elif key == "aliases":
            if not isinstance(value, list) or not all(isinstance(alias, str) for alias in value):
                yield Problem(file, "must be a list of strings", row=number, column=key)
        elif not isinstance(value, str):
            yield Problem(file, "must be a string", row=number, column=key, value=str(value))
    name = row.get("name")
    if not isinstance(name, str):
        yield Problem(file, "every model needs a name", row=number, column="name")
        return
    names = [("name", name)]
    if isinstance(row.get("aliases"), list):
        names += [("aliases", alias) for alias in row["aliases"] if isinstance(alias, str)]
    for column, text in names:
        fault = name_fault(text)
        if fault:
            yield Problem(file, fault, row=number, column=column, value=text)
    status = row.get("status", "active")
    if status not in get_args(Status):
        yield Problem(
            file,
            f"must be one of {', '.join(get_args(Status))}",
            row=number,
            column="status",
            value=str(status),
        )
    slug = row.get("slug", "x")
    if isinstance(slug, str) and not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", slug):
        yield Problem(file, "may hold a-z, 0-9, dot and hyphen only", row=number, column="slug", value=slug)


def _model(row: Mapping[str, Any]) -> ModelInfo:
    return ModelInfo(
        name=row["name"],
        slug=row.get("slug") or slug_of(row["name"]),
        provider=row.get("provider"),
        licence=row.get("licence"),
        status=row.get("status", "active"),
        aliases=tuple(row.get("aliases", ())),
        variant_of=row.get("variant_of"),
    )


def _clashes(models: Iterable[ModelInfo], file: str) -> Iterator[Problem]:
    """Two models with one name, alias or slug; variants of nothing."""
    owners: dict[str, str] = {}
    slugs: dict[str, str] = {}
    models = list(models)
    for number, model in enumerate(models, 1):
        for name in (model.name, *model.aliases):
            if name in owners:
                yield Problem(file, f"already names {owners[name]!r}", row=number, column="name", value=name)
            owners[name] = model.name
        if model.slug in slugs:
            yield Problem(
                file,
                f"already the slug of {slugs[model.slug]!r}",
                row=number,
                column="slug",
                value=model.slug,
            )
        slugs[model.slug] = model.name
    names = {model.name for model in models}
    for number, model in enumerate(models, 1):
        if model.variant_of is not None and (model.variant_of not in names or model.variant_of == model.name):
            yield Problem(
                file,
                "is no other model of this roster",
                row=number,
                column="variant_of",
                value=model.variant_of,
            )
