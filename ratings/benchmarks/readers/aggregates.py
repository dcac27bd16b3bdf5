"""Files that state totals of models and no results per item: known, so that the refusal can say what to do with them."""

from __future__ import annotations

import re

from ratings.benchmarks.readers.sources import Source

AIDER = re.compile(r"^-? *pass_rate_\d+: *[\d.]+ *$", re.M)
COUNTS = ("resolved_instances", "resolved_submissions", "resolved")
WHAT_TO_DO = (
    "it holds counts for each model and no results per item, so that no two models can be compared item by item; "
    "use the results that the harness wrote per item, or state these scores beside such results with --published"
)


def explained(source: Source) -> str | None:
    """What to do with a file of totals; None for any other file."""
    return WHAT_TO_DO if _is_aider(source) or _is_counted(source) else None


def _is_aider(source: Source) -> bool:
    """aider's leaderboards, in YAML."""
    return (
        source.is_text
        and source.document is None
        and "test_cases:" in source.text
        and bool(AIDER.search(source.text))
    )


def _is_counted(source: Source) -> bool:
    """A SWE-bench report with numbers where the lists of instances were."""
    found = source.document
    return isinstance(found, dict) and any(isinstance(found.get(key), int) for key in COUNTS)
