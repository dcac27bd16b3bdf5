"""Figures of the house, read from the sources: rooms, floors, arrows, circles. `python -m tests.house_figures`.

A room of a package is one of its entries: a folder, or a single module. Room A has an arrow to room B where a module of
A imports one of B. A room stands on floor 1 where it imports no other room, else one above the highest that it imports.
Folders inside a room are rooms of that room, and have figures of their own.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("arena", "ratings", "web")

Graph = dict[str, set[str]]

# The rule, a line each, lowest first: a room imports rooms that stand before it, never one behind.
ORDER = {
    "arena": (
        "errors votes battles",  # values
        "store settings",
        "bank importers",
        "archive voters",
        "service preflight launch",
        "commands __main__",
    ),
    "ratings": (
        "scale leaderboard tiers tables words exports stats",  # values
        "design",  # data
        "engine bradley_terry",  # estimator
        "ranking",
        "releases benchmarks diagnostics",  # a release as values and files: what the following read and write
        "charts crossref reports",
        "api __init__",  # the door for notebooks
        "refresh",
        "commands __main__",
    ),
}


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def read_sources(root: Path = ROOT) -> dict[str, str]:
    """Module name -> text, for every file of the product."""
    paths = (path for package in PACKAGES for path in sorted((root / package).rglob("*.py")))
    return {module_name(path.relative_to(root)): path.read_text(encoding="utf-8") for path in paths}


def imports(module: str, source: str, known: Mapping[str, str]) -> Iterator[str]:
    """Every module that `source` imports, anywhere in it; `from package import module` counts as the module."""
    # In a package's __init__ a leading dot means the package itself.
    is_package = any(name.startswith(f"{module}.") for name in known)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                keep = len(parts) - node.level + is_package
                base = ".".join([*parts[:keep], *filter(None, [node.module])])
            for alias in node.names:
                below = f"{base}.{alias.name}"
                yield below if below in known else base


def module_graph(sources: Mapping[str, str]) -> Graph:
    """Module -> the modules of the product that it imports."""
    return {
        name: (set(imports(name, text, sources)) & set(sources)) - {name} for name, text in sources.items()
    }


def room_graph(modules: Graph, package: str) -> Graph:
    """Arrows between the rooms of one package."""

    def room(module: str) -> str:
        return "__init__" if module == package else module.removeprefix(f"{package}.").split(".")[0]

    inside = {name for name in modules if name == package or name.startswith(f"{package}.")}
    rooms: Graph = {room(name): set() for name in inside}
    for name in inside:
        rooms[room(name)] |= {room(target) for target in modules[name] & inside} - {room(name)}
    return rooms


def circle(graph: Graph) -> list[str]:
    """Names that import each other in a ring, first one repeated at the end; empty when there is none."""
    while leaves := {name for name, targets in graph.items() if not targets}:
        graph = {name: targets - leaves for name, targets in graph.items() if name not in leaves}
    path: list[str] = []
    step = next(iter(graph), None)
    while step is not None and step not in path:
        path.append(step)
        step = min(graph[step])
    return [] if step is None else [*path[path.index(step) :], step]


def longest_way(graph: Graph) -> list[str]:
    """The longest chain of imports, top first. Needs a graph without circles."""
    best: dict[str, list[str]] = {}

    def way(name: str) -> list[str]:
        if name not in best:
            best[name] = [name, *max((way(target) for target in sorted(graph[name])), key=len, default=[])]
        return best[name]

    return max((way(name) for name in sorted(graph)), key=len, default=[])


def upward(graph: Graph, order: tuple[str, ...]) -> list[str]:
    """Arrows against the rule; a room that the rule does not name counts as one."""
    level = {room: number for number, line in enumerate(order) for room in line.split()}
    return sorted(
        f"{room} -> {target}"
        if room in level and target in level
        else f"{room} -> {target}: not in the order"
        for room, targets in graph.items()
        for target in targets
        if level.get(room, -1) < level.get(target, 99)
    )


@dataclass(frozen=True)
class Figures:
    """What one package looks like from above."""

    package: str
    files: int
    lines: int
    rooms: int
    arrows: int
    upward: tuple[str, ...]
    circle: tuple[str, ...]
    floors: int | None  # None: there is a circle
    way: tuple[str, ...]

    def __str__(self) -> str:
        floors = f"a circle {' -> '.join(self.circle)}" if self.floors is None else f"{self.floors:2d} floors"
        return (
            f"{self.package:22s} {self.files:3d} files {self.lines:6,d} lines {self.rooms:3d} rooms "
            f"{self.arrows:3d} arrows, {len(self.upward)} upward, {floors}"
        )


def figures(sources: Mapping[str, str], modules: Graph, package: str) -> Figures:
    graph = room_graph(modules, package)
    ring = circle(graph)
    way = () if ring else tuple(longest_way(graph))
    inside = [text for name, text in sources.items() if f"{name}.".startswith(f"{package}.")]
    return Figures(
        package,
        files=len(inside),
        lines=sum(len(text.splitlines()) for text in inside),
        rooms=len(graph),
        arrows=sum(map(len, graph.values())),
        upward=tuple(upward(graph, ORDER[package])) if package in ORDER else (),
        circle=tuple(ring),
        floors=None if ring else len(way),
        way=way,
    )


def packages(sources: Mapping[str, str]) -> list[str]:
    """The packages, and the rooms that have rooms of their own."""
    deep = {name.rpartition(".")[0] for name in sources if "." in name}
    return sorted({name.rpartition(".")[0] for name in deep if "." in name} | set(PACKAGES))


def entries(package: str, root: Path = ROOT) -> list[str]:
    return sorted(path.name for path in (root / package).iterdir() if path.name != "__pycache__")


def classes(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Public class name -> the modules that define one so called."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, text in sources.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module)
    return found


def same_file_names(sources: Mapping[str, str]) -> list[str]:
    """File names met twice within one room and its rooms. A command may be called as what it calls, twins of engines as each other."""
    found = []
    for package in PACKAGES:
        for room in room_graph({name: set() for name in sources}, package):
            prefix = f"{package}.{room}."
            inside = [name for name in sources if name.startswith(prefix) and not _is_package(name, sources)]
            counts = Counter(
                name.rpartition(".")[2] for name in inside if not name.startswith("ratings.engine.")
            )
            found += [f"{package}/{room}: {name}.py" for name, count in counts.items() if count > 1]
    return found


def _is_package(name: str, sources: Mapping[str, str]) -> bool:
    return any(other.startswith(f"{name}.") for other in sources)


def report(sources: Mapping[str, str]) -> str:
    modules = module_graph(sources)
    every = [figures(sources, modules, package) for package in packages(sources)]
    lines = [str(each) for each in every]
    lines += [
        f"longest way in {each.package}: {' > '.join(each.way)}" for each in every if each.package in ORDER
    ]
    lines += [f"upward in {each.package}: {arrow}" for each in every for arrow in each.upward]
    if not circle(modules):
        chain = longest_way(modules)
        lines.append(f"longest chain of files: {len(chain)}: {' > '.join(chain)}")
    lines += [f"{package}: {len(entries(package))} entries" for package in PACKAGES]
    return "\n".join(lines)


if __name__ == "__main__":
    print(report(read_sources()))
