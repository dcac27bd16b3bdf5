"""Per-item benchmark results in, honest statistics out. Knows nothing of the store or of Flask."""
