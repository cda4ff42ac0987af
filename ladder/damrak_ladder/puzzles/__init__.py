"""Puzzles: positions of recorded matches in which one move is surely better than two others."""
