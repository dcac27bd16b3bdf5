"""The pages of benchmarks: the list, one benchmark, one pair of models on it. They read published reports and compute nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from flask import Blueprint, Flask, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from arena.errors import NoData
from ratings.benchmarks.library.published import Page, Published
from ratings.benchmarks.reports import drawing
from web import current, slugs
from web.options import Options

blueprint = Blueprint("benchmarks", __name__)

_PUBLISHED = "arena.benchmarks"
PAIRS_SHOWN = 30
ITEMS_SHOWN = 100

Line = Mapping[str, Any]


@dataclass(frozen=True)
class ItemDifference:
    """An item on which two models differ: a share of each, in tenths."""

    item: str
    group: str
    a: str
    b: str


def configure(app: Flask, options: Options) -> None:
    app.extensions[_PUBLISHED] = Published(options.benchmarks)


@blueprint.get("/benchmarks")
def index() -> str:
    """Every imported benchmark with its best model, and whether it can still tell models apart."""
    pages = [_shown(page) for page in _published().pages()]
    return render_template("benchmarks.html", pages=pages)


@blueprint.get("/benchmarks/<slug>")
def show(slug: str) -> str:
    """One benchmark: scores with intervals, pairs with their test, items."""
    page = _page(slug)
    lines = _leaders_first(page.report)
    return render_template(
        "benchmark.html",
        page=page,
        report=page.report,
        pairs=lines[:PAIRS_SHOWN],
        all_pairs=len(lines),
        pictures=_pictures(page),
        slugs=_addresses(page),
    )


@blueprint.get("/benchmarks/<slug>/report.json")
def report(slug: str) -> Answer:
    """The same as JSON."""
    found = {key: value for key, value in _page(slug).report.items() if key != "pictures"}
    return cast(Answer, current_app.json.response(found))


@blueprint.get("/benchmarks/<slug>/pair")
def choose(slug: str) -> Answer:
    """The address of a pair that was chosen in the form."""
    return redirect(
        url_for("benchmarks.pair", slug=slug, a=request.args.get("a", ""), b=request.args.get("b", ""))
    )


@blueprint.get("/benchmarks/<slug>/<a>/<b>")
def pair(slug: str, a: str, b: str) -> str:
    """Two models on the items that both have: the difference, its interval and its test."""
    page = _page(slug)
    names = {address: name for name, address in _addresses(page).items()}
    if a not in names or b not in names or a == b:
        raise NoData(f"no such pair on {page.name}")
    line = _meeting(page.report, names[a], names[b])
    differences = list(_differences(page.report, line))
    return render_template(
        "benchmark_pair.html",
        page=page,
        report=page.report,
        line=line,
        reach=max(abs(line["low"] or 0.0), abs(line["high"] or 0.0), abs(line["diff"] or 0.0)) * 1.1 or 1.0,
        counts=_counts(page.report, line),
        differences=differences[:ITEMS_SHOWN],
        all_differences=len(differences),
    )


def _published() -> Published:
    return cast(Published, current_app.extensions[_PUBLISHED])


def _page(slug: str) -> Page:
    page = _published().page(slug)
    if page is None:
        raise NoData(f"no benchmark {slug!r}")
    return _shown(page)


def _shown(page: Page) -> Page:
    """The page without the models that may not be named."""
    hidden = current.arena().roster.hidden & {line["model"] for line in page.report["sheet"]["lines"]}
    return page if not hidden else Page(page.slug, page.name, redacted(page.report, hidden))


def redacted(report: Mapping[str, Any], hidden: frozenset[str] | set[str]) -> dict[str, Any]:
    """A report in which no word names a hidden model; its pictures are drawn anew."""
    sheet, found = report["sheet"], dict(report)
    kept = [row for row, line in enumerate(sheet["lines"]) if line["model"] not in hidden]
    warnings = [text for text in sheet["warnings"] if not any(name in text for name in hidden)]
    lines = [sheet["lines"][row] for row in kept]
    found["sheet"] = {**sheet, "lines": lines, "models": len(lines), "warnings": warnings}
    pairs = [line for line in report["comparison"]["lines"] if not {line["a"], line["b"]} & hidden]
    found["comparison"] = {**report["comparison"], "lines": pairs}
    if report["item_map"]:
        found["item_map"] = {**report["item_map"], "rows": [report["item_map"]["rows"][row] for row in kept]}
    for part in ("checks", "figures", "baselines"):
        found[part] = [row for row in report[part] if row["model"] not in hidden]
    found["implied"] = {name: value for name, value in report["implied"].items() if name not in hidden}
    found["pictures"] = None
    return found


def _pictures(page: Page) -> dict[str, str]:
    made = page.report.get("pictures")
    if made:
        return dict(made)
    return drawing.pictures(page.report)


def _addresses(page: Page) -> Mapping[str, str]:
    names = {line["model"] for line in page.report["sheet"]["lines"]}
    return slugs.assign(names, current.arena().roster)


def _leaders_first(report: Mapping[str, Any]) -> list[Line]:
    """Every pair, in the order of the better model's place on the page, then of the other's."""
    place = {line["model"]: number for number, line in enumerate(report["sheet"]["lines"])}
    return sorted(
        report["comparison"]["lines"], key=lambda line: sorted((place[line["a"]], place[line["b"]]))
    )


def _meeting(report: Mapping[str, Any], a: str, b: str) -> Line:
    """The line of a pair, seen from `a`."""
    for line in report["comparison"]["lines"]:
        if (line["a"], line["b"]) == (a, b):
            return cast(Line, line)
        if (line["a"], line["b"]) == (b, a):
            return drawing.mirrored(line)
    raise NoData("the two were not compared")


def _rows(report: Mapping[str, Any], line: Line) -> tuple[str, str] | None:
    if not report["item_map"]:
        return None
    rows = {
        found["model"]: row
        for found, row in zip(report["sheet"]["lines"], report["item_map"]["rows"], strict=True)
    }
    return rows[line["a"]], rows[line["b"]]


def _counts(report: Mapping[str, Any], line: Line) -> dict[str, int] | None:
    """How often both, one or none is right, where scores are right or wrong; None elsewhere."""
    rows = _rows(report, line)
    if rows is None or report["comparison"]["test"] != "McNemar, exact":
        return None
    pairs = [(x == "X", y == "X") for x, y in zip(*rows, strict=True) if "-" not in (x, y)]
    return {
        "both": sum(x and y for x, y in pairs), "a": sum(x and not y for x, y in pairs), "b": sum(y and not x for x, y in pairs),
        "none": sum(not x and not y for x, y in pairs),
    }  # fmt: skip


def _differences(report: Mapping[str, Any], line: Line) -> Iterator[ItemDifference]:
    rows = _rows(report, line)
    if rows is None:
        return
    for item, x, y in zip(report["item_map"]["items"], *rows, strict=True):
        if x != y and "-" not in (x, y):
            yield ItemDifference(item["item"], " / ".join(item["group"]), *(_tenths(cell) for cell in (x, y)))


def _tenths(cell: str) -> str:
    return "right" if cell == "X" else "wrong" if cell == "0" else f"{cell}0 % or more"
