"""All that speaks Redis: the client, the scripts, votes, visitors, facts, releases. Nothing else in the product imports redis."""
