"""How much Markdown one text may hold: beyond it the text is shown as typed, so that no text takes long to render.

Counts, not a clock: the same text looks the same on every machine and at every load.
"""

from __future__ import annotations

from collections.abc import Mapping

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

MOST_PARTS = 8_000  # paragraphs, cells, words in bold and so on, about 12 us each
# What a reader looks at again and again although it may come to nothing: how many of each a text may have.
MOST_MARKS: Mapping[str, int] = {
    "[": 2_000,
    "\\[": 1_000,
    "\\begin{": 500,
    "\n": 8_000,
    "*": 5_000,
    "_": 5_000,
    "~": 5_000,
    "`": 5_000,
    "$": 5_000,
    "\\": 8_000,
    "<": 8_000,
    "&": 8_000,
}


class TooMuch(Exception):
    """The text has more parts than the allowance."""


class _Parts(list[Token]):
    """The parts of one text so far; the one too many is refused."""

    def __init__(self, others: int = 0) -> None:
        super().__init__()
        self._room = MOST_PARTS - others

    def append(self, part: Token) -> None:
        if len(self) >= self._room:
            raise TooMuch
        super().append(part)


def allows(text: str) -> bool:
    """Whether the marks of `text` are few enough to be read as Markdown."""
    return all(text.count(mark) <= most for mark, most in MOST_MARKS.items())


def allowance_plugin(md: MarkdownIt) -> None:
    """Count the parts while they are made, blocks and what is in them. Raises `TooMuch` out of `render`."""
    md.core.ruler.at("block", _blocks)
    md.core.ruler.at("inline", _inlines)


def _blocks(state: StateCore) -> None:
    state.tokens = _Parts()
    state.md.block.parse(state.src, state.md, state.env, state.tokens)


def _inlines(state: StateCore) -> None:
    count = len(state.tokens)
    for token in state.tokens:
        if token.type == "inline":
            parts = _Parts(count)
            state.md.inline.parse(token.content, state.md, state.env, parts)
            token.children = parts
            count += len(parts)
