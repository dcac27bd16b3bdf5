"""The commands of `python -m arena`: settings, open, one call, print. Nothing else imports them."""
