"""Markdown read as far as style control needs it: prose without code, and how many headers and list items."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

CODE_STANDS_HERE = "\ufffc"  # left where inline code was: **`x`** stays bold

HEADER = re.compile(r"#{1,6}(?=[ \t]|$)")
ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
TICKS = re.compile(r"`+")
# A line that begins with a letter or one of these is text, whatever stands before it but an open code block.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\"'()[]{}<>|\\/.,:;!?=&%$@^")


@dataclass
class Reader:
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
    # Of the open list items: the column where their text starts.
    offsets: list[int] = field(default_factory=list)

    def take(self, text: str) -> None:
        """Read a whole text. Most lines are plain or empty, and are done with here."""
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        for line in text.split("\n"):
            if self.fence:
                self._take_code(line.strip(" \t"))
            elif (first := line[:1]) in PLAIN or first.isalpha():
                if self.after_break:
                    self.offsets.clear()
                    self.after_break = False
                self.paragraph.append(line)
            elif body := line.lstrip(" \t"):
                self._take_text(_columns(line[: len(line) - len(body)]), body)
            else:
                self._end_paragraph()
                self.after_break = True
        self._end_paragraph()

    def _take_code(self, closing: str) -> None:
        if len(closing) >= len(self.fence) and not closing.strip(self.fence[0]):
            self.fence, self.after_break = "", True

    def _take_text(self, indent: int, body: str) -> None:
        item = ITEM.match(body)
        if item and _is_rule(body):
            item = None
        while self.offsets and indent < self.offsets[-1] and (item or self.after_break):
            self.offsets.pop()
        margin = self.offsets[-1] if self.offsets else 0
        if self.after_break and indent >= margin + 4:
            return  # indented code
        content = body
        if item:
            self.offsets.append(indent + item.end() + 1)
            self.items += 1
            self._end_paragraph()
            content = body[item.end() :].lstrip(" \t")
        self.fence = _opening_fence(content)
        header = not item and indent <= margin + 3 and HEADER.match(body)
        self.headers += bool(header)
        if self.fence or header:
            self._end_paragraph()
        self.after_break = bool(header)
        if not self.fence:
            self.paragraph.append(content)

    def _end_paragraph(self) -> None:
        """Inline code may run over the lines of a paragraph, but never over its end."""
        if self.paragraph:
            text = "\n".join(self.paragraph)
            self.prose.append(_without_spans(text) if "`" in text else text)
            self.paragraph.clear()


def _columns(space: str) -> int:
    """Width of leading white space; a tab reaches to the next multiple of four."""
    return len(space.expandtabs(4) if "\t" in space else space)


def _is_rule(body: str) -> bool:
    """Is the line a thematic break (`* * *`), which only looks like a list item?"""
    if body[0] not in "-*":
        return False
    marks = body.replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and not marks.strip(marks[0])


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
