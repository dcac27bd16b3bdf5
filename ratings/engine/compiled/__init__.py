"""The heavy sums compiled by numba, under the names of their twins in `reference`: the only room that knows numba."""
