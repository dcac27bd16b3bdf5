"""Unified diffs, read with care: with or without git headers, hunks counted, renames and deletions seen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPE = re.compile(r"\\([0-7]{3}|.)")
LETTERS = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
NOWHERE = "/dev/null"


@dataclass
class FileDiff:
    """What a diff does to one file. `path` is the new name, or the old one of a deleted file."""

    old: str | None = None
    new: str | None = None
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return self.new or self.old or ""

    @property
    def paths(self) -> tuple[str, ...]:
        """Both names, the new one first: a renamed file is one that was taken away."""
        return tuple(dict.fromkeys(name for name in (self.new, self.old) if name))

    @property
    def deleted(self) -> bool:
        return self.new is None and self.old is not None


def read_diff(text: str) -> list[FileDiff]:
    """The files of a unified diff, in order.

    Inside a hunk the counts of its header say which lines belong to it, so that a removed line `-- x` (shown as `--- x`) is not taken for a
    header. Without hunk headers `---` opens a file only if `+++` follows. Text around the diff is ignored.
    """
    reader = _Reader()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        reader.take(line.removesuffix("\r"), following)
    return [found for found in reader.files if found.path]


class _Reader:
    def __init__(self) -> None:
        self.files: list[FileDiff] = []
        self.left = [0, 0]  # old and new lines that the open hunk still holds
        self.fresh = False  # the last file has only a `diff --git` line so far

    def take(self, line: str, following: str) -> None:
        header = line.startswith("--- ") and following.startswith("+++ ")
        if (
            self.left != [0, 0]
            and line[:1] in ("+", "-", " ", "\\", "")
            and not (header and not self.left[1])
        ):
            self._body(line)
        elif line.startswith("diff --git "):
            self.left = [0, 0]
            self._open(*_git_names(line))
        elif header:
            self.left = [0, 0]
            self._old(_name(line[4:]))
        elif line.startswith("+++ ") and self.files and self.files[-1].new is None and not self.fresh:
            self.files[-1].new = _name(line[4:])
        elif self.files:
            self._inside(line)

    def _inside(self, line: str) -> None:
        last = self.files[-1]
        hunk = HUNK.match(line)
        if hunk:
            self.left = [int(hunk[1] or 1), int(hunk[2] or 1)]
            self.fresh = False
        elif line.startswith("rename from "):
            last.old = _unquoted(line[12:])
        elif line.startswith("rename to "):
            last.new = _unquoted(line[10:])
        elif line.startswith("deleted file mode"):
            last.new = None
        elif line.startswith("new file mode"):
            last.old = None
        elif not line.startswith("+++ "):
            self._loose(line)

    def _loose(self, line: str) -> None:
        """A line of a hunk without header, as a cut-down diff has them."""
        if line.startswith("+"):
            self.files[-1].added.append(line[1:])
        elif line.startswith("-"):
            self.files[-1].removed.append(line[1:])

    def _body(self, line: str) -> None:
        kind = line[:1]
        if kind == "+":
            self.files[-1].added.append(line[1:])
            self.left[1] -= 1
        elif kind == "-":
            self.files[-1].removed.append(line[1:])
            self.left[0] -= 1
        elif kind != "\\":  # "\ No newline at end of file" counts for nothing
            self.left = [count - 1 for count in self.left]
        self.left = [max(0, count) for count in self.left]

    def _open(self, old: str | None, new: str | None) -> None:
        self.files.append(FileDiff(old, new))
        self.fresh = True

    def _old(self, name: str | None) -> None:
        """A `---` line: it completes a `diff --git` line, or opens a file of a diff without one."""
        if not self.fresh:
            self.files.append(FileDiff())
        self.files[-1].old = name
        self.files[-1].new = None
        self.fresh = False


def _git_names(line: str) -> tuple[str | None, str | None]:
    rest = line[len("diff --git ") :]
    quoted = QUOTED.findall(rest)
    if len(quoted) == 2:
        return _bare(_unescaped(quoted[0])), _bare(_unescaped(quoted[1]))
    # Names may hold spaces: "a/x y b/x y" splits in the middle when both are the same.
    half = (len(rest) - 1) // 2
    if rest[:half][2:] == rest[half + 1 :][2:] and rest[half : half + 1] == " ":
        return _bare(rest[:half]), _bare(rest[half + 1 :])
    before, found, after = rest.rpartition(" b/")
    return (_bare(before), after) if found else (None, _bare(rest.split(" ")[-1]))


def _name(text: str) -> str | None:
    text = text.split("\t", 1)[0].rstrip()
    name = _bare(_unquoted(text))
    return None if text == NOWHERE else name


def _bare(name: str) -> str:
    return name[2:] if name[:2] in ("a/", "b/") else name.removeprefix("./")


def _unquoted(text: str) -> str:
    quoted = QUOTED.fullmatch(text.strip())
    return _unescaped(quoted[1]) if quoted else text


def _unescaped(text: str) -> str:
    """Git's C style: octal bytes of UTF-8."""
    raw = ESCAPE.sub(lambda m: chr(int(m[1], 8)) if m[1].isdigit() else LETTERS.get(m[1], m[1]), text)
    try:
        return raw.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return raw
