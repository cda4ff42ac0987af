"""Ladders, the blocks played on them, and how each block is recorded once."""
