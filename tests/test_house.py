"""The house rules, read from the sources: who may import whom, what importing may do, how long a file may be."""

from __future__ import annotations

import ast
import fnmatch
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from arena.settings.settings import Settings, variable
from tests import house_figures
from tests.house_figures import PACKAGES, ROOT, imports

MAX_LINES = 400

Patterns = tuple[
    str, ...
]  # of module names; `x` stands for `x` and all below it, `x*` for names that start so
ALL: Patterns = PACKAGES


@dataclass(frozen=True)
class Never:
    """Modules `who` (but not `exempt`) never import `what` (but for `allowed`)."""

    why: str
    who: Patterns
    what: Patterns
    exempt: Patterns = ()
    allowed: Patterns = ()


# The statistical core: arrays in, arrays out.
CORE: Patterns = (
    "ratings.scale", "ratings.bradley_terry.fit", "ratings.engine.reference.davidson", "ratings.bradley_terry.intervals", "ratings.bradley_terry.ranks",
    "ratings.design.components", "ratings.engine.reference.pairs", "ratings.engine.reference.rows", "ratings.engine.reference.rounds", "ratings.engine.reference.jackknife", "ratings.engine.reference.newton_steps", "ratings.engine.reference.weights",
    "ratings.engine.choice", "ratings.bradley_terry.one_step", "ratings.bradley_terry.pair_rounds", "ratings.bradley_terry.bootstrap", "ratings.bradley_terry.jackknife", "ratings.bradley_terry.influence",
    "ratings.design.threads",
)  # fmt: skip
CORE_TAKES: Patterns = (
    "numpy", "scipy", "threadpoolctl", "arena.errors", "ratings.design.comparisons", "ratings.engine.compiled",
)  # fmt: skip
# What the web process reads of ratings; none of it fits or loads scipy.
RESULTS: Patterns = (
    "ratings.leaderboard", "ratings.releases.release", "ratings.releases.storage", "ratings.exports", "ratings.tables", "ratings.charts.charts",
    "ratings.releases.boards", "ratings.releases.folder", "ratings.releases.payloads", "ratings.benchmarks.library.published", "ratings.benchmarks.reports.drawing",
)  # fmt: skip
COMMANDS: Patterns = ("arena.commands", "arena.__main__", "ratings.commands", "ratings.__main__")
RATINGS_DOORS: Patterns = ("ratings.refresh", "ratings.__main__", "ratings.commands*", "ratings.api")
FILE_READERS = "ratings.benchmarks.readers"
NEVERS = (
    Never("arena stands alone", who=("arena",), what=("ratings", "web")),
    Never("ratings does not know the web", who=("ratings",), what=("web",)),
    Never("nothing runs on test code", who=ALL, what=("tests", "pytest", "hypothesis")),
    Never(
        "web reads results of ratings and computes none",
        who=("web",),
        what=("ratings",),
        allowed=RESULTS,
    ),
    Never("the web process never fits", who=("web",), what=("scipy", "sklearn", "numba", "statsmodels")),
    Never(
        "ratings takes votes, not services",
        who=("ratings",),
        what=("arena",),
        exempt=(*RATINGS_DOORS, FILE_READERS),
        allowed=("arena.votes", "arena.errors", "arena.settings.bounds", "arena.settings.atomic"),
    ),
    Never(
        "readers of results share with the importers of votes how a file is opened, unpacked and split, and no more",
        who=(FILE_READERS,),
        what=("arena",),
        allowed=("arena.errors", "arena.settings.bounds", "arena.importers.files", "arena.importers.values.values"),
    ),
    Never(
        "even the doors of ratings take only these",
        who=RATINGS_DOORS,
        what=("arena",),
        allowed=(
            "arena.votes", "arena.errors", "arena.store", "arena.archive", "arena.voters.identity", "arena.importers",
            "arena.settings", "arena.archive.columns", "arena.archive.kept_votes", "arena.settings.bounds",
        ),
    ),
    Never("importers know nothing of the store", who=("arena.importers",), what=("arena.store", "arena.service")),
    Never("one family of files speaks Redis", who=ALL, what=("redis", "valkey"), exempt=("arena.store",)),
    Never("Flask stays in web", who=("arena", "ratings"), what=("flask*", "werkzeug", "wtforms", "gunicorn")),
    Never("only commands know the command line", who=ALL, what=("click", "rich"), exempt=COMMANDS),
    Never("compiled code stays in one file", who=ALL, what=("numba", "llvmlite"), exempt=("ratings.engine.compiled",)),
    Never("nothing that runs code is read back", who=ALL, what=("pickle", "marshal", "shelve", "dill", "joblib")),
)  # fmt: skip


