"""From a table of votes to the arrays of a fit: rows, selections, comparisons, components, hashes. Nothing is estimated here."""
