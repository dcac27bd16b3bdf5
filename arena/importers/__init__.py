"""One file per family of vote-file formats: bytes in, VoteTable and tally out. Knows nothing of the store."""
