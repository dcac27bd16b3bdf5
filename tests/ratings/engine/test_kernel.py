"""One small kernel by hand in the fast suite: the rest of them is in `test_compiled.py`, among the slow."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")

from ratings.engine.compiled import compiling, kernels


def test_score_and_information_of_two_pairs() -> None:
    pair_a, pair_b = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
    weight, score = np.array([[4.0, 8.0]]), np.array([[3.0, 2.0]])
    params = np.array([[np.log(3.0), 0.0, np.log(3.0)]])  # chances of 3/4 and 1/2
    gradient, information = np.zeros((1, 3)), np.zeros((1, 3, 3))

    kernels.pairs(pair_a, pair_b, weight, score, params, gradient, information)

    assert gradient[0] == pytest.approx([0.0 - 2.0, 0.0, 2.0], abs=1e-12)
    expected = [[0.75 + 2.0, -0.75, -2.0], [-0.75, 0.75, 0.0], [-2.0, 0.0, 2.0]]
    assert information[0] == pytest.approx(np.array(expected), abs=1e-12)


def test_kernels_made_in_many_threads_are_kept_in_one_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiling.config, "CACHE_DIR", str(tmp_path))
    folder = compiling.cache_folder()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: compiling.compiled(_double), range(64)))

    assert {Path(kernel._cache.cache_path) for kernel in made} == {folder}
    assert Path(compiling.config.CACHE_DIR) == folder.parent == tmp_path


def test_kernels_are_kept_where_every_checkout_of_the_user_finds_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiling.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert compiling.cache_folder().parent == tmp_path / "arena-ratings"
    assert Path(compiling.compiled(_double)._cache.cache_path) == compiling.cache_folder()


def _double(x: float) -> float:
    return 2.0 * x
