"""Following of bots, authors, ladders and tournaments, and news for followers."""
