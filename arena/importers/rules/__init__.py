"""What holds for every format: columns, labels, duplicates, counts, errors of rows."""
