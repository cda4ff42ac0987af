"""Bots that play on a referee.

    address      what is written after `--to`
    channels     connections to an address, with TLS or without
    troubles     what went wrong on a connection, in words, and the cure
    lines        the line of a seat to its referee: `Line`, or `KeptLine` that comes back when lost
    session      one bot in one match at the end of a line
    present      a bot in this very process
    seat         `python -m damrak.remote.seat`: one match in a process of its own
    house        `python -m damrak.remote.house`: house bots, match after match
    credentials  tokens: where they come from and how they are kept
    lobby        waiting to be called to tables
    games        the games that are being played, each with a child process for its bot
    control      how whoever arranges matches drives a referee

The first six are loaded for every sandboxed game and import as little as they can.
"""
