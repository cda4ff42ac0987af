"""Ladders, the blocks played on them, and the recording of each block exactly once."""
