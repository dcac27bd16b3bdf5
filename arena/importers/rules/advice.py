"""What to do with a table that is no vote table as it is: the line that a refusal ends with."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from arena.importers.rules.pairs import FIXED, Pair, mirrored

TEXTS_ALONE = "chosen and rejected answers without the models that wrote them cannot rank models"
RANKED = "more than two answers are ranked at once: write a row (model_a, model_b, winner) for each pair"
# Columns that tell a known kind of file which holds no pairwise votes between models.
KINDS: Sequence[tuple[frozenset[str], str]] = (
    (frozenset({"chosen", "rejected"}), TEXTS_ALONE),
    (frozenset({"human_ref_a", "human_ref_b"}), TEXTS_ALONE),
    (frozenset({"ranking"}), RANKED),
    (frozenset({"rankings"}), RANKED),
    (frozenset({"answers"}), RANKED),
    (frozenset({"message_id", "parent_id"}), "messages of a tree, which name no models"),
    (frozenset({"conversations"}), "conversations hold no votes"),
    (frozenset({"prompt", "response_a", "response_b"}), "answers hold no votes, and here no models either"),
)
MODELS = frozenset(
    {"model", "player", "team", "item", "name", "system", "candidate", "engine", "model_name", "llm"}
)
RESULTS = (
    "winner", "result", "outcome", "vote", "preference", "verdict", "choice", "label", "judgment", "judgement", "ftr",
    "score", "chosen",
)  # fmt: skip
PLAIN = (
    "a vote table has the columns model_a, model_b and winner; others are named by --columns NAME=model_a,..."
)
ONE_COLUMN = "there is one column only: the first line must name the columns, with a delimiter between them"


def advice(columns: Sequence[str]) -> str:
    """One line for a file that fits no format."""
    if len(columns) == 1 and columns[0] not in ("conversations", "ranking"):
        return ONE_COLUMN
    near = renaming(columns)
    if near:
        return near
    names = {_plain(column) for column in columns}
    return next((why for needs, why in KINDS if needs <= names), PLAIN)


def renaming(columns: Sequence[str]) -> str:
    """The `--columns` that would make it a vote table; empty if no columns look like two models and who won."""
    plain = {_plain(column): column for column in columns}
    models = _models(plain)
    result = next((name for name in RESULTS if name in plain), None)
    if models is None or result is None:
        return ""
    sides = zip((*models, result), ("model_a", "model_b", "winner"), strict=True)
    said = ",".join(f"{plain[theirs]}={ours}" for theirs, ours in sides if plain[theirs] != ours)
    return f'if they say so, read them by --columns "{said}" (and other words for who won by --outcomes)'


def _models(names: Collection[str]) -> Pair | None:
    found = [pair for what, pair in mirrored(sorted(names)) if what in MODELS]
    return next(iter([*found, *(pair for pair in FIXED if set(pair) <= set(names))]), None)


def _plain(column: str) -> str:
    """`HomeTeam`, `Home Team` and `home-team` are home_team."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column)
    return re.sub(r"[^a-z0-9]+", "_", apart.casefold()).strip("_")
