"""tau-bench and tau2: trials, crashes and rewards that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ratings.benchmarks.reports.score_line import score_line
from tests.ratings.benchmarks.readers.writing import cells, put, refusal, results

CHECKPOINT = "tool-calling-gpt-9-mini-0.0_range_0--1_user-gpt-4o-llm_0101010101.json"


def row(task: int, reward: Any, trial: int, **info: Any) -> dict[str, Any]:
    return {"task_id": task, "reward": reward, "trial": trial, "info": info, "traj": []}


def test_a_crash_is_no_wrong_answer_and_the_file_names_the_model(tmp_path: Path) -> None:
    file = put(tmp_path / CHECKPOINT, [row(0, 1.0, 0), row(0, 0.0, 1, error="timeout", traceback="...")])

    assert cells(file) == {("gpt-9-mini", "0", 0): (1.0, "ok"), ("gpt-9-mini", "0", 1): (0.0, "infra")}


def test_a_reward_within_a_millionth_of_1_is_1(tmp_path: Path) -> None:
    file = put(tmp_path / CHECKPOINT, [row(0, 1.0000005, 0), row(1, 0.999999, 0), row(2, 0.5, 0)])

    assert [score for score, _ in cells(file).values()] == [1.0, 1.0, 0.5]


def test_ragged_trials_end_pass_hat_k_at_the_fewest(tmp_path: Path) -> None:
    file = put(
        tmp_path / CHECKPOINT,
        [row(0, 1.0, 0), row(0, 1.0, 1), row(0, 0.0, 2), row(1, 1.0, 0), row(1, 1.0, 1)],
    )

    line = score_line(results(file)["tau-bench"], "gpt-9-mini", None)

    assert len(line.pass_hat) == 2


def test_text_as_a_reward_is_refused(tmp_path: Path) -> None:
    error = refusal(put(tmp_path / CHECKPOINT, [row(0, "1.0", 0)]))

    assert (error.problems[0].row, error.problems[0].column) == (1, "reward")


def simulation(task: str, trial: int, reward: float | None = 1.0, ended: str = "user_stop") -> dict[str, Any]:
    info = None if reward is None else {"reward": reward}
    return {
        "id": f"{task}-{trial}",
        "task_id": task,
        "trial": trial,
        "reward_info": info,
        "termination_reason": ended,
    }


def tau2(*simulations: dict[str, Any], trials: int = 2) -> dict[str, Any]:
    info = {"num_trials": trials, "agent_info": {"llm": "gpt-9"}, "environment_info": {"domain_name": "shop"}}
    return {"info": info, "tasks": [{"id": "t1"}], "simulations": list(simulations)}


def test_what_cannot_be_evaluated_has_no_score(tmp_path: Path) -> None:
    file = put(tmp_path / "results.json", tau2(
        simulation("t1", 0, None, "infrastructure_error"), simulation("t1", 1, None, "context_window_exceeded"),
        simulation("t1", 2, None), simulation("t1", 3, 0.5),
    ))  # fmt: skip

    assert list(cells(file).values()) == [(None, "infra"), (None, "error"), (None, "unscored"), (0.5, "ok")]


def test_trials_that_were_announced_and_are_missing_were_not_run(tmp_path: Path) -> None:
    file = put(tmp_path / "results.json", tau2(simulation("t1", 0)))

    assert cells(file)["gpt-9", "t1", 1] == (None, "not_run")


def test_simulations_may_lie_in_a_folder_beside(tmp_path: Path) -> None:
    found = tau2(trials=1)
    del found["simulations"]
    put(tmp_path / "results.json", {**found, "simulation_index": ["a"]})
    put(tmp_path / "simulations" / "a.json", simulation("t1", 0, 0.0))

    assert cells(tmp_path) == {("gpt-9", "t1", 0): (0.0, "ok")}
