"""Corrections for many tests, against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from ratings.stats.arguments import BadNumber
from ratings.stats.multiplicity import METHODS, adjusted, family


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25)  # statsmodels takes 70 ms for Holm's of 30
@given(arrays(np.float64, st.integers(1, 30), elements=st.floats(1e-6, 1 - 1e-6)))
def test_adjusted_values_are_those_of_statsmodels(method, p):
    np.testing.assert_allclose(adjusted(p, method), multipletests(p, method=method)[1], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_edges(method):
    assert adjusted([], method).tolist() == []
    assert adjusted([1.0, 1.0], method).tolist() == [1, 1]
    assert adjusted([0.0, 1.0], method)[0] == 0
    assert adjusted([0.03], method).tolist() == pytest.approx([0.03])


def test_a_family_of_twenty():
    found = family(20)

    assert (found.expected_false, found.p_any) == (1.0, pytest.approx(1 - 0.95**20))
    assert found.bonferroni == pytest.approx(norm.ppf(1 - 0.025 / 20))
    assert family(1).sidak == pytest.approx(family(1).bonferroni) == pytest.approx(1.959964, abs=1e-6)
    assert family(10**9, 1e-12).p_any == pytest.approx(1e-3, rel=1e-3)


@pytest.mark.parametrize("p", [[1.1], [-0.1], [float("nan")], ["0.1"], [[0.1]], 0.1, [None]])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(BadNumber):
        adjusted(p)


def test_an_unknown_method_is_refused():
    with pytest.raises(BadNumber):
        adjusted([0.1], "hochberg")
    for arguments in ((0,), (2, 0), (2, 1), (2.5,)):
        with pytest.raises(BadNumber):
            family(*arguments)
