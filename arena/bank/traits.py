"""Traits: what can be counted in an answer (length, headers, lists, bold) for style control.

A new trait is one function under `@trait`. It sees an `ParsedAnswer`: the whole text, and the same text read as
markdown with code left out. Everything here takes time linear in the text, whatever the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from arena.bank.markdown import Reader

LETTERS_PER_TOKEN = 8  # a longer run of letters is several tokens, so an unbroken line is as long as it looks
LEFT_OUT = b"-"
RUNS = bytes.maketrans(b"sf", b"  ")
# Possessive (`++`): nothing is ever tried twice, so a hostile text costs no more than a kind one.
BOLD_STARS = re.compile(r"\*\*(?!\s)[^*\n]++(?<!\s)\*\*")
BOLD_BARS = re.compile(r"(?<!\w)__(?!\s)[^_\n]++(?<!\s)__(?!\w)")


@dataclass(frozen=True)
class ParsedAnswer:
    """One answer: `text` as written; `prose` with code taken out; headers and list items counted outside code."""

    text: str
    prose: str
    headers: int
    items: int

    @classmethod
    def of(cls, text: str) -> ParsedAnswer:
        reader = Reader()
        reader.take(text)
        return cls(text, "\n".join(reader.prose), reader.headers, reader.items)


@dataclass(frozen=True)
class Trait:
    """A named count: `measure(answer)` is never negative and never NaN."""

    name: str
    meaning: str
    measure: Callable[[ParsedAnswer], float]


TRAITS: dict[str, Trait] = {}


def trait(
    name: str, meaning: str
) -> Callable[[Callable[[ParsedAnswer], float]], Callable[[ParsedAnswer], float]]:
    """Register the decorated function as the trait `name`."""

    def register(function: Callable[[ParsedAnswer], float]) -> Callable[[ParsedAnswer], float]:
        if name in TRAITS:
            raise ValueError(f"trait {name!r} is registered already")
        TRAITS[name] = Trait(name, meaning, function)
        return function

    return register


def measure(text: str) -> dict[str, float]:
    """Every registered trait of one answer, by name."""
    answer = ParsedAnswer.of(text)
    return {name: float(each.measure(answer)) for name, each in TRAITS.items()}


def measure_turns(turns: Iterable[str]) -> dict[str, float]:
    """Every registered trait summed over a model's turns of one conversation; all zero for no turn."""
    sums = dict.fromkeys(TRAITS, 0.0)
    for turn in turns:
        for name, value in measure(turn).items():
            sums[name] += value
    return sums


def meanings() -> Mapping[str, str]:
    """Trait name -> its meaning in one line, for data dictionaries."""
    return {name: each.meaning for name, each in TRAITS.items()}


@trait("length", "tokens of the whole answer, code included")
def length(answer: ParsedAnswer) -> float:
    return count_tokens(answer.text)


@trait("headers", "markdown headers (# to ######), code left out")
def headers(answer: ParsedAnswer) -> float:
    return answer.headers


@trait("lists", "markdown list items, ordered and unordered, code left out")
def lists(answer: ParsedAnswer) -> float:
    return answer.items


@trait("bold", "markdown bold spans (**x** and __x__), code left out")
def bold(answer: ParsedAnswer) -> float:
    stars = len(BOLD_STARS.findall(answer.prose)) if "**" in answer.prose else 0
    return stars + (len(BOLD_BARS.findall(answer.prose)) if "__" in answer.prose else 0)


def count_tokens(text: str) -> int:
    """Tokens of `text`, in any script and with no vocabulary.

    A run of letters and digits is one token per started eight characters; a letter of a wide script (Han, kana,
    Hangul) is one token each, since those are not split by spaces; a mark of punctuation or a symbol is one token.
    White space, combining marks and invisible characters are none: an emoji joined of three is three. For English
    prose this is near the counts of common subword vocabularies; style control uses only the ratio of two answers.
    """
    kinds = _kinds(text)
    full = kinds.replace(b"w" * LETTERS_PER_TOKEN, b"f")
    rest = b" " + full.translate(RUNS)  # what is left of each run of letters, after a space
    return kinds.count(b"s") + full.count(b"f") + rest.count(b" w")


def _kinds(text: str) -> bytes:
    """What each character of `text` is: a space, `w` (part of a word) or `s` (stands alone); others are left out."""
    if text.isascii():
        return text.encode("ascii").translate(_ascii_kinds()).translate(None, LEFT_OUT)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    known = _known_kinds()
    found = known[points]
    if not found.all():
        for point in np.unique(points[found == 0]).tolist():
            known[point] = ord(_kind(chr(point)))
        found = known[points]
    return found.tobytes().translate(None, LEFT_OUT)


@cache
def _ascii_kinds() -> bytes:
    return "".join(_kind(chr(point)) for point in range(128)).encode("ascii").ljust(256)


@cache
def _known_kinds() -> npt.NDArray[np.uint8]:
    """(0x110000,) the kind of each code point met so far; 0 for the others."""
    return np.zeros(0x110000, dtype=np.uint8)


def _kind(character: str) -> str:
    """A space, `w`, `s`, or `-` for what is not counted."""
    category = unicodedata.category(character)
    if character.isspace():
        return " "
    if category[0] == "M" or category in ("Cf", "Cc"):
        return "-"
    if category[0] == "L" and unicodedata.east_asian_width(character) in ("W", "H"):
        return "s"
    return "w" if category[0] in "LN" else "s"
