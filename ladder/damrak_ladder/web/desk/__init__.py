"""The author's desk: pages for the logged-in user's own bots, tokens and notices."""
