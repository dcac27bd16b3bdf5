"""HELM: `per_instance_stats.json` of a run, with `run_spec.json` beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, graded, kind, name, section, share, whole
from ratings.benchmarks.results.entries import Book, Claim, Entry, Unusable

# HELM's headline metrics, the first that a run has counts.
HEADLINES = (
    "exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "exact_match@1",
    "final_number_exact_match", "math_equiv_chain_of_thought", "math_equiv", "ifeval_strict_accuracy", "f1_score", "rouge_2",
    "bleu_4", "RR@10", "ndcg_10",
)  # fmt: skip
IDENTITY = "identity"  # the perturbation that changes nothing
SUBSETS = ("subject", "subset", "task", "dataset", "language", "category", "subtask")


def _is_instances(source: Source) -> bool:
    return {"instance_id", "train_trial_index", "stats"} <= source.first.keys()


def _is_beside(source: Source) -> bool:
    if source.file in (
        "run_spec.json",
        "stats.json",
        "scenario.json",
        "scenario_state.json",
        "instances.json",
    ):
        return True
    return source.file == "display_predictions.json"


@reader("helm", "HELM per_instance_stats.json", _is_instances, companion=_is_beside)
def helm(source: Source, book: Book) -> Iterator[Entry]:
    """One record per instance and trial; each split is a variant. `identity` is the instance itself. Other perturbed copies share the id of
    their instance: they are left out, and counted, unless `--variant` asks for that perturbation.

    The model is the one in the run's name, else that of the adapter. An instance without the metric is unscored: HELM drops what has no value.
    """
    spec = source.beside("run_spec.json")
    run = spec.get("name") if isinstance(spec, dict) else source.path.parent.name
    scenario, arguments = _run(str(run or ""))
    model = book.ask.model or arguments.pop("model", None) or section(spec, "adapter_spec").get("model")
    arguments.pop("model", None)
    if not isinstance(model, str):
        raise refuse_whole(
            source, "the model's name is in run_spec.json, which is not beside it; name it with --model"
        )
    benchmark = (
        ":".join(part for part in (scenario, ",".join(f"{k}={v}" for k, v in arguments.items())) if part)
        or "helm"
    )
    group = tuple(arguments[key] for key in SUBSETS if key in arguments)[:1]
    metric = book.ask.metric or _headline(source)
    splits: dict[str, None] = {}

    def build(row: int, record: Any) -> list[Entry]:
        stats = [stat for stat in _stats(record) if section(stat, "name").get("name") == metric]
        perturbation, split = _perturbation(record, stats), _split(record)
        if perturbation and perturbation != book.ask.variant:
            book.note(
                f"perturbed copies of instances ({perturbation}), left out; --variant {perturbation} reads them"
            )
            return []
        splits.setdefault(split)
        marks = (("split", split), ("perturbation", perturbation))
        item, trial = name(record, "instance_id"), whole(record, "train_trial_index", 0)
        score = share(_mean(stats[0]), metric, book.ask.scale) if stats else None
        return [
            Entry(
                benchmark,
                model,
                item,
                repeat=trial,
                group=group,
                marks=marks,
                **graded(score, f"no {metric}"),
            )
        ]

    yield from book.each(source.name, source.rows(), build)
    for split in splits:
        _claim(source, book, benchmark, model, metric, split)


def _run(run: str) -> tuple[str, dict[str, str]]:
    """`mmlu:subject=anatomy,model=org_model` as scenario and arguments."""
    scenario, _, rest = run.partition(":")
    pairs = (part.partition("=") for part in rest.split(",") if "=" in part)
    return scenario, {key.strip(): value.strip() for key, _, value in pairs}


def _headline(source: Source) -> str:
    found = {
        section(stat, "name").get("name")
        for _, record in source.rows()
        if isinstance(record, Mapping)
        for stat in _stats(record)
    }
    chosen = next((metric for metric in HEADLINES if metric in found), None)
    if chosen is None:
        raise refuse_whole(
            source,
            f"none of HELM's headline metrics; name one with --metric: {', '.join(sorted(map(str, found))[:20])}",
        )
    return chosen


def _perturbation(record: Mapping[str, Any], stats: Sequence[Any]) -> str:
    """Name of the perturbation; nothing for the instance as it is."""
    named = [record.get("perturbation"), *(section(stat, "name").get("perturbation") for stat in stats)]
    found = next((part for part in named if part), None)
    text = str(found.get("name") or "perturbed") if isinstance(found, Mapping) else str(found or "")
    return "" if text == IDENTITY else text


def _split(record: Any) -> str:
    return next((str(split) for stat in _stats(record) if (split := section(stat, "name").get("split"))), "")


def _stats(record: Any) -> list[Any]:
    stats = field(record, "stats")
    if not isinstance(stats, list):
        raise Unusable(f"stats is a {kind(stats)}, not a list", column="stats")
    return stats


def _mean(stat: Mapping[str, Any]) -> Any:
    if not stat.get("count", 1):
        return None
    if "mean" in stat:
        return stat["mean"]
    total, count = stat.get("sum"), stat.get("count")
    return (
        total / count if isinstance(total, int | float) and isinstance(count, int | float) and count else None
    )


def _claim(source: Source, book: Book, benchmark: str, model: str, metric: str, split: str) -> None:
    stats = source.beside("stats.json")
    for stat in stats if isinstance(stats, list) else ():
        about = section(stat, "name")
        value = stat.get("mean") if isinstance(stat, Mapping) else None
        if about.get("name") == metric and not about.get("perturbation") and about.get("split") == split:
            if isinstance(value, int | float) and 0 <= value <= 1:
                book.claims.append(Claim(model, float(value), source.name, benchmark, split, what=metric))
            return
