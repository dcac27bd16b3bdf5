"""Figures that others published, from their own items: one test each, by the public commands."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ratings.__main__ import main

pytestmark = pytest.mark.shared


def bench(*arguments: object) -> Any:
    result = CliRunner().invoke(main, ["bench", *map(str, arguments), "--as", "json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_swe_bench_22_of_25_exactly_and_three_explained(shared: Path) -> None:
    folder = shared / "data" / "swebench_verified_bashonly"

    checks = bench("report", folder / "matrix.csv", "--published", folder / "leaderboard_meta.json")["checks"]

    assert Counter(check["verdict"] for check in checks) == {
        "exact": 22,
        "other denominator": 2,
        "contradicts": 1,
    }
    told = {
        check["model"].split("_", 1)[1]: check["explanation"]
        for check in checks
        if check["verdict"] != "exact"
    }
    assert "324 of 499" in told["mini-v1.0.0_claude-sonnet-4-20250514"]
    assert "105 of 499" in told["mini-v0.0.0-Llama-4-Maverick-17B-Instruct"]
    assert "51 of 500" in told["mini-v0.0.0-claude-3-7-sonnet-20250219"]


def test_swe_bench_leaderboard_file_checks_itself(shared: Path) -> None:
    file = shared / "data" / "swebench_verified_bashonly" / "leaderboards_original_schema_6systems.json.gz"

    checks = bench("report", file)["checks"]

    assert len(checks) == 6


def test_swe_bench_pair_on_common_items(shared: Path) -> None:
    file = shared / "data" / "swebench_verified_bashonly" / "matrix.csv"
    pair = ("20251124_mini-v1.16.0_claude-opus-4-5-20251101", "20250929_mini-v1.13.3_sonnet-4-5-20250929")

    line = bench("compare", file, "--pair", *pair)["lines"][0]

    assert {line["ups"], line["downs"]} == {42, 23}


@pytest.mark.parametrize("file", ["gpt-4o-airline.slim.json", "trials.csv"])
def test_tau_bench_airline_pass_hat_k(shared: Path, file: str) -> None:
    rows = bench("pass-k", shared / "data" / "tau_bench_airline_gpt4o" / file, "--model", "gpt-4o")

    assert [round(row["pass^k"], 3) for row in rows] == [0.420, 0.273, 0.220, 0.200]


def test_pandalm_kappas(shared: Path) -> None:
    file = shared / "data" / "pandalm_judge_human" / "testset-v1.json.gz"

    rows = bench("agreement", file, "--columns", "annotator1,annotator2,annotator3")

    assert [round(row["kappa"], 3) for row in rows] == [0.852, 0.879, 0.862]


def test_llmbar_kappas_between_orders(shared: Path) -> None:
    folder = shared / "data" / "llmbar_gold_vs_judges"
    with (folder / "published_statistics.csv").open() as lines:
        published = {
            f"{row['judge']} / {row['prompting']}": json.loads(row["published_statistics_json"])[
                "kappa_agreement"
            ]
            for row in csv.DictReader(lines)
        }

    rows = bench(
        "agreement", folder / "judge_verdicts.csv.gz", "--columns", "winner_order_1,winner_order_swapped", "--by", "judge,prompting"
    )  # fmt: skip

    assert len(rows) == 27
    assert {row["part"]: row["kappa"] for row in rows} == pytest.approx(
        {row["part"]: published[row["part"]] for row in rows}, abs=1e-9
    )


def test_alpaca_eval_win_rates(shared: Path) -> None:
    folder = shared / "data" / "alpacaeval2_judge_prefs"
    options = ("--columns", "score=preference,item=instruction_index", "--scale", "1,2")

    checks = bench(
        "report", folder / "preferences.csv.gz", *options, "--published", folder / "published_leaderboard.csv"
    )["checks"]

    assert len(checks) >= 37
    assert max(abs(check["published"] - check["computed"]) for check in checks) < 1e-6 / 100


def test_mmlu_redux_ceiling(shared: Path) -> None:
    found = bench("ceiling", "--label-error", 370 / 5700, "--options", 4, "--observed", 0.88, "-n", 5700)

    assert round(found["ceiling"], 4) == 0.9351
    assert round(found["implied accuracy"], 4) == 0.9397


def test_livecodebench_names_the_model_that_falls_after_its_cut_off(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "livecodebench_generation"
    models = json.loads(gzip.decompress((folder / "performances_generation.json.gz").read_bytes()))["models"]
    cutoffs = tmp_path / "cutoffs.csv"
    cutoffs.write_text(
        "model,date\n" + "".join(f"{model['model_repr']},{model['release_date']}\n" for model in models)
    )
    matrix = folder / "pass_at_1_matrix.csv"

    found = bench("cutoff", matrix, "--scale", "0,100", "--dates", matrix, "--cutoffs", cutoffs)

    deepseek = next(row for row in found["models"] if row["model"] == "DSCoder-33b-Ins")
    assert "DSCoder-33b-Ins" in found["flagged"]
    assert "GPT-4-0613" not in found["flagged"]
    assert (round(deepseek["before"], 3), round(deepseek["after"], 3)) == (0.404, 0.234)


def test_the_case_of_per_item_results(shared: Path) -> None:
    found = bench("report", shared / "cases" / "r14_items.csv", "--errors", "exclude")

    lines = {line["model"]: line for line in found["sheet"]["lines"]}
    pair = next(
        line for line in found["comparison"]["lines"] if {line["a"], line["b"]} == {"heron-7b", "osprey"}
    )
    assert (lines["heron-7b"]["low"], lines["heron-7b"]["high"]) == pytest.approx((0.3968, 0.8922), abs=1e-4)
    assert (lines["osprey"]["score"], lines["osprey"]["items"]) == (pytest.approx(1 / 3), 9)
    assert (lines["osprey"]["low"], lines["osprey"]["high"]) == pytest.approx((0.1206, 0.6458), abs=1e-4)
    assert (lines["wren-mini"]["score"], lines["wren-mini"]["items"]) == (None, 0)
    assert (pair["n"], pair["ups"], pair["downs"], pair["p"]) == (9, 3, 0, 0.25)
    assert found["sheet"]["duplicates"] == 1


def test_the_cases_of_judged_items(shared: Path) -> None:
    alpaca = bench("report", shared / "cases" / "i16_alpaca_annotations.json")
    arena_hard = bench("report", shared / "cases" / "i17_arena_hard.jsonl")

    line = alpaca["sheet"]["lines"][0]
    assert (line["score"], line["items"], line["missing"], alpaca["sheet"]["duplicates"]) == (
        pytest.approx(0.66),
        5,
        2,
        1,
    )
    assert alpaca["figures"][0]["value"] == pytest.approx(0.7)
    assert arena_hard["sheet"]["lines"][0]["score"] == pytest.approx(4.5 / 7)
    assert [figure["value"] for figure in arena_hard["figures"]] == pytest.approx([4.5 / 7, 4.5 / 11])


def test_one_direction_holds_78_per_cent_of_eight_benchmarks(shared: Path) -> None:
    table = shared / "data" / "obs_scaling_pca" / "base_llm_benchmark_eval.csv"
    names = "MMLU,ARC-C,HellaSwag,Winograd,TruthfulQA,GSM8K,XWinograd,HumanEval"

    found = bench("capability", table, "--benchmarks", names)

    assert round(found["share"], 4) == 0.7810  # correlation PCA of the 124 complete rows
    assert len(found["benchmarks"]) == 8
