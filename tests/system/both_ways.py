"""Controls and watches a referee from one process: `python -m system.both_ways ADDRESS`."""

from __future__ import annotations

import asyncio
import faulthandler
import sys

from damrak_ladder.referees import broadcasts
from damrak_ladder.referees.addresses import Address, parse_address
from damrak_ladder.referees.broadcasts import Watching
from damrak_ladder.referees.control import Control

ROUNDS = 20
PATIENCE = 500.0  # after this it dumps its stack


async def watch(address: Address) -> None:
    """Watch matches while threads control the referee, like a site under asyncio."""
    async with Watching(address) as referee:
        await asyncio.gather(*(referee.matches() for _ in range(5)))
        await asyncio.to_thread(drive, address)
        await referee.matches()


def drive(address: Address) -> None:
    """Request the status."""
    with Control(address) as control:
        control.status()


def main() -> None:
    """Use a new loop each time, while a control connection is open as well."""
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    broadcasts.CALL_SECONDS = PATIENCE
    address = parse_address(sys.argv[1])
    for _ in range(ROUNDS):
        with Control(address) as control:
            control.status()
            asyncio.run(watch(address))
            control.status()


if __name__ == "__main__":
    main()
