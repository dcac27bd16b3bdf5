"""One file a family of vote-file formats. A new one is a file here and its name below: its readers register themselves."""

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
