"""Reports on benchmarks: tables, lines, pictures and the page."""
