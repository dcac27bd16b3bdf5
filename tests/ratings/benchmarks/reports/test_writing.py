"""The written report: it says what there is, and nothing of what there is not."""

from __future__ import annotations

from ratings.benchmarks.reports.report import report
from ratings.benchmarks.reports.writing import markdown
from ratings.benchmarks.results.results import ItemResults


def quiz(models: int) -> ItemResults:
    """Two items; the first is right for all."""
    return ItemResults.of(
        {"benchmark": "quiz", "model": f"m{m}", "item": f"q{n}", "score": float(n == 0)}
        for m in range(models)
        for n in range(2)
    )


def test_one_model_is_compared_with_nothing() -> None:
    told = markdown(report(quiz(1)))

    assert "2 items, 1 model, level" in told
    assert "## Pairs" not in told
    assert "cannot tell" not in told


def test_two_models_are_compared() -> None:
    told = markdown(report(quiz(2)))

    assert "2 items, 2 models, level" in told
    assert "cannot tell 2 of 2 models" in told
    assert "## Pairs" in told
