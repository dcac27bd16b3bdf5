"""Pages and JSON around an arena and the latest leaderboard. Decides nothing, fits nothing."""

from web.app import create_app

__all__ = ["create_app"]
