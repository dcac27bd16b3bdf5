"""The kernels that go voter by voter, where threads share the voters."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.bradley_terry import fit, simulate, style
from ratings.bradley_terry.simulate import Crowd
from ratings.design import threads
from ratings.design.comparisons import gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine.compiled import by_voter, full_fit, heavy_voters, kernels
from ratings.engine.reference import jackknife
from ratings.leaderboard import Plan

pytestmark = pytest.mark.slow  # numba compiles each kernel anew when one has changed

STYLE = simulate.TRAITS


@pytest.mark.parametrize("names", [(), STYLE])
def test_voters_that_threads_share(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    monkeypatch.setattr(by_voter, "LARGE", 1000)
    # Some voters have so few votes that most of their score is zero, one has dozens a parameter.
    table = simulate.votes(simulate.models(30, rng), Crowd(8000, 300), rng)
    styled = style.fit(gather(select(prepare(table, names), Plan(style=names))[1], np.arange(30), 30), names)
    data, best = styled.data, styled.fit
    terms = full_fit.terms(data, best.params, ties=False)  # laid out as kernels get them
    information = fit.centred(best.information, 30)
    around = (information, np.linalg.inv(information), rng.random(len(data.size)) < 0.1)

    one, other = (code(data, terms, *around) for code in (jackknife.totals, kernels.voters))
    shares = [code(data, terms, around[1]) for code in (jackknife.shares, kernels.shares)]

    for name in ("scores", "dfbeta", "effective"):
        expected = getattr(one, name)
        assert getattr(other, name) == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    rows = np.flatnonzero(data.voter == np.argmax(np.bincount(data.voter)))
    for part in (0, 1):
        mine, expected = (
            code(data, terms, rows, len(best.params))[part] for code in (heavy_voters.voter, jackknife.voter)
        )
        assert mine == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert shares[1][part] == pytest.approx(shares[0][part], rel=1e-9)
    monkeypatch.setattr(threads, "processors", lambda: 1)
    alone = kernels.voters(data, terms, *around)
    assert (alone.dfbeta.tolist(), alone.scores.tolist()) == (other.dfbeta.tolist(), other.scores.tolist())
