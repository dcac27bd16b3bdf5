"""One file per family of per-item result files: files in, records out. Knows nothing of the store, of statistics or of Flask."""

from ratings.benchmarks.readers import (  # noqa: F401 - each registers its formats
    alpaca_eval,
    arena_hard,
    code,
    eval_arena,
    helm,
    inspect_log,
    lighteval,
    livecodebench,
    lm_eval,
    lmms_eval,
    mt_bench,
    promptfoo,
    simple_evals,
    swebench,
    tables,
    tau,
)
from ratings.benchmarks.readers.formats import FORMATS, Format
from ratings.benchmarks.readers.reading import Account, Reading, read
from ratings.benchmarks.results.entries import Ask, Claim, Entry, Figure

__all__ = ["FORMATS", "Account", "Ask", "Claim", "Entry", "Figure", "Format", "Reading", "read"]
