"""Who votes: identity, behaviour, checks against robots, moderation. No votes are read here."""
