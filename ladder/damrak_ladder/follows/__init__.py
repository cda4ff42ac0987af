"""Following of bots, authors, ladders and tournaments, news for followers, and games to watch."""
