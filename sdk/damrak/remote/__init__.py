"""Bots that play on a referee.

    address      what is written after `--to`
    channels     connections to an address, with TLS or without
    troubles     what went wrong on a connection, in words, and the cure
    lines        the line of a seat to its referee
    session      one bot in one match at the end of a line
    present      a bot in this very process
    seat         `python -m damrak.remote.seat`: one match in a process of its own
    house        `python -m damrak.remote.house`: house bots, match after match

    kept         a line that comes back when it is lost
    games        the games that are being played, each with a child process for its bot
    lobby        waiting to be called to tables
    credentials  tokens: where they come from and how they are kept

    control      how whoever arranges matches drives a referee
    private      a referee of one's own, in a process that ends with this one
    tournament   bots at a table, in every rotation of their seats
    replays      replays that nobody signs

The first seven are loaded for every sandboxed game and import as little as they can.
"""

import os

# Read when gRPC is loaded. What it has to say, `troubles` says; and bots that fork leave it alone.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
