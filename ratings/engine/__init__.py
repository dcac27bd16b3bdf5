"""The heavy sums, in two versions under the same names: `reference` in plain numpy, `compiled` by numba. No statistics is decided here."""
