"""Traits counted the plain way, line by line and letter by letter: what the fast reading must agree with."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

LETTERS_PER_TOKEN = 8  # a longer run of letters is several tokens, so an unbroken line is as long as it looks
CODE_STANDS_HERE = "\ufffc"  # left where inline code was: **`x`** stays bold

HEADER = re.compile(r"#{1,6}(?=[ \t]|$)")
ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
TICKS = re.compile(r"`+")
# Possessive (`++`): nothing is ever tried twice, so a hostile text costs no more than a kind one.
BOLD_STARS = re.compile(r"\*\*(?!\s)[^*\n]++(?<!\s)\*\*")
BOLD_BARS = re.compile(r"(?<!\w)__(?!\s)[^_\n]++(?<!\s)__(?!\w)")


def measure(text: str) -> dict[str, float]:
    prose, headers, items = read(text)
    bold = sum(1 for _ in BOLD_STARS.finditer(prose)) + sum(1 for _ in BOLD_BARS.finditer(prose))
    return {"length": count_tokens(text), "headers": headers, "lists": items, "bold": bold}


def count_tokens(text: str) -> int:
    """Tokens of `text`, in any script and with no vocabulary.

    A run of letters and digits is one token per started eight characters; a letter of a wide script (Han, kana,
    Hangul) is one token each, since those are not split by spaces; a mark of punctuation or a symbol is one token.
    White space, combining marks and invisible characters are none: an emoji joined of three is three. For English
    prose this is near the counts of common subword vocabularies; style control uses only the ratio of two answers.
    """
    kinds = text.translate(_Kinds())
    runs = kinds.replace("s", " ").split()
    return kinds.count("s") + sum(-(-len(run) // LETTERS_PER_TOKEN) for run in runs)


class _Kinds(dict[int, str | None]):
    """Code point -> " " (space), "w" (part of a word), "s" (stands alone) or None (not counted); made as met."""

    def __missing__(self, point: int) -> str | None:
        self[point] = kind = _kind(chr(point))
        return kind


def _kind(character: str) -> str | None:
    category = unicodedata.category(character)
    if character.isspace():
        return " "
    if category[0] == "M" or category in ("Cf", "Cc"):
        return None
    if category[0] == "L" and unicodedata.east_asian_width(character) in ("W", "H"):
        return "s"
    return "w" if category[0] in "LN" else "s"


def read(text: str) -> tuple[str, int, int]:
    """Prose with code taken out, headers and list items."""
    reader = _Reader()
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        reader.take(line)
    reader.end_paragraph()
    return "\n".join(reader.prose), reader.headers, reader.items


@dataclass
class _Reader:
    """Reads markdown line by line, as CommonMark does as far as code, headers and list items go.

    Quoted lines (`> `) are taken as text, headers and items are counted at the start of a line only, and a header
    is one of number signs: the public definition of style control (LMSYS, `conv_metadata`) counts the same.
    """

    prose: list[str] = field(default_factory=list)
    headers: int = 0
    items: int = 0
    paragraph: list[str] = field(default_factory=list)
    fence: str = ""  # the run that opened the code block we are in; empty outside
    after_break: bool = True  # indented code cannot interrupt a paragraph
    offsets: list[int] = field(
        default_factory=list
    )  # of the open list items: the column where their text starts

    def take(self, line: str) -> None:
        body = line.lstrip(" \t")
        if self.fence:
            self._take_code(body)
        elif not body:
            self.end_paragraph()
            self.after_break = True
        else:
            self._take_text(_columns(line[: len(line) - len(body)]), body)

    def _take_code(self, body: str) -> None:
        closing = body.rstrip(" \t")
        if len(closing) >= len(self.fence) and not closing.strip(self.fence[0]):
            self.fence, self.after_break = "", True

    def _take_text(self, indent: int, body: str) -> None:
        item = None if _is_rule(body) else ITEM.match(body)
        while self.offsets and indent < self.offsets[-1] and (item or self.after_break):
            self.offsets.pop()
        margin = self.offsets[-1] if self.offsets else 0
        if self.after_break and indent >= margin + 4:
            return  # indented code
        if item:
            self.offsets.append(indent + item.end() + 1)
            self.items += 1
            self.end_paragraph()
        content = body[item.end() :].lstrip(" \t") if item else body
        self.fence = _opening_fence(content)
        header = not item and indent <= margin + 3 and HEADER.match(body)
        self.headers += bool(header)
        if self.fence or header:
            self.end_paragraph()
        self.after_break = bool(header)
        if not self.fence:
            self.paragraph.append(content)

    def end_paragraph(self) -> None:
        """Inline code may run over the lines of a paragraph, but never over its end."""
        if self.paragraph:
            self.prose.append(_without_spans("\n".join(self.paragraph)))
            self.paragraph.clear()


def _columns(space: str) -> int:
    """Width of leading white space; a tab reaches to the next multiple of four."""
    return len(space.expandtabs(4))


def _is_rule(body: str) -> bool:
    """Is the line a thematic break (`* * *`), which only looks like a list item?"""
    marks = body.replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and marks[0] in "-*_" and not marks.strip(marks[0])


def _opening_fence(body: str) -> str:
    """The run of three or more ` or ~ that opens a code block here; empty if none does."""
    if not body.startswith(("```", "~~~")):
        return ""
    mark = body[0]
    rest = body.lstrip(mark)
    return "" if mark == "`" and "`" in rest else body[: len(body) - len(rest)]


def _without_spans(paragraph: str) -> str:
    """`paragraph` with each inline code span replaced by one placeholder; an unmatched run of ticks stays."""
    ticks = list(TICKS.finditer(paragraph))
    last = {len(run.group()): index for index, run in enumerate(ticks)}
    kept, at, index = [], 0, 0
    while index < len(ticks):
        size = len(ticks[index].group())
        if last[size] > index:
            kept += [paragraph[at : ticks[index].start()], CODE_STANDS_HERE]
            index += 1
            while len(ticks[index].group()) != size:
                index += 1
            at = ticks[index].end()
        index += 1
    return "".join([*kept, paragraph[at:]])
