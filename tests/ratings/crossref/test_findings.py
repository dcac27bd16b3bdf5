"""The whole cross-reference: planted groups, the real board of LMSYS beside GSM8K items and published base-model scores."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from arena.errors import NoData
from ratings.benchmarks.results import ItemResults
from ratings.crossref import findings, measures
from ratings.crossref.measures import Measure
from ratings.leaderboard import Plan
from ratings.ranking import analyse
from ratings.sheets import markdown
from tests.ratings.votes_for_tests import pair_counts

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


@pytest.fixture(scope="module")
def lmsys(shared: Path) -> Measure:
    votes = pair_counts(shared / "data" / "lmsys_arena_counts_20240814" / "chatbotarena_20240814.json")
    return measures.arena(analyse(votes, Plan(rounds=0)))


def test_a_reversed_group_leads_the_groups(rng: np.random.Generator) -> None:
    skill = np.linspace(-1, 1, 24)
    direction = np.repeat([1.0, -1.0], [360, 40])
    answers = (rng.normal(size=(24, 400)) < skill[:, None] * direction).astype(float)
    names = [f"m{k:02}" for k in range(24)]
    labels = ["good"] * 360 + ["reversed"] * 40
    results = ItemResults.from_matrix("b", names, [f"q{n}" for n in range(400)], answers, groups=labels)

    found = findings.of_items(Measure(tuple(names), 1000 + 100 * skill, np.eye(24) * 64), results)

    assert [group.group for group in found.groups] == ["reversed", "good"]
    assert (found.groups[0].r or 0) < -0.9
    assert found.item_fits is not None
    assert "reversed" in markdown(findings.sheet(found))


def test_too_few_shared_models_are_refused() -> None:
    with pytest.raises(NoData, match="5 are needed"):
        findings.of_scores(Measure(("a", "b"), np.array([1.0, 2.0]), np.eye(2)), "x", {"a": 1, "b": 2})


@pytest.mark.shared
def test_lmsys_beside_gsm8k_items(lmsys: Measure, shared: Path) -> None:
    rows = list(csv.reader((shared / "data/zeroeval_gsm_matrix/matrix.csv").read_text("utf-8").splitlines()))
    scores = np.array([[float(cell) if cell else np.nan for cell in row[1:]] for row in rows[1:]]).T
    results = ItemResults.from_matrix("gsm8k", rows[0][1:], [row[0] for row in rows[1:]], scores)

    found = findings.of_items(lmsys, results, GSM)

    assert found.join.models >= 10
    a = found.association
    assert a.disattenuated_low is not None
    assert a.disattenuated is not None
    assert a.disattenuated_high is not None
    assert a.disattenuated_low < a.disattenuated <= a.disattenuated_high
    assert a.reliability_arena is not None
    assert a.reliability_arena > 0.95


@pytest.mark.shared
@pytest.mark.parametrize("benchmark", ["MMLU", "GSM8K", "HellaSwag"])
def test_lmsys_beside_published_base_model_scores(lmsys: Measure, shared: Path, benchmark: str) -> None:
    path = shared / "data/obs_scaling_pca/base_llm_benchmark_eval.csv"
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    families = {BASES[row["Model"]]: row["Model Family"] for row in rows if row["Model"] in BASES}

    found = findings.of_scores(
        lmsys, benchmark, {row["Model"]: float(row[benchmark]) for row in rows}, BASES, families
    )

    assert found.join.models == len(BASES)
    assert found.association.leave_family_out is not None
    assert (found.association.pearson or 0) > 0.5