def matches(module: str, patterns: Patterns) -> bool:
    return any(fnmatch.fnmatchcase(module, p) or fnmatch.fnmatchcase(module, f"{p}.*") for p in patterns)


def broken_nevers(sources: Mapping[str, str]) -> list[str]:
    """One line for each import that a rule forbids."""
    return [
        f"{module} imports {target}: {rule.why}"
        for module, source in sources.items()
        for target in sorted(set(imports(module, source, sources)))
        for rule in NEVERS
        if matches(module, rule.who)
        and not matches(module, rule.exempt)
        and matches(target, rule.what)
        and not matches(target, rule.allowed)
    ]


def impure_core(sources: Mapping[str, str]) -> list[str]:
    """One line for each import of the statistical core that it may not have."""
    return [
        f"{module} imports {target}"
        for module, source in sources.items()
        if matches(module, CORE)
        for target in sorted(set(imports(module, source, sources)))
        if not matches(target, (*CORE, *CORE_TAKES)) and target.split(".")[0] not in sys.stdlib_module_names
    ]


def environment_readers(sources: Mapping[str, str]) -> set[str]:
    """Modules that touch the environment."""
    words = {"environ", "getenv", "putenv"}
    return {
        module
        for module, source in sources.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr in words
    }


SOURCES = house_figures.read_sources()
GRAPH = house_figures.module_graph(SOURCES)
MAX_FLOORS = 11  # of the rooms of a package
MOST_ENTRIES = {"arena": 15, "ratings": 20}
# One word for one thing in several places: readers of votes and of results, forms of exports, command groups.
SAME_MEANING = {"Account", "Commands", "Format", "Reading", "Source"}


def test_no_import_breaks_a_never() -> None:
    assert broken_nevers(SOURCES) == []


def test_the_statistical_core_is_numpy_and_scipy_only() -> None:
    assert impure_core(SOURCES) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert house_figures.circle(GRAPH) == []


def test_rooms_stand_in_the_order_of_the_rule(capsys: pytest.CaptureFixture[str]) -> None:
    every = [house_figures.figures(SOURCES, GRAPH, package) for package in house_figures.packages(SOURCES)]
    with capsys.disabled():
        print("", house_figures.report(SOURCES), sep="\n")

    assert [(each.package, arrow) for each in every for arrow in each.upward] == []
    assert [each.circle for each in every if each.circle] == []
    assert {each.package: each.floors for each in every if (each.floors or 0) > MAX_FLOORS} == {}


def test_an_arrow_upwards_is_found() -> None:
    found = house_figures.upward({"low": {"high"}, "high": {"low"}, "odd": {"low"}}, ("low", "high"))

    assert found == ["low -> high", "odd -> low: not in the order"]


def test_no_file_name_comes_twice_in_one_room() -> None:
    assert house_figures.same_file_names(SOURCES) == []


def test_no_class_name_comes_twice_with_another_meaning() -> None:
    twins = {name for name, modules in house_figures.classes(SOURCES).items() if len(modules) > 1}

    assert twins <= SAME_MEANING


@pytest.mark.parametrize(("package", "most"), sorted(MOST_ENTRIES.items()))
def test_a_package_is_taken_in_at_a_glance(package: str, most: int) -> None:
    assert len(house_figures.entries(package)) <= most


