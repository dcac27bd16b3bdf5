"""Write `docs/reference.md` from the docstrings of the doors for notebooks: `python docs/make_reference.py`."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import ratings
from ratings.api.arrays import ArrayFit
from ratings.api.tables import RankedBoard

PAGE = Path(__file__).resolve().parent / "reference.md"
HEAD = "# Reference\n\nWhat scripts and notebooks call. Made from the docstrings by `python docs/make_reference.py`.\n"
MODEL = ratings.BradleyTerry
# Name on the page -> what it describes, in order.
ENTRIES: dict[str, Any] = {
    "ratings.rank": ratings.rank,
    "RankedBoard.to_frame": RankedBoard.to_frame,
    "RankedBoard.summary": RankedBoard.summary,
    "RankedBoard.plot": RankedBoard.plot,
    "ratings.fit": ratings.fit,
    "ArrayFit": ArrayFit,
    "ratings.BradleyTerry": MODEL,
    "BradleyTerry.fit": MODEL.fit,
    "BradleyTerry.predict_proba": MODEL.predict_proba,
    "BradleyTerry.predict": MODEL.predict,
}


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(entry(name, what) for name, what in ENTRIES.items())])


def entry(name: str, what: Any) -> str:
    """One name with its arguments and its docstring."""
    return f"## `{name}`\n\n```text\n{name}({arguments(what)})\n```\n\n{body(inspect.getdoc(what) or '')}\n"


def arguments(what: Any) -> str:
    """Names and defaults, without types: the text below has them."""
    found = inspect.signature(what).parameters.values()
    return ", ".join(
        str(each.replace(annotation=inspect.Parameter.empty)) for each in found if each.name != "self"
    )


def body(docstring: str) -> str:
    """The docstring in Markdown: numpydoc's sections as bold words, described names as a list, examples as code."""
    docstring, examples, code = docstring.partition("\n>>> ")
    lines = docstring.splitlines()
    following = [*lines[1:], ""]
    text = [shown(line, after) for line, after in zip(lines, following, strict=True) if not is_rule(line)]
    return "\n".join([*text, *([f"```python\n>>> {code}\n```"] if examples else [])])


def shown(line: str, after: str) -> str:
    if is_rule(after):
        return f"**{line}**\n"
    if line.startswith("    "):
        return f"  {line.strip()}"
    if after.startswith("    "):
        return f"* `{line}`"
    return line


def is_rule(line: str) -> bool:
    return bool(line) and set(line) == {"-"}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
