"""One file per family of per-item benchmark formats."""
