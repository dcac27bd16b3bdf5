"""Answers as tables and sections of a report; what is said, and in which order. Nothing is computed that a diagnostic does not give."""
