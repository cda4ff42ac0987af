"""Blocks of matches: their programs and archives, and the reports of their progress."""
