"""The arena: models meet in battles, people vote, votes are kept. No statistics, no Flask, no import of `ratings` or `web`."""
