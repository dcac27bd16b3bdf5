"""The synthetic files of every harness, read to the records that lie beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ratings.benchmarks.readers import Ask, read
from ratings.benchmarks.results.assembly import records

pytestmark = pytest.mark.shared

# Words of TRUTH.json for what became of an attempt, and ours.
STATUS = {"empty_patch": "error", "infra_error": "infra", "incomplete": "not_run", "parse_error": "unscored"}
CASES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("lm_eval", "lm_eval/dummy_run", "lm-eval", {}),
    ("lm_eval_gsm8k:strict-match", "lm_eval/org__model-*", "lm-eval", {"variant": "strict-match"}),
    ("lm_eval_gsm8k:flexible-extract", "lm_eval/org__model-*", "lm-eval", {"variant": "flexible-extract"}),
    ("helm", "helm", "helm", {}),
    ("swebench", "swebench/model-a.run1.json", "swebench", {}),
    ("tau_bench", "tau_bench", "tau-bench", {}),
    ("tau2", "tau2", "tau2", {}),
    ("simple_evals_html", "simple_evals", "simple-evals", {}),
    ("promptfoo", "promptfoo", "promptfoo", {}),
    ("evalplus:base", "evalplus", "evalplus", {"variant": "base"}),
    ("evalplus:plus", "evalplus", "evalplus", {"variant": "plus"}),
    ("humaneval", "humaneval", "humaneval", {"model": "model-a"}),
    ("alpaca_eval", "alpaca_eval", "alpaca-eval", {}),
    ("mt_bench_single", "mt_bench/model_judgment/gpt-4_single.jsonl", "mt-bench", {}),
    ("lighteval_details", "lighteval_details", "lighteval", {}),
    ("inspect", "inspect/*.eval", "inspect", {}),
    ("inspect", "inspect/*.json", "inspect", {}),
]


@pytest.mark.parametrize(
    ("key", "path", "format", "ask"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_records_are_those_of_the_truth(
    shared: Path, key: str, path: str, format: str, ask: dict[str, Any]
) -> None:
    folder = shared / "stats" / "formats"
    truth = json.loads((folder / "TRUTH.json").read_text())[key]

    reading = read([folder / path], ask=Ask(**ask))
    found = {
        (r["model"], r["item"], r["repeat"]): (r["score"], r["status"], (*r["group"], None)[0])
        for r in records(reading.entries)
    }

    assert list(reading.account.formats) == [format]
    assert found == {
        (r["model"], r["item"], r["repeat"]): (r["score"], STATUS.get(r["status"], r["status"]), r["group"])
        for r in truth
    }


@pytest.mark.parametrize(
    ("path", "format", "attempts"),
    [("arena_hard", "arena-hard", 8), ("eval_arena", "eval-arena", 7), ("mt_bench/model_judgment/gpt-4_pair.jsonl", "mt-bench-pair", 6),
     ("swebench/logs", "swebench-instance", 1)],
)  # fmt: skip
def test_the_others_are_known_by_their_content(shared: Path, path: str, format: str, attempts: int) -> None:
    account = read([shared / "stats" / "formats" / path]).account

    assert (list(account.formats), account.entries) == ([format], attempts)


def test_alpaca_annotations_of_the_case(shared: Path) -> None:
    reading = read([shared / "cases" / "i16_alpaca_annotations.json"])

    assert reading.account.reasons == {"no verdict": 2}
    assert reading.account.figures[0].value == pytest.approx(0.7)


def test_arena_hard_games_of_the_case(shared: Path) -> None:
    figures = read([shared / "cases" / "i17_arena_hard.jsonl"]).account.figures

    assert [figure.value for figure in figures] == pytest.approx([4.5 / 7, 4.5 / 11])


def test_real_inspect_logs_say_what_their_items_say(shared: Path) -> None:
    for file in sorted((shared / "data" / "inspect_log_samples").glob("2*")):
        reading = read([file])
        scores = [entry.score for entry in reading.entries if entry.score is not None]
        for claim in reading.account.claims:
            assert sum(scores) / len(scores) == pytest.approx(claim.value)
