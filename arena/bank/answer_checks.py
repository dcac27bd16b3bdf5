"""What can be wrong with an answer: empty, a provider's error text, or one that gives a model's name away."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from arena.bank.roster import ModelInfo

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
# An answer that explains an error is none: "HTTP 404 means that nothing was found".
_EXPLAINS = re.compile(
    r"\b(means?|indicates?|signals?|refers?|usually|typically|happens|occurs|caused|stands for)\b"
)
_DECORATION = re.compile(r"^[\s*_`#>~\[(⚠️❌!:-]+|[\s*_`]+$")
_ERROR_LABEL = re.compile(r"^(error|exception|failed|failure)[\s*]*[:\-]+[\s*]*", re.IGNORECASE)

# Between the parts of a name anything a writer may put there: "wren-mini", "WREN MINI", "wren_mini", "wrenmini".
_GAP = r"[\W_]{0,3}"
_GAP_BEFORE_LETTER = r"[\s_.\-\u2010-\u2015]{1,3}"  # "dunlin-s" is not "dunlins" or "dunlin's"
_EDGE_BEFORE, _EDGE_AFTER = r"(?<![^\W_])", r"(?![^\W_])"
# Words after which even a common word is taken for the name of who speaks.
_SELF_BEFORE = (
    r"(?:\b(?:i am|i m|im|my name is|my name s|i was named|this is|call me|called|named|known as|speaking as|"
    r"(?:model|assistant|chatbot|ai) is|(?:language|ai|chat|base) model|"
    r"je suis|je m appelle|ich bin|ich hei(?:ß|ss)e|soy|me llamo|sou|sono|mi chiamo|ik ben|jag är|jestem|я|меня зовут)"
    r"|我是|我叫|私は|저는|أنا|मैं)"
)
_SELF_AFTER = r"(?:here\b|speaking\b|(?:is )?(?:an? |the )?(?:large |ai |language |chat )+(?:model|assistant|chatbot)\b)"
# And words by which he compares himself with another.
_WITH_ME = r"(?: [^ .!?\n]+){0,4} (?:than|unlike|like) (?:me|i|mine)\b"
_ME_WITH = r"\b(?:i m|i am|i)(?: [^ .!?\n]+){0,4}? (?:than|unlike|not|from)"
# Words by which he speaks of the model beside him.
_OTHER_BEFORE = (
    r"\b(?:other|rival|competing|opposing|opposite) (?:ai |language |chat )?(?:model|assistant|chatbot|answer|response|reply)s?"
    r"(?: (?:is|was|comes|by|from|called|named|namely|here)){0,2}"
)
_OTHER_AFTER = r"(?:s (?:answer|reply)\b|(?:would|might|could|will|may) (?:answer|respond|reply|say)\b)"
_NOT_LIKE = r"\b(?:unlike|compared (?:to|with)|in contrast (?:to|with)|as opposed to|contrary to)"
_THEN_ME = r"(?: [^ .!?\n]+){0,2}? (?:i|i m|my)\b"
_MADE_BY = (
    r"\b(?:i|me|my|i m|im|as an ai|assistant|chatbot|language model|ai model|llm)\b(?: [^ .!?\n]+){0,9}? "
    r"(?:by|from|at|of)(?: the)?(?: (?:company|team|people|researchers|lab)(?: at| of)?)?"
)
_MADE = r"(?:made|trained|developed|created|built|designed|fine ?tuned|provided|powered)"
_OWNED_BY = (
    rf"(?:\bi was(?: [^ .!?\n]+){{0,2}}? {_MADE}(?: [^ .!?\n]+){{0,2}}? (?:by|at)"
    r"|\b(?:i am|i m|as)(?: [^ .!?\n]+){0,6}? (?:ai|language model|llm|assistant|chatbot|model)(?: [^ .!?\n]+){0,5}? (?:by|at|from|of)"
    rf"|\b(?:i am|i m|my name is)(?: [^ .!?\n]+){{1,2}} {_MADE}(?: and [a-z]+)? (?:by|at)"
    r"|\bmy (?:creators?|developers?|makers?|company)(?: [^ .!?\n]+){0,2}?)"
)


# Assistants and makers that voters know. In a roster or not: an answer that says it is one of them is not blind.
ASSISTANTS = (
    "ChatGPT", "GPT", "Claude", "Gemini", "Bard", "Gemma", "PaLM", "LLaMA", "Qwen", "Tongyi Qianwen", "通义千问", "千问", "Mistral",
    "Mixtral", "Le Chat", "DeepSeek", "深度求索", "Grok", "Copilot", "Kimi", "ERNIE Bot", "文心一言", "Doubao", "豆包", "Hunyuan", "混元",
    "ChatGLM", "GLM", "智谱清言", "Yi", "Falcon", "Vicuna", "Alpaca", "Koala", "Dolly", "Zephyr", "OpenAssistant", "Command R", "Coral",
    "Nemotron", "Phi", "Granite", "OLMo", "Tülu", "Jamba", "Reka", "MiniMax", "InternLM", "Baichuan", "YandexGPT", "GigaChat",
    "HyperCLOVA", "EXAONE", "Solar", "Nova", "Pi", "Perplexity", "Apertus", "EuroLLM", "Teuken",
)  # fmt: skip
MAKERS = (
    "OpenAI", "Anthropic", "Google", "DeepMind", "Meta", "Microsoft", "Mistral", "Alibaba", "DeepSeek", "xAI", "Moonshot", "Baidu",
    "ByteDance", "Tencent", "Zhipu", "01.AI", "LMSYS", "Stability", "Databricks", "Cohere", "NVIDIA", "IBM", "AI2", "Allen Institute",
    "AI21", "Reka", "MiniMax", "Shanghai AI", "Baichuan", "Yandex", "Sber", "Naver", "LG", "Upstage", "Amazon", "Inflection",
    "Perplexity", "Aleph Alpha", "Technology Innovation Institute", "Hugging Face", "Nous Research", "Apple", "Samsung", "Huawei",
)  # fmt: skip

_AI = r"(?:AI|A\.I\.|artificial intelligence|(?:large |AI |chat )?language model|LLM|(?:AI|virtual|digital|chat) ?(?:assistant|model)|chatbot)"
_AI_WORDS = (
    "AI",
    "A.I.",
    "artificial intelligence",
    "model",
    "LLM",
    "assistant",
    "chatbot",
)  # one stands in each match of it
_NAME = r"(?!(?:AI|A|An|The|I|LLM|Not|Just|Only)\b)[A-Z][\w.+-]*(?: [A-Z\d][\w.+-]*){0,3}"
_MADE_VERB = r"(?:made|trained|developed|created|built|designed|fine-?tuned|provided|powered|operated)"
# No other sentence, and no other clause of one, between the parts.
_FEW = r"[^.!?\n;:]{0,60}?"
_SELF_IDENTIFICATION = re.compile(
    "|".join(
        (
            # I'm Zorblax, an AI assistant; my name is Zorblax and I am a large language model
            rf"\b(?:I am|I'm|My name is|my name is|I'm called|I am called),? (?:called |named )?{_NAME}(?:,| and I am| and I'm|—| -)? ?(?:an?|your) "
            rf"(?:[\w-]+ ){{0,3}}{_AI}\b",
            # I am an AI assistant called Zorblax
            rf"\b(?:I am|I'm|As|as) (?:just |only |merely )?an? (?:[\w-]+ ){{0,3}}{_AI},? (?:that is |who is )?(?:called|named|known as) {_NAME}",
            # I am a large language model, trained by Vexonic Labs; as an AI developed by Vexonic
            rf"\b(?:I am|I'm|As|as)\b(?! not\b){_FEW}\b{_AI}\b{_FEW}\b{_MADE_VERB} (?:and \w+ )?(?:by|at) (?:the |a team at |researchers at |people at )?{_NAME}",
        )
    )
)
SPOKEN_CHARACTERS = (
    20_000  # characters: who introduces himself does so early, and a hostile text must not take seconds
)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "*": None, "_": " ", "`": None, "“": None, "”": None, '"': None})


@dataclass(frozen=True)
class Leak:
    """A name found in an answer: which model it belongs to, and the text that shows it."""

    model: str | None  # None: an assistant or maker that the roster does not know
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
    return _ERROR.match(plain) is not None and not _EXPLAINS.search(plain)


def folded(text: str) -> str:
    """The text as a reader sees it: NFKC, invisible characters out, case folded, runs of white space as one space."""
    if text.isascii():
        return " ".join(text.lower().split())
    seen = unicodedata.normalize("NFKC", text)
    seen = "".join(character for character in seen if not _is_unseen(character))
    return " ".join(unicodedata.normalize("NFKC", seen.casefold()).split())


def _is_unseen(character: str) -> bool:
    """Zero-width, direction and joining characters; selectors of a variant; the combining joiner."""
    return (
        unicodedata.category(character) == "Cf" or character == "\u034f" or "\ufe00" <= character <= "\ufe0f"
    )


class LeakFinder:
    """Finds names, aliases and providers of `models` in answers.

    A name of several parts ("wren-mini", "heron-7b") is a leak wherever it stands, however it is written. A name of
    one common word ("osprey"), the leading word of a name ("heron") and a provider ("Google") are leaks only where
    somebody speaks of himself ("I am Osprey", "a language model made by Google"): a heron is also a bird.
    So are well-known assistants and makers that no model declares, and any name in a claim to be an assistant.
    """

    def __init__(self, models: Iterable[ModelInfo]) -> None:
        self._anywhere: list[_Sign] = []
        self._of_self: list[_Sign] = []
        for model in models:
            for name in dict.fromkeys((model.name, *model.aliases)):
                self._add(model.name, name)
            if parts := _parts(model.provider or ""):
                self._of_self.append(_made(model.name, parts))

    def _add(self, model: str, name: str) -> None:
        parts = _parts(name)
        if not parts:
            return
        if _distinctive(parts):
            whole = re.compile(f"{_EDGE_BEFORE}{_words(parts)}{_EDGE_AFTER}")
            self._anywhere.append(_Sign(model, parts[0], whole))
        words = [parts] if not _distinctive(parts) else []
        if len(parts) > 1 and parts[0].isalpha() and len(parts[0]) > 2:
            words.append(parts[:1])
        self._of_self += [_spoken(model, word) for word in words]

    def find(self, answer: str, prompt: str = "") -> Leak | None:
        """The first leak of `answer`. A name that the prompt itself holds may be mentioned, but not claimed."""
        text, asked = (_without_markup(folded(raw)) for raw in (answer, prompt))
        for sign in self._anywhere:
            shown = sign.found(text)
            if shown is not None and sign.found(asked) is None:
                return Leak(sign.model, shown)
        loose = " ".join(text.translate(_LOOSE).split())
        for sign in self._of_self:
            shown = sign.found(loose)
            if shown is not None:
                return Leak(sign.model, shown.strip())
        shown = _claimed(answer, loose, asked)
        return None if shown is None else Leak(None, shown.strip())


@dataclass(frozen=True)
class _Sign:
    """A pattern that gives `model` away; no text without `part` can match it, which is quick to see."""

    model: str | None
    part: str
    pattern: re.Pattern[str]

    def found(self, text: str) -> str | None:
        match = self.pattern.search(text) if self.part in text else None
        return match.group() if match else None


def _spoken(model: str | None, parts: list[str]) -> _Sign:
    """Somebody who speaks of himself by the name made of `parts`."""
    text = _words(parts)
    ways = (
        f"{_SELF_BEFORE} ?{text}{_EDGE_AFTER}",
        f"{_EDGE_BEFORE}{text} {_SELF_AFTER}",
        f"{_EDGE_BEFORE}{text}{_WITH_ME}",
        f"{_ME_WITH} {text}{_EDGE_AFTER}",
        f"{_OTHER_BEFORE} {text}{_EDGE_AFTER}",
        f"{_EDGE_BEFORE}{text} {_OTHER_AFTER}",
        f"{_NOT_LIKE} {text}{_EDGE_AFTER}{_THEN_ME}",
    )
    return _Sign(model, parts[0], re.compile("|".join(ways)))


def _made(model: str | None, parts: list[str]) -> _Sign:
    """Somebody who says who made him."""
    return _Sign(model, parts[0], re.compile(f"{_MADE_BY} {_words(parts)}{_EDGE_AFTER}"))


@cache
def _well_known() -> tuple[_Sign, ...]:
    return (
        *(_named(_parts(name)) for name in ASSISTANTS),
        *(_owned(_parts(name)) for name in MAKERS),
    )


def _named(parts: list[str]) -> _Sign:
    """Somebody who says his name. No comparisons: a falcon is faster than me, and no assistant."""
    text = _words(parts)
    return _Sign(
        None,
        parts[0],
        re.compile(f"{_SELF_BEFORE} ?{text}{_EDGE_AFTER}|{_EDGE_BEFORE}{text} {_SELF_AFTER}"),
    )


def _owned(parts: list[str]) -> _Sign:
    """An assistant that says who made it; who speaks of his laptop made by Apple is none."""
    return _Sign(None, parts[0], re.compile(rf"{_OWNED_BY}(?: the)? {_words(parts)}{_EDGE_AFTER}"))


def _claimed(answer: str, loose: str, asked: str) -> str | None:
    """The words by which an answer says that it is an assistant of this or that name or maker."""
    for sign in [sign for sign in _well_known() if sign.part in loose]:
        # Who was asked to speak as somebody, or about him, may.
        if sign.part not in asked and (shown := sign.found(loose)) is not None:
            return shown
    return self_identification(answer)


def _without_markup(text: str) -> str:
    """Emphasis inside a name hides it from nobody."""
    return text.replace("*", "").replace("`", "").replace("~", "")


# Quotes, emphasis and apostrophes do not hide a claim: I'm **Osprey**.
_LOOSE = str.maketrans(dict.fromkeys("*_`'\"’‘“”«»(),:", " "))


def _parts(name: str) -> list[str]:
    """A name cut where writers vary it: at signs, and between letters and digits."""
    return re.findall(r"[^\W\d_]+|\d+", folded(name))


def _words(parts: list[str]) -> str:
    found = re.escape(parts[0])
    for before, part in pairwise(parts):
        letter = before.isalpha() and part.isalpha() and 1 in (len(before), len(part))
        found += (_GAP_BEFORE_LETTER if letter else _GAP) + re.escape(part)
    return found


def _distinctive(parts: list[str]) -> bool:
    """Can these parts hardly be anything but a name? Several of them, and not as short as "o1"."""
    return len(parts) > 1 and sum(map(len, parts)) > 3


def self_identification(text: str) -> str | None:
    """The words by which `text` says which assistant or whose it is; None when it does not."""
    seen = text[:SPOKEN_CHARACTERS]
    if not seen.isascii():
        seen = unicodedata.normalize("NFKC", seen)
        seen = "".join(letter for letter in seen if unicodedata.category(letter) != "Cf")
    seen = " ".join(seen.translate(_QUOTES).split(" "))
    match = _SELF_IDENTIFICATION.search(seen) if any(word in seen for word in _AI_WORDS) else None
    return match.group() if match else None
