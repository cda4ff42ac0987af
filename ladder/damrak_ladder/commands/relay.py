"""The command `damrak-ladder relay`."""

from __future__ import annotations

import argparse
import os
import signal
from typing import Any, NoReturn

from damrak_ladder.commands.parser import add_command
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    relay = add_command(
        commands,
        "relay",
        "let people play on the referee of this machine",
        """
        Starts the games of people on the referee at DAMRAK_LADDER_REFEREE, and holds the seats of
        people: it passes questions of the referee to their pages, and their answers back. It needs
        the database and the broker. One process per machine is enough. It may be killed at any
        time: the next one goes on with all games.
        """,
        """
        DAMRAK_LADDER_REFEREE=unix:/run/damrak/control.sock damrak-ladder relay
        damrak-ladder relay --games 20
        """,
        run,
    )
    relay.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="games of people at once (default: DAMRAK_LADDER_PEOPLE_GAMES, or 8)",
    )


def run(args: argparse.Namespace) -> int:
    """Relay until stopped."""
    from damrak_ladder.installation.logs import log_to_stderr
    from damrak_ladder.management import load

    log_to_stderr()
    load()
    import asyncio

    from django.conf import settings

    from damrak_ladder.embedded.lock import HomeLock
    from damrak_ladder.play.relay import Relay

    if settings.DAMRAK_REFEREE is None:
        raise Misuse("DAMRAK_LADDER_REFEREE is not set, and a relay needs a referee")
    games = settings.DAMRAK_PEOPLE_GAMES if args.games is None else args.games
    if games < 1:
        raise Misuse(f"--games: at least 1, not {games}")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    with HomeLock(settings.DAMRAK_HOME / "relay.lock", "a relay"):
        asyncio.run(Relay(games).run())
    return 0


def _end(*_: Any) -> NoReturn:
    """End at once: a successor goes on with everything, and threads that wait cannot be told."""
    os._exit(0)
