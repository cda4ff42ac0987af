"""Kills everything at random, repeatedly, and checks that nothing is lost or different.

    plan        the blocks to be played and the bots that play them
    caller      a small process that has them played and records the results in SQLite
    victims     the referee, its runner and the caller as processes that are restarted and killed
    trial       a plan carried out, with or without kills
    leftovers   what should not exist afterwards

`make chaos` runs it at length (python -m chaos --help); the tests run it once.
"""
