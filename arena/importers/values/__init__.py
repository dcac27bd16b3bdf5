"""Single values of vote files: names, times, languages, look-alike letters."""
