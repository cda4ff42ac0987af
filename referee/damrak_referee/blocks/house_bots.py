"""The available house bots, as listed by the `damrak` command."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import structlog

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class HouseBots:
    """Names of house bots, each with the names of its parameters, which are numbers."""

    parameters: Mapping[str, frozenset[str]]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.parameters))

    def objection(self, spec: str) -> str | None:
        """Return what is wrong with a house bot's spec (`mcts:ms=100`), or None."""
        name, colon, given = spec.partition(":")
        if name not in self.parameters:
            return f"{name!r} is none of {', '.join(self)}"
        for part in given.split(",") if colon else ():
            key, _, value = part.partition("=")
            if key not in self.parameters[name]:
                return f"{name} has no parameter {key!r}"
            try:
                float(value)
            except ValueError:
                return f"{key}: {value!r} is not a number"
        return None


async def find_house_bots() -> HouseBots:
    """List the house bots with the command `damrak`; return none if it fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "damrak", "bots", "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    said, _ = await process.communicate()
    try:
        bots = json.loads(said)["bots"]
        return HouseBots({bot["name"]: frozenset(bot["parameters"]) for bot in bots})
    except (ValueError, KeyError, TypeError):
        _log.warning("no_house_bots", consequence="blocks with house bots are refused")
        return HouseBots({})
