"""The ladder: matchmaking, matches, ratings, and the site."""
