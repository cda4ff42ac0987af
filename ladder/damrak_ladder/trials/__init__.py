"""Comparisons of two versions: tests and canaries."""
