"""What was said: prompts and answers out of every shape in which a conversation is kept, and their traits."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from arena.bank.traits import measure_turns
from arena.importers.values.values import is_missing

ASSISTANT = frozenset({"assistant", "model", "bot", "gpt", "ai"})
SYSTEM = frozenset({"system", "developer", "tool", "function"})
NOT_TEXT = "\ufffc"  # stands for a picture or another part that is no text
LONGEST_ID = 80  # a longer prompt is a text, and texts are not carried


@dataclass(frozen=True)
class Talk:
    """One side of a battle: what the user said and what the model answered, in order."""

    prompts: tuple[str, ...]
    answers: tuple[str, ...]
    unanswered: bool = False  # the last prompt got no answer

    def traits(self) -> dict[str, float]:
        return measure_turns(self.answers)


def talk(value: Any) -> Talk | None:
    """A conversation as messages; also as the text of such a list. None when there is none to read."""
    if is_missing(value):
        return None
    messages = structure(value)
    if isinstance(messages, str):
        return Talk((), (messages,))
    if not isinstance(messages, list):
        return None
    said = [_message(message, index) for index, message in enumerate(messages)]
    if any(turn is None for turn in said):
        return None
    turns = [turn for turn in said if turn is not None and turn[0] not in SYSTEM]
    prompts = tuple(words for role, words in turns if role not in ASSISTANT)
    answers = tuple(words for role, words in turns if role in ASSISTANT)
    return Talk(prompts, answers, bool(turns) and turns[-1][0] not in ASSISTANT)


def response(value: Any) -> Talk | None:
    """An answer column: one text, or a list of texts (also as text) with one answer a turn; null is empty."""
    turns = structure(value)
    if isinstance(turns, list):
        return Talk((), tuple(words(turn) for turn in turns))
    return Talk((), (words(turns),))


def _message(message: Any, index: int) -> tuple[str, str] | None:
    """(role, text) of one message: a mapping, or FastChat's pair, where user and model take turns."""
    if isinstance(message, Mapping):
        role = message.get("role", message.get("from"))
        content = message["content"] if "content" in message else message.get("value")
        return (role.lower(), words(content)) if isinstance(role, str) else None
    if isinstance(message, list) and len(message) == 2:
        return ("user", "assistant")[index % 2], words(message[1])
    return None


def words(content: Any) -> str:
    """The text of a message's content: a text, parts ({type, text}), or nothing."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part for each in content if (part := words(each)))
    if isinstance(content, Mapping):
        text = content.get("text")
        return text if isinstance(text, str) else (NOT_TEXT if _holds_something(content) else "")
    return str(content)


def _holds_something(part: Mapping[str, Any]) -> bool:
    return any(value for key, value in part.items() if key not in ("type", "text", "mimeType"))


def structure(value: Any) -> Any:
    """Lists and mappings written as text (JSON or Python) as what they are; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return orjson.loads(value)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        pass
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return value


def prompt_id(value: Any) -> str | None:
    """A prompt column as an id: a short line as it stands, a longer text by its hash; texts are not carried."""
    if is_missing(value):
        return None
    if not isinstance(value, str):
        return str(value) if isinstance(value, int) else text_id(words(structure(value)))
    if len(value) <= LONGEST_ID and value.isprintable():
        return value
    return text_id(value)


def text_id(text: str) -> str | None:
    """`text-` and 128 bits of the hash of `text`; None for no text."""
    if not text:
        return None
    return "text-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
