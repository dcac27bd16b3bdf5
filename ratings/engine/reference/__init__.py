"""The heavy sums in plain numpy: what the compiled ones are checked against, and what small boards use."""
