"""The page of a match, and the logs of its seats."""
