"""`crossref` as a user calls it: LMSYS's board beside GSM8K items and published scores, its options and its refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats
from sklearn.decomposition import PCA

from ratings.__main__ import main

LMSYS = Path(__file__).parents[3] / "data" / "lmsys_2024_08"
GSM = {
    "Meta-Llama-3-70B-Instruct": "llama-3-70b-instruct", "Meta-Llama-3.1-70B-Instruct": "llama-3.1-70b-instruct",
    "Meta-Llama-3.1-8B-Instruct": "llama-3.1-8b-instruct", "Llama-3.1-405B-Inst@sambanova": "llama-3.1-405b-instruct",
    "Mixtral-8x7B-Instruct-v0.1": "mixtral-8x7b-instruct-v0.1", "Yi-1.5-34B-Chat": "yi-1.5-34b-chat",
}  # fmt: skip
# Base models beside the chat models made of them: whether a base score foretells a chat rating is the question.
BASES = {
    "meta-llama/Llama-2-7b-hf": "llama-2-7b-chat", "meta-llama/Llama-2-13b-hf": "llama-2-13b-chat",
    "meta-llama/Llama-2-70b-hf": "llama-2-70b-chat", "meta-llama/Meta-Llama-3-70B": "llama-3-70b-instruct",
    "meta-llama/Meta-Llama-3-8B": "llama-3-8b-instruct", "meta-llama/Meta-Llama-3.1-70B": "llama-3.1-70b-instruct",
    "meta-llama/Meta-Llama-3.1-8B": "llama-3.1-8b-instruct", "Qwen/Qwen1.5-72B": "qwen1.5-72b-chat",
    "Qwen/Qwen1.5-14B": "qwen1.5-14b-chat", "Qwen/Qwen1.5-7B": "qwen1.5-7b-chat", "Qwen/Qwen1.5-4B": "qwen1.5-4b-chat",
    "01-ai/Yi-34B": "yi-34b-chat", "google/gemma-7b": "gemma-7b-it", "google/gemma-2b": "gemma-2b-it",
    "google/gemma-2-27b": "gemma-2-27b-it", "google/gemma-2-9b": "gemma-2-9b-it", "mosaicml/mpt-7b": "mpt-7b-chat",
}  # fmt: skip
OTHERS = ["ARC-C", "HellaSwag", "Winograd", "TruthfulQA", "GSM8K", "HumanEval"]


def write(path: Path, head: str, rows: Any) -> str:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return str(path)


def call(*args: str) -> Result:
    return CliRunner().invoke(main, ["crossref", *args, "--rounds", "0"])


def official() -> dict[str, float]:
    rows = csv.DictReader((LMSYS / "official.csv").read_text("utf-8").splitlines())
    return {row["model"]: float(row["rating"]) for row in rows}


@pytest.mark.shared
def test_lmsys_beside_gsm8k_items_gives_what_the_published_numbers_give(shared: Path, tmp_path: Path) -> None:
    names = write(tmp_path / "names.csv", "alias,canonical", GSM.items())
    matrix = str(shared / "data/zeroeval_gsm_matrix/matrix.csv")

    run = call(matrix, "--names", names, "--votes", str(LMSYS / "counts.json"), "--as", "json")

    assert run.exit_code == 0, run.stderr
    found = json.loads(run.stdout)
    published = csv.DictReader(
        (shared / "data/zeroeval_gsm_matrix/published_vs_own.csv").read_text("utf-8").splitlines()
    )
    pairs = [
        (rating, float(row["published_acc"]))
        for row in published
        if (rating := official().get(GSM.get(row["model"], row["model"]))) is not None
    ]
    a = found["association"]
    assert a["n"] == len(found["models"]) == len(pairs) >= 10
    # LMSYS published ratings rounded to one point, of nearly the same votes; ZeroEval its accuracies.
    assert a["pearson"] == pytest.approx(stats.pearsonr(*zip(*pairs, strict=True)).statistic, abs=0.01)
    assert a["spearman"] == pytest.approx(stats.spearmanr(*zip(*pairs, strict=True)).statistic, abs=0.03)
    assert a["disattenuated_low"] < a["disattenuated"] < a["disattenuated_high"]
    losses = {loss["name"]: loss["log_loss"] for loss in found["votes"]["losses"]}
    assert losses["bradley_terry"] < losses["benchmark"] < losses["coin"]
    assert found["item_fits"]["scored"] + found["item_fits"]["constant"] == found["items"] == 1319


@pytest.mark.shared
def test_lmsys_beside_base_model_scores_tells_what_mmlu_adds(shared: Path, tmp_path: Path) -> None:
    path = shared / "data/obs_scaling_pca/base_llm_benchmark_eval.csv"
    names = write(tmp_path / "names.csv", "alias,canonical", BASES.items())
    kin = {BASES[row["Model"]]: row["Model Family"] for row in table(path) if row["Model"] in BASES}
    families = write(tmp_path / "families.csv", "model,family", kin.items())

    run = call(
        str(path), "--scores", ",".join(["MMLU", *OTHERS]), "--names", names, "--families", families,
        "--votes", str(LMSYS / "counts.json"), "--as", "json",
    )  # fmt: skip

    assert run.exit_code == 0, run.stderr
    found = json.loads(run.stdout)
    a, r = found["association"], found["redundancy"]
    assert (a["n"], a["families"], a["reliability_benchmark"]) == (len(BASES), len(set(kin.values())), None)
    complete = [row for row in table(path) if all(row[name] for name in OTHERS)]
    scores = np.array([[float(row[name]) for name in OTHERS] for row in complete])
    component = PCA(1).fit_transform((scores - scores.mean(0)) / scores.std(0))[:, 0]
    shared_rows = [n for n, row in enumerate(complete) if row["Model"] in BASES]
    mmlu = [float(complete[n]["MMLU"]) for n in shared_rows]
    peer = abs(np.corrcoef(component[shared_rows], mmlu)[0, 1])
    assert (r["n"], r["capability_models"]) == (len(shared_rows), len(complete))
    assert r["benchmark_capability"]["r"] == pytest.approx(peer, abs=1e-9)
    # MMLU is nearly capability itself: what it adds to the others lies within noise of nothing.
    assert r["partial"]["low"] < 0 < r["partial"]["high"]
    assert r["arena_benchmark"]["low"] > 0.4


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


@pytest.fixture
def small(tmp_path: Path) -> dict[str, str]:
    """Six models of falling skill: votes of thirty people, two benchmarks, texts."""
    rng = np.random.default_rng(7)
    skill = np.linspace(1.2, -1.2, 6)
    votes = [
        (f"v{n}", f"m{a}", f"m{b}", "model_a" if rng.random() < 1 / (1 + np.exp(skill[b] - skill[a])) else "model_b", f"s{n % 30}")
        for n, (a, b) in enumerate(rng.choice(6, 2, replace=False) for _ in range(400))
    ]  # fmt: skip
    items = [("one", f"m{m}", f"q{q}", int(rng.normal() < skill[m])) for m in range(6) for q in range(40)]
    scores = [
        (f"m{m}", round(0.5 + 0.1 * s, 3), round(0.5 + 0.1 * rng.normal(), 3), 1) for m, s in enumerate(skill)
    ]
    return {
        "votes": write(tmp_path / "votes.csv", "vote_id,model_a,model_b,winner,session_id", votes),
        "items": write(tmp_path / "items.csv", "benchmark,model,item,score", items),
        "scores": write(tmp_path / "scores.csv", "model,easy,hard,flat", scores),
        "texts": write(tmp_path / "texts.csv", "id,text", [("q1", "how many herons are on the lake at noon")]),
        "prompts": write(tmp_path / "prompts.csv", "id,prompt", [("p1", "How many herons are on the lake at noon?")]),
    }  # fmt: skip


def test_items_with_other_scores_and_texts(small: dict[str, str]) -> None:
    run = call(
        small["items"], "--votes", small["votes"], "--others", small["scores"], "--scores", "easy,hard", "--tries", "5",
        "--texts", small["texts"], "--prompts", small["prompts"], "--as", "json",
    )  # fmt: skip

    assert run.exit_code == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["redundancy"]["others"] == ["easy", "hard"]
    assert found["selection"]["tries"] == 5
    assert [hit["item"] for hit in found["texts"]["hits"]] == ["q1"]
    assert found["votes"]["votes"] == 400


def test_of_several_benchmarks_the_picked_one_is_set_beside_the_rest(
    small: dict[str, str], tmp_path: Path
) -> None:
    lines = Path(small["items"]).read_text("utf-8").splitlines()
    rng = np.random.default_rng(1)
    second = [
        ("two", f"m{m}", f"q{q}", int(rng.random() < 0.2 + 0.1 * m)) for m in range(6) for q in range(40)
    ]
    both = write(tmp_path / "both.csv", "\n".join(lines), second)

    run = call(both, "--pick", "two", "--votes", small["votes"], "--as", "json")

    assert run.exit_code == 0, run.stderr
    found = json.loads(run.stdout)
    assert (found["benchmark"], found["redundancy"]["others"]) == ("two", ["one"])
    assert found["association"]["pearson"] < 0


@pytest.mark.slow
def test_the_table_names_what_was_not_done(small: dict[str, str]) -> None:
    run = call(small["scores"], "--scores", "hard", "--votes", small["votes"])

    assert run.exit_code == 0, run.stderr
    assert "not done:" in run.stdout
    assert "nan" not in run.stdout.lower().split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (["scores", "--scores", "none"], 1, "no column 'none'"),
        (["scores", "--scores", "easy", "--pick", "x"], 2, "--pick, --card, --group and --strata"),
        (["items", "--pick", "two"], 1, "which benchmark (--pick)? There are"),
        (["items", "--texts", "texts"], 2, "go together"),
        (["items", "--families", "scores"], 1, "needs the columns model and family"),
        (["items", "--others", "texts", "--scores", "easy"], 1, "no column 'easy'"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(
    small: dict[str, str], args: list[str], status: int, words: str
) -> None:
    run = call(*(small.get(arg, arg) for arg in args), "--votes", small["votes"])

    assert run.exit_code == status
    assert words in run.stderr
    assert "Traceback" not in run.stderr


def test_a_flat_benchmark_gives_no_correlation_and_no_crash(small: dict[str, str]) -> None:
    run = call(small["scores"], "--scores", "flat,easy", "--votes", small["votes"])

    assert run.exit_code == 0, run.stderr
    assert "no exchange rate" in run.stdout
