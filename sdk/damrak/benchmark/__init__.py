"""Benchmarks of the engine and the referee on this machine, compared with others.

Every measurement runs in its own process (`python -m damrak.benchmark NAME`), so that interpreted
and compiled engine and the peers do not affect each other. `report.measure` runs them all.
"""
