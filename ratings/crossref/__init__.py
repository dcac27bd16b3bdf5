"""Arena ratings beside benchmark results: one idea a file, arrays and results in, frozen findings out; no files, no votes."""
