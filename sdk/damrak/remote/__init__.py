"""Bots that play at a referee.

    address      parsing addresses, as given after `--to`
    channels     connections to an address, with TLS or without
    troubles     connection errors as messages with a remedy
    lines        the connection of a seat to its referee
    session      one bot in one match at the end of a line
    present      a bot in this process
    seat         `python -m damrak.remote.seat`: one match in its own process
    house        `python -m damrak.remote.house`: house bots, match after match

    kept         a line that reconnects when the connection is lost
    games        the games in progress, each with a child process for its bot
    lobby        waiting for calls to tables
    credentials  finding and storing tokens

    control      the client with which a ladder or tournament controls a referee
    private      a private referee, in a process that ends with this one
    tournament   bots at a table, in every rotation of their seats
    replays      replays without a signature

The first seven are loaded for every sandboxed game and import as little as possible.
"""

import os

# gRPC reads these when it is loaded. `troubles` reports its errors, and its fork handlers would
# disturb bots that fork.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
