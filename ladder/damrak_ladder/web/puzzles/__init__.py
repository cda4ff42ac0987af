"""Puzzles: the one of the day, the archive, and answers without an account."""
