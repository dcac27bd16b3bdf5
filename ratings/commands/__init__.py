"""The command line of `python -m ratings`: the only room that knows click and rich. Commands compute nothing themselves."""
