"""What can be wrong with an answer: empty, a provider's error text, or one that gives a model's name away."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from arena.models import ModelInfo

# An error text is the whole answer; a real answer may quote one.
ERROR_CHARACTERS = 600
ERROR_PATTERNS = (
    r"network error\b.*(regenerate|refresh|high traffic)",
    r"api request error\b",
    r"(internal|upstream|remote) (server|service) error\b",
    r"(error|http|status)[ _]?(code)?[ :=#-]*[45]\d\d\b",
    r"\(?error_?code: ?\d{3,}\)?",
    r"[45]\d\d (bad gateway|service unavailable|gateway time-?out|too many requests|internal server error)",
    r"rate[ _-]?limit(_| )?(exceeded|reached|error)\b",
    r"you exceeded your current quota\b",
    r"(the |this |that )?(model|server|engine) is (currently )?(overloaded|busy|unavailable|loading)\b",
    r"context[ _]length[ _]exceeded\b",
    r"(this|the) model'?s maximum context length is\b",
    r"\$moderation\$",
    r"your input violates our content moderation\b",
    r"(request|connection|read) timed? ?out\b",
    r"(connection|read) (error|refused|reset)\b",
    r"\{ ?\"?(error|detail)\"? ?: ?[{\"\[]",
    r"an error occurred (while|during) (generating|processing|the request)\b",
    r"(openai|anthropic|api|httpx?|requests)\.?\w*(error|exception)\b",
)
_ERROR = re.compile("|".join(f"(?:{pattern})" for pattern in ERROR_PATTERNS), re.DOTALL)
_DECORATION = re.compile(r"^[\s*_`#>~\[(⚠️❌!:-]+|[\s*_`]+$")
_ERROR_LABEL = re.compile(r"^(error|exception|failed|failure)[\s*]*[:\-]+[\s*]*", re.IGNORECASE)

# Between the parts of a name anything a writer may put there: "wren-mini", "WREN MINI", "wren_mini", "wrenmini".
_GAP = r"[\W_]{0,3}"
_EDGE_BEFORE, _EDGE_AFTER = r"(?<![^\W_])", r"(?![^\W_])"
# Words after which even a common word is taken for the name of who speaks.
_SELF_BEFORE = (
    r"(?:\b(?:i am|i m|im|my name is|my name s|i was named|this is|call me|called|named|known as|speaking as|"
    r"(?:model|assistant|chatbot|ai) is|(?:language|ai|chat|base) model|"
    r"je suis|je m appelle|ich bin|ich hei(?:ß|ss)e|soy|me llamo|sou|sono|mi chiamo|ik ben|jag är|jestem|я|меня зовут)"
    r"|我是|我叫|私は|저는|أنا|मैं)"
)
_SELF_AFTER = r"(?:here\b|speaking\b|(?:is )?(?:an? |the )?(?:large |ai |language |chat )+(?:model|assistant|chatbot)\b)"
_MADE_BY = (
    r"\b(?:i|me|my|i m|im|assistant|chatbot|language model|ai model|llm)\b(?: [^ .!?\n]+){0,9}? "
    r"(?:by|from|at|of)(?: the)?(?: (?:company|team|people|researchers|lab)(?: at| of)?)?"
)


@dataclass(frozen=True)
class Leak:
    """A name found in an answer: which model it belongs to, and the text that shows it."""

    model: str
    shown: str


def is_empty(text: str) -> bool:
    """Is there nothing to read in the text? White space and invisible characters are nothing."""
    return not any(
        not character.isspace() and unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp")
        for character in text
    )


def is_error(text: str) -> bool:
    """Is the whole text an error message of a provider instead of an answer?"""
    if len(text) > ERROR_CHARACTERS:
        return False
    plain = _DECORATION.sub("", folded(text))
    plain = _ERROR_LABEL.sub("", plain)
    return _ERROR.match(plain) is not None


def folded(text: str) -> str:
    """The text as a reader sees it: NFKC, invisible characters out, case folded, runs of white space as one space."""
    seen = unicodedata.normalize("NFKC", text)
    seen = "".join(character for character in seen if unicodedata.category(character) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", seen.casefold()).split())


class LeakFinder:
    """Finds names, aliases and providers of `models` in answers.

    A name of several parts ("wren-mini", "heron-7b") is a leak wherever it stands, however it is written. A name of
    one common word ("osprey"), the leading word of a name ("heron") and a provider ("Google") are leaks only where
    somebody speaks of himself ("I am Osprey", "a language model made by Google"): a heron is also a bird.
    """

    def __init__(self, models: Iterable[ModelInfo]) -> None:
        self._anywhere: list[tuple[str, re.Pattern[str]]] = []
        self._of_self: list[tuple[str, re.Pattern[str]]] = []
        for model in models:
            for name in dict.fromkeys((model.name, *model.aliases)):
                self._add(model.name, name)
            if model.provider:
                made = re.compile(f"{_MADE_BY} {_words(_parts(model.provider))}{_EDGE_AFTER}")
                self._of_self.append((model.name, made))

    def _add(self, model: str, name: str) -> None:
        parts = _parts(name)
        if not parts:
            return
        if _distinctive(parts):
            self._anywhere.append((model, re.compile(f"{_EDGE_BEFORE}{_words(parts)}{_EDGE_AFTER}")))
        words = [parts] if not _distinctive(parts) else []
        if len(parts) > 1 and parts[0].isalpha() and len(parts[0]) > 2:
            words.append(parts[:1])
        for word in words:
            text = _words(word)
            spoken = f"{_SELF_BEFORE} ?{text}{_EDGE_AFTER}|{_EDGE_BEFORE}{text} {_SELF_AFTER}"
            self._of_self.append((model, re.compile(spoken)))

    def find(self, answer: str, prompt: str = "") -> Leak | None:
        """The first leak of `answer`. A name that the prompt itself holds may be mentioned, but not claimed."""
        text, asked = folded(answer), folded(prompt)
        for model, pattern in self._anywhere:
            found = pattern.search(text)
            if found and not pattern.search(asked):
                return Leak(model, found.group())
        loose = _LOOSE.sub(" ", text)
        for model, pattern in self._of_self:
            found = pattern.search(loose)
            if found:
                return Leak(model, found.group().strip())
        return None


# Quotes, emphasis and apostrophes do not hide a claim: I'm **Osprey**.
_LOOSE = re.compile(r"[\s*_`'\"’‘“”«»(),:]+")


def _parts(name: str) -> list[str]:
    """A name cut where writers vary it: at signs, and between letters and digits."""
    return re.findall(r"[^\W\d_]+|\d+", folded(name))


def _words(parts: list[str]) -> str:
    return _GAP.join(re.escape(part) for part in parts)


def _distinctive(parts: list[str]) -> bool:
    """Can these parts hardly be anything but a name? Several of them, and not as short as "o1"."""
    return len(parts) > 1 and sum(map(len, parts)) > 3
