"""The statistics of per-item results, one file a question. Results in, numbers out; no files, no rendering."""
