"""Kept figures of the benchmarks, one line a measurement, and the table of the last of each."""
