"""How fast the engine is, beside others, on the machine at hand.

Every measurement is a process of its own (`python -m damrak.benchmark NAME`), so that interpreted
and compiled engine, and the peers, do not disturb one another. `report.measure` runs them all.
"""
