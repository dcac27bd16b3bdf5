"""One file per family of vote-file formats: bytes in, VoteTable and tally out. Knows nothing of the store."""

from arena.importers import (  # noqa: F401 - each registers its formats
    allourideas,
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
    sound,
    tables,
)
from arena.importers.formats import FORMATS, Format
from arena.importers.reading import read
from arena.importers.tally import Reading, RowsRejected, Tally

__all__ = ["FORMATS", "Format", "Reading", "RowsRejected", "Tally", "read"]
