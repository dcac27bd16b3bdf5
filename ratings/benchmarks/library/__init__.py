"""Imported benchmarks: where they are kept, what is published of them, scores that others reported."""