@pytest.mark.parametrize("module", ["ratings", "ratings.refresh.job"])
def test_importing_it_loads_nothing_of_the_command_line(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{'click', 'rich', 'scipy', 'sklearn', 'flask'}} & set(sys.modules)))"

    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert set(loaded.stdout.split()) & {"click", "rich", "flask"} == set()
    assert module != "ratings" or loaded.stdout.split() == []


def test_only_the_settings_and_the_launcher_read_the_environment() -> None:
    assert environment_readers(SOURCES) <= {
        "arena.settings.settings",
        "arena.launch",
        "arena.settings.bounds",
    }


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("arena.made_up", "import ratings.scale"),
        ("arena.made_up", "from ratings import leaderboard"),
        ("arena.made_up", "def late():\n    import web"),
        ("arena.importers.made_up", "from arena.store.store import Store"),
        ("arena.made_up", "import redis.exceptions"),
        ("arena.made_up", "from flask_limiter import Limiter"),
        ("ratings.made_up", "from arena.store.store import Store"),
        ("ratings.refresh.job", "from arena import service"),
        ("ratings.benchmarks.readers.made_up", "from arena.importers.rules import checks"),
        ("ratings.benchmarks.results.made_up", "from arena.importers.files import sources"),
        ("ratings.made_up", "import numba"),
        ("ratings.made_up", "import pickle"),
        ("web.made_up", "from ratings import ranking"),
        ("web.made_up", "from ..ratings import ranking"),
        ("web.made_up", "from scipy.special import expit"),
    ],
)
def test_a_forbidden_import_is_found(module: str, line: str) -> None:
    stub = dict.fromkeys(
        ("ratings.scale", "ratings.leaderboard", "ratings.ranking.rank", "arena.service"), ""
    )

    found = broken_nevers({**stub, module: line})

    assert [fault.split(" imports ")[0] for fault in found] == [module]


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ratings.made_up", "from arena.votes import VoteTable"),
        ("ratings.refresh.job", "from arena.store.store import Store"),
        ("ratings.benchmarks.readers.made_up", "from arena.importers.files import sources"),
        ("ratings.engine.compiled", "import numba"),
        ("web.made_up", "from ratings import leaderboard\nimport flask"),
        ("arena.store", "import redis"),
    ],
)
def test_an_allowed_import_passes(module: str, line: str) -> None:
    assert broken_nevers({"ratings.leaderboard": "", module: line}) == []


def test_an_impure_core_is_found() -> None:
    made_up = {
        "ratings.scale": "import math\nimport numpy\nimport pandas\nfrom arena.errors import BadInput\nfrom arena.votes import Vote"
    }

    assert impure_core(made_up) == ["ratings.scale imports arena.votes", "ratings.scale imports pandas"]


def test_a_circle_is_found() -> None:
    made_up = {
        "arena.a": "from arena import b",
        "arena.b": "from . import c",
        "arena.c": "def f(): import arena.a",
    }

    graph = house_figures.module_graph(made_up)

    assert house_figures.circle(graph) == ["arena.a", "arena.b", "arena.c", "arena.a"]


def test_a_reader_of_the_environment_is_found() -> None:
    assert environment_readers({"arena.a": "import os\nx = os.environ.get('X')"}) == {"arena.a"}


PRODUCT_FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
PYTHON_FILES = [*PRODUCT_FILES, *sorted((ROOT / "tests").rglob("*.py"))]


def test_no_file_is_too_long() -> None:
    lines = {str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in PYTHON_FILES}

    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}


def test_every_file_says_in_its_first_line_what_lives_there() -> None:
    # An empty __init__ only marks a folder of tests.
    first_lines = {p: text.split("\n", 1)[0] for p in PYTHON_FILES if (text := p.read_text(encoding="utf-8"))}

    assert [str(p.relative_to(ROOT)) for p, line in first_lines.items() if not line.startswith('"""')] == []
    assert [str(p.relative_to(ROOT)) for p, line in first_lines.items() if len(line) < len('"""Words.')] == []


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_has_a_row_in_the_readme(field: str) -> None:
    rows = [
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")
    ]

    assert any(f"`{variable(field)}`" in row.split("|")[1] for row in rows)
