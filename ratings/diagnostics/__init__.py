"""Answers about a board beyond its ranking: differences, sample size, drift, residuals, robustness, prompts, judges. No rendering."""
