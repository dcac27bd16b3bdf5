"""One file per family of vote-file formats: bytes in, VoteTable and tally out. Knows nothing of the store."""

from arena.importers.formats import (  # noqa: F401 - each registers its formats
    allourideas,
    audio,
    code_arenas,
    comparia,
    count_categories,
    counts,
    fastchat,
    judges,
    labels,
    labelstudio,
    llmfao,
    lmsys,
    openwebui,
    results,
    tables,
)
from arena.importers.formats.registry import FORMATS, Format
from arena.importers.reading import read
from arena.importers.rules.tally import Reading, RowsRejected, Tally

__all__ = ["FORMATS", "Format", "Reading", "RowsRejected", "Tally", "read"]
