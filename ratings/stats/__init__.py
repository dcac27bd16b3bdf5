"""Statistics that know no votes and no files: numbers and arrays in, numbers and arrays out."""
