"""The processes of the platform, in the order in which they start."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from typing import Final

from damrak_ladder.embedded import valkey
from damrak_ladder.embedded.part import Plan
from damrak_ladder.embedded.places import Places
from damrak_ladder.embedded.ports import Address
from damrak_ladder.installation.environment import PREFIX, Environment

SHARE: Final = 0.55
"""Of all processors; running blocks are not stopped, so usage may be slightly above it."""

PLAYING_NICENESS: Final = 10
"""Bots yield to other programs on the machine."""

# The second signal ends running blocks and analyses. They are repeated later.
WORKER_STOP: Final = ((signal.SIGTERM, 0.5), (signal.SIGQUIT, 4.0))
CLERK_STOP: Final = ((signal.SIGTERM, 3.0), (signal.SIGQUIT, 2.0))
REFEREE_STOP: Final = ((signal.SIGTERM, 0.3), (signal.SIGTERM, 4.0))


@dataclass(frozen=True, slots=True)
class Size:
    """The part of the machine that is used."""

    processors: int
    blocks: int  # at once
    games: int  # at once, in all blocks
    share: float | None  # of all processors, over time; None: no limit
    games_per_minute: int | None

    @classmethod
    def of(cls, processors: int, workers: int | None, games_per_minute: int | None) -> Size:
        """Return the size the operator asked for, or a default of at most 60 % of the machine."""
        if workers is not None:
            return cls(processors, workers, max(workers, processors), None, games_per_minute)
        # At least two: a bot that connects and thinks for minutes must not hold up all others.
        blocks = max(2, int(processors * SHARE))
        return cls(processors, blocks, blocks, SHARE, games_per_minute)


def plans(
    environment: Environment, places: Places, broker: str, lobby: Address, size: Size
) -> list[Plan]:
    """Return the parts of the platform.

    Raises:
        Misuse: a program is missing.
    """
    ladder = [sys.executable, "-m", "damrak_ladder"]
    control = f"unix:{places.control}"
    common = {
        "DAMRAK_HOME": str(environment.home),
        PREFIX + "BROKER": broker,
        PREFIX + "REFEREE": control,
        PREFIX + "LOBBY": str(lobby),
        PREFIX + "WORKERS": str(size.blocks),
        PREFIX + "GAMES_AT_ONCE": str(size.games),
        "PYTHONUNBUFFERED": "1",
    }
    if size.games_per_minute is not None:
        common[PREFIX + "GAMES_PER_MINUTE"] = str(size.games_per_minute)
    referee = [
        *(sys.executable, "-m", "damrak_referee"),
        *("--listen", str(lobby)),
        *("--control", control),
        *("--name", environment.host_name),
        *("--run", str(places.run)),
        *("--store", str(environment.home / "referee")),
        *("--ready-file", str(places.referee)),
        *("--log-level", "warning"),
    ]
    parts = [
        Plan("referee", referee, common, PLAYING_NICENESS, REFEREE_STOP),
        Plan("site", [*ladder, "site"], common),
        Plan("worker", [*ladder, "worker"], common, PLAYING_NICENESS, WORKER_STOP),
        Plan("clerk", [*ladder, "clerk"], common, 2, CLERK_STOP),
        Plan("beat", [*ladder, "beat"], common),
        Plan("relay", [*ladder, "relay"], common),
        Plan("analyst", [*ladder, "analyst"], common, PLAYING_NICENESS, WORKER_STOP),
    ]
    if environment.broker is None:
        parts.insert(0, Plan("broker", valkey.command(places)))
    return parts
