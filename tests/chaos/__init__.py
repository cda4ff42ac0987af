"""Kill everything at random, again and again, and see whether anything is lost or different.

    plan        the blocks to be played and the bots that play them
    caller      a small process that has them played and writes down what came of it, in SQLite
    victims     the referee, its runner and the caller as processes that are kept alive and killed
    trial       a plan carried out, with or without kills
    leftovers   what should not be there when all is over

`make chaos` runs it at length (python -m chaos --help); the tests run it once.
"""
