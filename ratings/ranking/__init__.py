"""The method on one page: a table of votes and a plan in, a leaderboard out."""
