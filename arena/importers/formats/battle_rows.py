"""The shape most formats share: one record, two named models, one outcome word; which columns hold what."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena.importers.files.rows import Row
from arena.importers.rules.checks import NO_OUTCOME, Checks
from arena.importers.rules.conversations import Talk, prompt_id, response, structure, talk, text_id
from arena.importers.rules.response_errors import fault
from arena.importers.values.values import (
    NotVote,
    Reject,
    boolean,
    count,
    decimal,
    identifier,
    is_missing,
    text,
    weight,
)
from arena.votes import Outcome, Vote

QUESTION = "question_id"
WEIGHED = "votes count by the column weight"


@dataclass(frozen=True)
class Layout:
    """Columns of a format: of each list of names the first present is used, of categories all."""

    vote_id: tuple[str, ...] = ("battle_id", "vote_id", QUESTION)
    at: tuple[str, ...] = ("tstamp", "timestamp")
    voter: tuple[str, ...] = ("session_id", "judge", "worker", "voter")
    prompt: tuple[str, ...] = ("prompt_id", "prompt")
    language: tuple[str, ...] = ("language",)
    category: tuple[str, ...] = ("category", "categories", "category_tag")  # all that are present
    talks: tuple[str, str] = ("conversation_a", "conversation_b")
    responses: tuple[str, str] = ("response_a", "response_b")
    metadata: str = "conv_metadata"
    blind: str = "anony"  # false or null: the voter saw the names
    code: str = ""  # true: the conversation is about code, a category of its own
    dedup: str = ""  # {sampled: false}: a prompt sent again and again, left out by who published it
    outcome: str = "winner"
    null_outcome: Literal["rejected", "not a vote"] = "rejected"

    @property
    def by_row(self) -> frozenset[str]:
        """Columns that only rules for one record can read."""
        return frozenset({*self.talks, *self.responses, self.metadata})

    def prompt_columns(self, present: Collection[str]) -> tuple[str, ...]:
        """Columns of the prompt; beside an id of the vote, `question_id` is the prompt's."""
        others = {name for name in self.vote_id if name != QUESTION}
        is_prompt = QUESTION in self.vote_id and not others.isdisjoint(present)
        return (*self.prompt, QUESTION) if is_prompt else self.prompt


GENERIC = Layout()


def battle(row: Row, checks: Checks, layout: Layout, outcome: Outcome | None = None) -> Vote:
    """The vote of one record; `outcome` when the format says it otherwise than by a word."""
    names = checks.pair(row.get("model_a"), row.get("model_b"))
    return vote_of(
        row, checks, layout, names, outcome_of(row, checks, layout, names) if outcome is None else outcome
    )


def outcome_of(row: Row, checks: Checks, layout: Layout, names: tuple[str, str]) -> Outcome:
    try:
        return outcome_value(row.get(layout.outcome), checks, layout, names)
    except NotVote:
        checks.named.update(names)  # a model that only such records name is still a model of the input
        raise


def outcome_value(value: Any, checks: Checks, layout: Layout, names: Collection[str]) -> Outcome:
    """`names`: the pair, or where words are judged apart from their rows, all models met."""
    if is_missing(value) and layout.null_outcome == "not a vote":
        raise NotVote(NO_OUTCOME)
    return checks.outcome(value, layout.outcome, names)


def vote_of(row: Row, checks: Checks, layout: Layout, names: tuple[str, str], outcome: Outcome) -> Vote:
    """All else that a record says of its vote."""
    talks = talks_of(row, layout)
    return Vote(
        vote_id=id_of(row, layout, checks),
        model_a=names[0],
        model_b=names[1],
        outcome=outcome,
        at=_time(row, checks, layout.at),
        voter=voter_of(row, layout.voter),
        prompt=prompt_of(row, layout, talks),
        language=_language(row, checks, layout),
        categories=categories_of(row, layout),
        traits=traits_of(row, layout, talks),
        reason=reason_of(row, layout, names, talks),
        count=count_of(row),
        weight=weight_of(row, checks),
    )


def id_of(row: Row, layout: Layout, checks: Checks) -> str:
    """The id of the vote, or nothing. `question_id` may turn out to be the prompt's (see `duplicates`)."""
    if not layout.vote_id:
        return ""
    column, value = row.first(layout.vote_id)
    if value is not None:
        checks.by_question |= column == QUESTION
    return identifier(value, column) or ""


def count_of(row: Row) -> int:
    """How many equal votes the row stands for."""
    return count(row.get("count"), "count") if "count" in row.values else 1


def weight_of(row: Row, checks: Checks) -> float:
    """How much each of them counts; that rows are weighed is said."""
    if "weight" not in row.values:
        return 1.0
    checks.note(WEIGHED)
    return weight(row.get("weight"), "weight")


def first_identifier(row: Row, columns: Sequence[str]) -> str | None:
    if not columns:
        return None
    column, value = row.first(columns)
    return identifier(value, column)


def voter_of(row: Row, columns: Sequence[str]) -> str | None:
    if not columns:
        return None
    column, value = row.first(columns)
    return voter_value(value, column)


def voter_value(value: Any, column: str) -> str | None:
    """Who voted; a judge may be a list such as ["gpt-4", "pair-v2"], which is one judge."""
    value = structure(value)
    if isinstance(value, list):
        return "/".join(part for each in value if (part := identifier(each, column))) or None
    return identifier(value, column)


