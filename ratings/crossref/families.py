"""Families of models: whose children are not independent witnesses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

RULE = "the letters with which a model's own name begins, its owner left out (llama-2-7b-chat and org/Llama-3 are both llama)"


def by_prefix(names: Sequence[str]) -> dict[str, str]:
    """name -> family, by `RULE`; a name without letters in front is its own family."""
    return {name: _prefix(name) for name in names}


def complete(names: Sequence[str], declared: Mapping[str, str] | None) -> tuple[dict[str, str], str]:
    """The families of `names` with the rule that made them: as declared, by prefix where nothing is declared.

    A model that a declaration leaves out is its own family.
    """
    if declared is None:
        return by_prefix(names), RULE
    return {name: declared.get(name, name) for name in names}, "as declared; undeclared models alone"


def _prefix(name: str) -> str:
    own = name.rsplit("/", 1)[-1]
    found = re.match(r"[^\W\d_]+", own)
    return found.group().casefold() if found else own
