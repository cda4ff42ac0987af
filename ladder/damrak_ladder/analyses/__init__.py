"""Analyses of recorded matches: winning chances, costly decisions, luck, and sources of points."""