def _time(row: Row, checks: Checks, columns: Sequence[str]) -> float | None:
    if not columns:
        return None
    column, value = row.first(columns)
    return checks.times.read(value, column)


def prompt_of(row: Row, layout: Layout, talks: tuple[Talk | None, Talk | None] = (None, None)) -> str | None:
    columns = layout.prompt_columns(row.values)
    column, value = row.first(columns) if columns else ("", None)
    if not is_missing(value):
        return prompt_value(value, column)
    said = next((side.prompts for side in talks if side is not None and side.prompts), ())
    return text_id("\n".join(said))


def prompt_value(value: Any, column: str) -> str | None:
    """A prompt column as an id: a short line as it stands, a longer text by its hash."""
    return prompt_id(text(value, column) if isinstance(value, str) else value)


def _language(row: Row, checks: Checks, layout: Layout) -> str | None:
    return checks.languages.read(row.first(layout.language)[1]) if layout.language else None


def marks_of(row: Row, checks: Checks) -> dict[str, Any]:
    """Language, categories and weight as any table may have them, by the names that `Vote` has for them."""
    return {
        "language": _language(row, checks, GENERIC),
        "categories": categories_of(row, GENERIC),
        "weight": weight_of(row, checks),
    }


def categories_of(row: Row, layout: Layout) -> tuple[str, ...]:
    columns = [column for column in layout.category if column in row.values]
    found = [name for column in columns for name in categories_value(row.get(column), column)]
    if layout.code and boolean(row.get(layout.code), layout.code):
        found.append("code")
    return tuple(dict.fromkeys(found))


def categories_value(value: Any, column: str) -> tuple[str, ...]:
    """A category, a list of them, or {name: yes/no} as deep as it goes; lists and mappings also as JSON text."""
    found: dict[str, None] = {}
    _collect(structure(value), column, found)
    return tuple(found)


def _collect(value: Any, column: str, found: dict[str, None]) -> None:
    if isinstance(value, Mapping):
        for key, each in value.items():
            if isinstance(each, Mapping):
                _collect(each, column, found)
            elif isinstance(each, bool) and each:
                found[text(str(key), column) or ""] = None
    elif isinstance(value, list):
        for each in value:
            _collect(each, column, found)
    elif isinstance(value, str) and value.strip():
        found[text(value.strip(), column) or ""] = None


def talks_of(row: Row, layout: Layout) -> tuple[Talk | None, Talk | None]:
    """What both models said, as far as the record holds it."""
    a, b = (talk(row.get(column)) for column in layout.talks)
    answer_a, answer_b = layout.responses
    if a is None and answer_a in row.values:
        a = response(row.get(answer_a))
    if b is None and answer_b in row.values:
        b = response(row.get(answer_b))
    return a, b


def reason_of(
    row: Row, layout: Layout, names: tuple[str, str], talks: tuple[Talk | None, Talk | None]
) -> str | None:
    """Why the vote does not count, the gravest reason first."""
    if layout.blind in row.values and not is_blind(row.get(layout.blind), layout.blind):
        return "not_blind"
    if names[0] == names[1]:
        return "self_battle"
    return fault(*talks, names) or ("dedup" if layout.dedup and _is_surplus(row.get(layout.dedup)) else None)


def _is_surplus(tag: Any) -> bool:
    tag = structure(tag)
    return isinstance(tag, Mapping) and tag.get("sampled") is False


def is_blind(value: Any, column: str) -> bool:
    """Were the names hidden? Where the column is there, nothing means no."""
    return bool(boolean(value, column))


def traits_of(
    row: Row, layout: Layout, talks: tuple[Talk | None, Talk | None]
) -> dict[str, tuple[float, float]]:
    """Traits of both answers: those the record brings along, else measured from the texts."""
    given = structure(row.get(layout.metadata))
    if isinstance(given, Mapping):
        found = metadata_traits(given, layout.metadata)
        if found:
            return found
    a, b = talks
    if a is None or b is None:
        return {}
    measured_a, measured_b = a.traits(), b.traits()
    return {name: (measured_a[name], measured_b[name]) for name in measured_a}


METADATA = {"headers": "header_count_{}", "lists": "list_count_{}", "bold": "bold_count_{}"}


def metadata_traits(given: Mapping[str, Any], column: str) -> dict[str, tuple[float, float]]:
    """LMSYS's `conv_metadata`: tokens, and counts by kind that are summed."""
    found = {}
    tokens = [given.get(f"sum_assistant_{side}_tokens") for side in "ab"]
    if all(value is not None for value in tokens):
        found["length"] = (_count(tokens[0], column), _count(tokens[1], column))
    for name, key in METADATA.items():
        kinds = [given.get(key.format(side)) for side in "ab"]
        if all(value is not None for value in kinds):
            found[name] = (_count(kinds[0], column), _count(kinds[1], column))
    return found


def _count(value: Any, column: str) -> float:
    """A count, or the sum of a mapping of counts; never negative."""
    if isinstance(value, Mapping):
        return sum(_count(each, column) for each in value.values() if each is not None)
    found = decimal(value, column)
    if found is None or found < 0:
        raise Reject(column, value, "must be a number, 0 or more")
    return found
