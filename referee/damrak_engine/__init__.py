"""The rules of the Amsterdam cart game and everything that follows from them alone.

Standard library only; no clock, no randomness of its own, no files but the boards it brings.
"""
