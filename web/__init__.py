"""Pages and JSON around an arena and the latest leaderboard. Decides nothing, fits nothing."""
