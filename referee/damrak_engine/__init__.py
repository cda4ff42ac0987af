"""Engine of the Amsterdam cart game: rules, arbiter, replays, boards and their drawing.

It uses the standard library only. It reads no clock, has no randomness of its own, and reads no
files except the boards that it ships with.
"""
