"""The reference page is what the docstrings say, and their examples hold."""

from __future__ import annotations

import doctest
import runpy
from pathlib import Path
from types import ModuleType

import pytest

from ratings.api import arrays, estimator

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_reference_page_is_up_to_date() -> None:
    made = runpy.run_path(str(DOCS / "make_reference.py"))["page"]()

    assert (DOCS / "reference.md").read_text(encoding="utf-8") == made, "run python docs/make_reference.py"


@pytest.mark.parametrize("module", [arrays, estimator])
def test_examples_of_the_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
