"""Tallies of recorded blocks, updated with each block."""
