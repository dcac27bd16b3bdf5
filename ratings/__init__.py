"""Ratings: votes in, rankings with intervals out. Arrays at the heart; Redis only in `refresh`."""
