"""Reading of an agent's changes for signs of gaming a benchmark."""
