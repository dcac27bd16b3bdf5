"""Whatever stands in a field of any format: reading ends in records or in an error of ours."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.errors import BadInput
from ratings.benchmarks.readers import read
from ratings.benchmarks.results.assembly import assemble

VALUES: list[Any] = [None, True, -1, 2, 10**400, math.nan, math.inf, "", "x", "1.0", [], [1], {}, {"a": 1}]
SAMPLES: dict[str, Any] = {
    "lm_eval": [{"doc_id": 0, "doc": {}, "resps": [], "filtered_resps": [], "filter": "none", "metrics": ["acc"], "acc": 1.0}],
    "inspect": {"eval": {"task": "t", "model": "m", "dataset": {"sample_ids": ["a"]}}, "status": "success",
                "results": {"scores": [{"name": "s", "metrics": {"accuracy": {"value": 1}}}]},
                "samples": [{"id": "a", "epoch": 1, "scores": {"s": {"value": "C"}}, "error": None}]},
    "helm": [{"instance_id": "i", "train_trial_index": 0, "stats": [{"name": {"name": "exact_match"}, "count": 1, "mean": 1}]}],
    "swebench": {"total_instances": 1, "resolved_ids": ["a-1"], "submitted_ids": ["a-1"], "unresolved_ids": [], "failure_reasons": {}},
    "instance": {"a-1": {"patch_exists": True, "patch_is_None": False, "resolved": True}},
    "board": {"leaderboards": [{"name": "b", "results": [{"name": "m", "resolved": 1, "per_instance_details": {"a": {"resolved": True}}}]}]},
    "tau": [{"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0}],
    "tau2": {"info": {"num_trials": 1, "agent_info": {"llm": "m"}, "environment_info": {"domain_name": "d"}}, "tasks": [{"id": "a"}],
             "simulations": [{"task_id": "a", "trial": 0, "reward_info": {"reward": 1}, "termination_reason": "stop"}]},
    "promptfoo": {"results": {"version": 3, "results": [{"testIdx": 0, "provider": {"id": "m"}, "prompt": {"label": "p"},
                  "vars": {"q": "a"}, "score": 1, "failureReason": 0, "testCase": {"metadata": {"topic": "t"}}}]}},
    "evalplus": {"eval": {"Mbpp/1": [{"base_status": "pass", "plus_status": "fail"}]}},
    "humaneval": [{"task_id": "HumanEval/0", "completion": "", "result": "", "passed": True}],
    "alpaca": [{"instruction": "i", "generator_1": "b", "generator_2": "m", "preference": 1.5, "dataset": "d"}],
    "mt_single": [{"question_id": 1, "model": "m", "judge": ["j"], "score": 5, "turn": 1}],
    "mt_pair": [{"question_id": 1, "model_1": "m", "model_2": "n", "g1_winner": "tie", "g2_winner": "tie", "turn": 1}],
    "arena_hard": [{"question_id": "q", "model": "m", "games": [{"score": "A>B"}, {"score": None}]}],
    "eval_arena": [{"benchmark_id": "b", "model": "m", "example_id": "e", "pass1": 0.5, "correct": 1, "count": 2}],
    "table": [{"item": "i", "model": "m", "score": 1, "repeat": 0, "group": "g", "status": "ok"}],
}  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    found = json.loads(json.dumps(value))
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_it_reads_or_says_why_not(tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}__m.run.json"
    for path in places(SAMPLES[name]):
        for value in VALUES:
            file.write_text(json.dumps(changed(SAMPLES[name], path, value)))
            with contextlib.suppress(BadInput):
                assemble(read([file]).entries)
