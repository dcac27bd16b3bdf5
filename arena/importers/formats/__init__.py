"""The formats of vote files, one file a family, and their registry."""
