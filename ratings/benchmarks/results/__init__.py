"""Per-item results of benchmarks as values: records, what identifies them, cards, how files come together."""
