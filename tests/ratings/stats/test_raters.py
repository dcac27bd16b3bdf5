"""Agreement of several graders, against published examples and a peer."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa

from ratings.stats.arguments import BadNumber
from ratings.stats.raters import label_counts, several_raters

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four observers, twelve units, alpha .743.
OBSERVERS = ("12332141 2...", "12332241 25.3", ".3332342 251.", "12332441 251.")
# Fleiss 1971's layout, the table of ten subjects, fourteen raters and five categories of its encyclopedia entry: kappa .210.
SUBJECTS = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1], [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]  # fmt: skip


def test_alpha_of_krippendorffs_example() -> None:
    graders = [[None if mark == "." else mark for mark in row.replace(" ", "")] for row in OBSERVERS]

    found = several_raters(label_counts(list(zip(*graders, strict=True))))

    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert (found.items, found.alone, found.gradings, found.fleiss) == (11, 1, 40, None)
    assert found.alpha_low is not None
    assert found.alpha_low < found.alpha


def test_kappa_of_the_textbook_table() -> None:
    found = several_raters(SUBJECTS)

    assert found.fleiss == pytest.approx(0.210, abs=5e-4)
    assert found.fleiss == pytest.approx(fleiss_kappa(np.array(SUBJECTS)), abs=1e-12)


def test_one_label_is_undefined_and_said_so() -> None:
    found = several_raters([[3, 0], [3, 0]])

    assert (found.alpha, found.fleiss) == (None, None)
    assert "one label" in (found.why or "")


def test_items_graded_once_say_nothing() -> None:
    assert several_raters([[1, 0], [0, 1]]).why == "no item was graded twice"


@pytest.mark.parametrize("counts", [[[0.5, 1.0]], [[-1, 2]]])
def test_what_is_no_count_is_refused(counts: list[list[float]]) -> None:
    with pytest.raises(BadNumber):
        several_raters(counts)
