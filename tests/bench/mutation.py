"""Draw one-token changes of product code and see whether tests catch them. Never part of the suite.

    python tests/bench/mutation.py                       # 200 changes, tests of their room, then the whole suite
    python tests/bench/mutation.py --count 30 --seed 2 --room ratings/bradley_terry --near

Each change is made in a copy of the checkout: an order turned round, a sum for a difference, `and` for `or`, a constant
one further, True for False. Docstrings, annotations, messages and what numba compiles by hand-made code are left alone.
Tests of the change's own room run first, the fast ones before all, each run until its first failure; a change that they
miss is tried on the whole suite, unless `--near`. What is printed as missed needs a look: some changes alter nothing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("arena", "ratings", "web")
LEFT_ALONE = ("ratings/engine/compiled/vectors.py",)
APART = {  # where more is asked: share of changes to be caught
    "estimator": ("ratings/engine", "ratings/bradley_terry", "ratings/design", "ratings/ranking"),
    "store": ("arena/store",),
    "scripts": ("arena/store/scripts",),
}
SECONDS = 900  # of one run of tests; a change that makes it hang is caught

COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
WRITTEN: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.BitAnd: "&", ast.BitOr: "|", ast.And: "and", ast.Or: "or",
}  # fmt: skip
TURNED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.BitAnd: "|", ast.BitOr: "&"
}  # fmt: skip
LUA = {"<": "<=", ">": ">=", "==": "~=", "~=": "==", "and": "or", "or": "and", "+": "-", "true": "false"}


@dataclass(frozen=True)
class Change:
    """One token of a file, at characters `start` to `end`, and what stands there instead."""

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str

    @property
    def room(self) -> str:
        """The first two folders, or the file itself."""
        return "/".join(self.file.split("/")[:2])

    def apply(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        path.write_text(text[: self.start] + self.after + text[self.end :], encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before} -> {self.after}"


def changes(root: Path, file: str) -> list[Change]:
    """Every change of a file."""
    text = (root / file).read_text(encoding="utf-8")
    found = lua_changes(file, text) if file.endswith(".lua") else python_changes(file, text)
    return [change for change in found if change.before != change.after]


class Places:
    """Characters of a text by the lines and UTF-8 columns of its syntax tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def of(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)


def python_changes(file: str, text: str) -> Iterator[Change]:
    places = Places(text)
    for node in looked_at(ast.parse(text)):
        for start, end, after in replacements(node, places):
            yield Change(file, text.count("\n", 0, start) + 1, start, end, text[start:end], after)


def looked_at(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but annotations, and what is raised, logged or formatted into text."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_text = isinstance(child, ast.JoinedStr | ast.Raise | ast.Assert)
            if isinstance(child, ast.AST) and not is_text:
                yield child
                yield from looked_at(child)


def replacements(node: ast.AST, places: Places) -> Iterator[tuple[int, int, str]]:
    """(start, end, new text) for each token of the node itself."""
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            for left, right, operator in zip(sides, sides[1:], node.ops, strict=False):
                yield from between(left, right, WRITTEN[type(operator)], COMPARED[type(operator)], places)
        case ast.BoolOp():
            word = WRITTEN[type(node.op)]
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from between(left, right, word, {"and": "or", "or": "and"}[word], places)
        case ast.BinOp() if type(node.op) in TURNED:
            yield from between(node.left, node.right, WRITTEN[type(node.op)], TURNED[type(node.op)], places)
        case ast.UnaryOp(op=ast.Not()):
            start = places.of(node)[0]
            yield start, start + len("not "), ""
        case ast.Constant(value=bool()):
            yield *places.of(node), str(not node.value)
        case ast.Constant(value=int()):
            yield *places.of(node), str(node.value + 1)
        case ast.Constant(value=float()):
            yield *places.of(node), repr(node.value * 1.1 + 0.01 * (node.value == 0))


def between(
    left: ast.expr, right: ast.expr, word: str, other: str, places: Places
) -> Iterator[tuple[int, int, str]]:
    """The operator between two expressions, where nothing else between them could be taken for it."""
    low, high = places.of(left)[1], places.of(right)[0]
    gap = places.text[low:high]
    if gap.count(word) == 1 and "#" not in gap:
        start = low + gap.index(word)
        yield start, start + len(word), other


def lua_changes(file: str, text: str) -> Iterator[Change]:
    place = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        code = line.split("--", 1)[0]
        at = 0
        for word in code.split(" "):
            after = LUA.get(word.strip()) or (str(int(word) + 1) if word.strip().isdigit() else None)
            if after is not None:
                start = place + at + word.index(word.strip())
                yield Change(file, number, start, start + len(word.strip()), word.strip(), after)
            at += len(word) + 1
        place += len(line)


def draw(root: Path, count: int, seed: int, room: str) -> list[Change]:
    """Changes at random, each as likely as any other."""
    files = sorted(
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for kind in ("*.py", "*.lua")
        for path in (root / package).rglob(kind)
    )
    everything = [
        change
        for file in files
        if file.startswith(room) and file not in LEFT_ALONE
        for change in changes(root, file)
    ]
    return random.Random(seed).sample(everything, min(count, len(everything)))


def is_caught(root: Path, change: Change, near: bool, python: str) -> str | None:
    """By which run of tests the change is caught, if any."""
    tests = nearest_tests(root, change.file)
    runs = [(f"fast {tests}", ["--fast", tests]), (tests, [tests])]
    if not near:
        runs += [("fast", ["--fast", "tests"]), ("whole", ["tests"])]
    whole = (root / change.file).read_text(encoding="utf-8")
    change.apply(root)
    try:
        return next((name for name, words in runs if fails(root, words, python)), None)
    finally:
        (root / change.file).write_text(whole, encoding="utf-8")


def nearest_tests(root: Path, file: str) -> str:
    """The folder of tests of the file's room, or of the next room around it that has one."""
    folder = Path("tests", file).parent
    while not any((root / folder).glob("test_*.py")) and folder != Path("tests"):
        folder = folder.parent
    return folder.as_posix()


def fails(root: Path, words: list[str], python: str) -> bool:
    command = [python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n", "0", *words]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, 5)  # 5: no tests


def copy(root: Path, to: Path) -> Path:
    """What git knows of the checkout, as it stands."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)
    return to


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--room", default="", help="only files whose path starts so")
    parser.add_argument("--near", action="store_true", help="only the tests of the change's own room")
    parser.add_argument("--list", action="store_true", help="only print the changes")
    args = parser.parse_args()
    drawn = draw(ROOT, args.count, args.seed, args.room)
    if args.list:
        print(*drawn, sep="\n")
        return
    caught: Counter[str] = Counter()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        root = copy(ROOT, Path(folder))
        for number, change in enumerate(drawn, start=1):
            by = is_caught(root, change, args.near, sys.executable)
            rooms = [change.room, "all", *(name for name, at in APART.items() if change.file.startswith(at))]
            total.update(rooms)
            caught.update(rooms if by else [])
            print(f"{number:3d} {f'caught by {by}' if by else 'MISSED':40s} {change}", flush=True)
    print()
    for room in sorted(total):
        print(f"{room:30s} {caught[room]:3d} of {total[room]:3d} caught, {caught[room] / total[room]:4.0%}")


if __name__ == "__main__":
    main()
