"""From the names of the golden file to our functions: a plain map, with no arithmetic in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from ratings.benchmarks.audit import rules
from ratings.benchmarks.methods import (
    attempts,
    baselines,
    budget,
    capability,
    ceiling,
    contamination,
    items,
    ladder,
    paired,
    planning,
    resolution,
    winners_curse,
)
from ratings.stats import clusters, correlation, elo_scale, intervals, kappa, multiplicity

BASELINES = {"null agent": "null", "echo agent": "echo", "reference solutions": "oracle"}
# The worked example of the source: both right, only A, only B, both wrong.
EXAMPLE = {"n11": 66, "n10": 6, "n01": 4, "n00": 24}
BEFORE_EXAMPLE = (20_000, 100)  # the shape of the two draws that the source makes first
NON_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def call(fn: str, inputs: Mapping[str, Any]) -> Any:
    """Our answer in the shape of the file's `expected`; our own error (or None) where it has none.

    Five cases of the file share `fn` and `inputs` with another case and expect another number or list: agreement with confidence
    on the paper's scale and on the code's, three corrections of the same p-values, an item's permutation p beside its fit.
    No function of the two arguments can return both, so there `fn` may carry the case's name ("multiplicity/fdr_by"), or `inputs` a
    `method`, `scale` or `what`. Without one the answer is that of the paper, Benjamini and Hochberg's, and the fit. (What a family of m tests
    expects is one answer to two cases: its keys are those of both.)
    """
    name, _, variant = fn.partition("/")
    ready = {key: _finite(value) for key, value in inputs.items() if key != "note"}
    if name in VARIED:
        return VARIED[name](ready, variant)
    return FUNCTIONS[name](**ready)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return NON_FINITE.get(value, value) if isinstance(value, str) else value


def _unless_undefined(found: Any, field: str) -> dict[str, Any] | None:
    """The result as plain data, or None where the statistic itself has no value."""
    return None if getattr(found, field) is None else asdict(found)


def _multiplicity(inputs: dict[str, Any], variant: str) -> Any:
    if "m" in inputs:
        return asdict(multiplicity.family(**inputs))
    method = inputs.get("method") or (variant if variant in multiplicity.METHODS else "fdr_bh")
    return multiplicity.adjusted(inputs["p"], method).tolist()


def _agreement_with_confidence(inputs: dict[str, Any], variant: str) -> Any:
    found = resolution.agreement_with_confidence(inputs["arena"], inputs["bench"])
    scale = inputs.get("scale") or variant
    return found.by_code if scale.startswith("code") else found.by_paper


def _item_arena_agreement(inputs: dict[str, Any], variant: str) -> Any:
    what = inputs.pop("what", None) or variant
    if what.startswith("perm"):
        return items.permutation_p(**inputs)
    return asdict(items.item_fit(**inputs))


VARIED: Mapping[str, Callable[[dict[str, Any], str], Any]] = {
    "multiplicity": _multiplicity,
    "agreement_with_confidence": _agreement_with_confidence,
    "item_arena_agreement": _item_arena_agreement,
}


def _table(inputs: dict[str, Any]) -> paired.PairedCounts:
    return paired.PairedCounts(**{name: inputs.pop(name) for name in ("n11", "n10", "n01", "n00")})


def _paired_diff_ci(**inputs: Any) -> list[float]:
    if "a" in inputs:
        found = paired.difference(inputs.pop("a"), inputs.pop("b"))
    else:
        found = paired.difference_of_table(_table(inputs))
    return [found.diff, *found.interval(**inputs)]


def _paired_bootstrap(seed: int | None = None, **inputs: Any) -> dict[str, Any]:
    if "a" in inputs:
        found = paired.drawn_bootstrap(rng=np.random.default_rng(seed), **inputs)
    elif seed is None:
        found = paired.paired_bootstrap(_table(inputs), **inputs)
    else:
        rng = np.random.default_rng(seed)
        rng.random(BEFORE_EXAMPLE)
        rng.random(BEFORE_EXAMPLE)
        found = paired.drawn_bootstrap(*paired.PairedCounts(**EXAMPLE).scores(), rng)
    return {"ci_points": list(found.ci_points), "share_not_ahead": found.share_not_ahead}


def _bootstrap_ci(
    scores: Any, n_boot: int = 10_000, level: float = 0.95, seed: int = 0, method: str = "drawn"
) -> list[float]:
    if method.startswith("exact"):
        return list(intervals.bootstrap_pass_rate(scores, level))
    return list(intervals.bootstrap_mean(scores, n_boot, level, seed))


def _equal_models_gap(n: int, p: float, points: float | None = None) -> float:
    return paired.gap_sd_points(n, p) if points is None else paired.gap_probability(n, p, points)


def _boosting_attack(
    k: int, rng_seed: int, labels: Any = None, public_mask: Any = None, oracle: str = "", n: int = 0
) -> Any:
    board = (
        ladder.constant_board(float(oracle.split()[-1]))
        if oracle
        else ladder.exact_board(labels, public_mask)
    )
    size = n if oracle else len(labels)
    vector = ladder.boosting_attack(board, size, k, np.random.default_rng(rng_seed))
    return {"vector": vector.tolist(), "public": board(vector)}


def _boosting_heuristic(k: int | None = None, n: int | None = None) -> float:
    return ladder.ATTACK_SLOPE if k is None or n is None else ladder.attack_heuristic(k, n)


def _thresholdout(
    train: float, holdout: float, T: float, sigma: float, budget: int | None = None, rng_seed: int = 0
) -> float:  # fmt: skip
    return ladder.Thresholdout(T, sigma, budget, np.random.default_rng(rng_seed)).answer(train, holdout)


def _contamination(
    corpus: Mapping[str, str], item: str, n: int = 13, threshold: float = 0.2
) -> dict[str, Any]:
    found = contamination.Index(corpus, n).overlap("item", item, threshold)
    return {
        "fraction": found.fraction, "exact": found.exact, "flag": found.flag, "sources": list(found.sources)
    }  # fmt: skip


def _hack_audit(diff: str) -> dict[str, Any]:
    findings = rules.audit(diff)
    told = [[found.severity, found.path, found.message] for found in findings]
    return {"findings": told, "exit": rules.exit_status(findings)}


def _baseline_check(check: str, score: Any) -> str:
    return baselines.baseline_check(
        next((kind for words, kind in BASELINES.items() if words in check), check), score
    )


def _cohen_kappa(table: Any = None, a: Any = None, b: Any = None, **more: Any) -> float | None:
    if a is not None:
        return kappa.kappa_of_labels(a, b, **more).value
    return kappa.kappa(table, **more).value


def _cohen_kappa_se(table: Any, **more: Any) -> dict[str, Any] | None:
    found = kappa.kappa(table, **more)
    return None if found.value is None else {"se": found.se, "ci95": [found.low, found.high]}


def _capability_correlation(S: Any) -> dict[str, Any]:
    found = capability.capability_correlation(S)
    return {"scores": found.scores.tolist(), "share": found.share, "r": list(found.r)}


def _capability_score(R: Any, z: Any) -> dict[str, Any]:
    return asdict(capability.component_score(R, z))


def _clustered_se(clusters_: Any, scores: Any = None) -> dict[str, Any]:
    found = clusters.clustered_lists(clusters_) if scores is None else clusters.clustered(scores, clusters_)
    return {
        "mean": found.mean, "naive": found.naive, "CR0": found.cr0, "CR1": found.cr1, "miller2024": found.miller2024
    }  # fmt: skip


def _reliability(ratings: Any, cov: Any = None, se: Any = None) -> float:
    return (
        correlation.reliability_of_errors(ratings, se)
        if cov is None
        else correlation.reliability(ratings, cov)
    )


def _separability(arena: Any, bench: Any, which: str, format: str = "") -> float:
    return resolution.separability({"arena": arena, "bench": bench}[which])


def _pair_rank_brier(
    arena: Any, bench: Any, bench_se: Any = None, arena_se: Any = None, format: str = ""
) -> float:
    return resolution.pair_rank_brier(arena, bench, board_se=bench_se, reference_se=arena_se)


def _split_half_bias(
    X: Any, splits: Any = "all", tie: str = "first max", rng_seed: int = 0
) -> dict[str, float]:
    found = winners_curse.split_half_bias(X, np.random.default_rng(rng_seed))
    return {"gap_half": found.gap_half, "bias_n": found.bias_n}


def _saturation_report(acc: Any, n: int, eps: float, human: float | None = None, alpha: float = 0.05) -> Any:
    found = ceiling.saturation(acc, n, eps, human, alpha)
    return {"ceiling": found.ceiling, "saturated": found.saturated, "n_tied": found.n_tied}


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "accuracy_ci": lambda scores, **more: list(intervals.mean_interval(scores, **more)),
    "attenuation": correlation.disattenuated,
    "baseline_check": _baseline_check,
    "best_of_m_bound": winners_curse.max_normal_bound,
    "best_of_m_inflation": winners_curse.best_of_m_inflation,
    "boosting_attack": _boosting_attack,
    "boosting_heuristic": _boosting_heuristic,
    "bootstrap_ci": _bootstrap_ci,
    "bootstrap_exact": lambda scores: asdict(intervals.exact_bootstrap(scores)),
    "bt_two_model": lambda **inputs: asdict(elo_scale.two_model_gap(*inputs.values())),
    "bt_win_prob": elo_scale.win_probability,
    "capability_correlation": _capability_correlation,
    "capability_null_sd": lambda N: capability.null_sd(N),
    "capability_score": _capability_score,
    "ceiling": lambda eps: ceiling.ceiling(eps),
    "clustered_se": lambda clusters, scores=None: _clustered_se(clusters, scores),
    "cohen_kappa": _cohen_kappa,
    "cohen_kappa_se": _cohen_kappa_se,
    "contamination": _contamination,
    "cross_corr": lambda arena, bench: _unless_undefined(correlation.correlations(arena, bench), "pearson"),
    "crossover_n": lambda sigma_b2, b, sigma_w2=0.0, K=1: budget.crossover_n(sigma_b2, sigma_w2, K, b),
    "debiased_best": winners_curse.debiased_best,
    "decomposition": lambda mu_hat, mu_star, mu_bench, E_mu_hat: asdict(
        budget.decomposition(mu_hat, mu_star, mu_bench, E_mu_hat)
    ),
    "disattenuated_ci": lambda **inputs: asdict(correlation.disattenuated_interval(**inputs)),
    "equal_models_gap": _equal_models_gap,
    "error_budget": lambda **inputs: asdict(budget.error_budget(**inputs)),
    "expected_max_normal": winners_curse.expected_max_normal,
    "fisher_ci": lambda **inputs: list(correlation.fisher_interval(**inputs)),
    "hack_audit": _hack_audit,
    "half_width95": intervals.half_width,
    "implied_accuracy": lambda observed, eps, K_opt, n: ceiling.implied_accuracy(observed, eps, K_opt, n),
    "kappa_from_margins": lambda **inputs: _unless_undefined(kappa.kappa_from_margins(**inputs), "kappa"),
    "ladder": lambda scores, eta: ladder.ladder(scores, eta).tolist(),
    "ladder_vs_best_noise": winners_curse.best_of_noise,
    "mcnemar": lambda **inputs: asdict(paired.mcnemar(**inputs)),
    "mde": planning.detectable_gap,
    "mmlu_ceiling_by_type": lambda weights: ceiling.typed_ceiling(weights),
    "observed_accuracy": lambda a, eps, K_opt: ceiling.observed_accuracy(a, eps, K_opt),
    "p_zero_successes": intervals.no_pass_probability,
    "pair_rank_brier": _pair_rank_brier,
    "paired_bootstrap": _paired_bootstrap,
    "paired_diff": lambda a, b: asdict(paired.difference(a, b)),
    "paired_diff_ci": _paired_diff_ci,
    "parameter_free_ladder": lambda correct: ladder.parameter_free_ladder(correct).tolist(),
    "pass_at_k": attempts.pass_at_k,
    "pass_at_k_mean": lambda tasks, k: attempts.mean_pass_at_k(tasks, k).value,
    "pass_hat_k": attempts.pass_hat_k,
    "pass_hat_k_mean": lambda tasks, k: attempts.mean_pass_hat_k(tasks, k).value,
    "point_biserial": items.point_biserial,
    "price_of_halving": planning.price_of_halving,
    "reliability": _reliability,
    "required_n": lambda **inputs: asdict(planning.required_n(**inputs)),
    "required_n_paired": lambda **inputs: asdict(planning.required_n_paired(**inputs)),
    "required_n_resolve": lambda **inputs: asdict(planning.required_n_resolve(**inputs)),
    "rho_beta": winners_curse.rho_of_beta,
    "saturation_report": _saturation_report,
    "se_binomial": intervals.binomial_se,
    "separability": _separability,
    "split_half_bias": _split_half_bias,
    "thresholdout": _thresholdout,
    "unpaired_se": paired.unpaired_se,
    "variance_components": lambda scores: asdict(clusters.components(scores)),
    "wald_ci": lambda **inputs: list(intervals.wald(**inputs)),
    "wilson_ci": lambda **inputs: list(intervals.wilson(**inputs)),
}
