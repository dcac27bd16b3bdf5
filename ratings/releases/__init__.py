"""Published boards: their values, their declared names, and where releases are stored."""
