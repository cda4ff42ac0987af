"""Descriptions of seat processes, as exchanged between referee and runner."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A house bot, by its spec."""

    spec: str


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The bot of an installed archive."""

    sha256: str


@dataclass(frozen=True, slots=True)
class SeatProcess:
    """A process to start for a seat. The referee already listens on the socket."""

    id: str
    place: HouseBot | Uploaded
    socket: Path
    low_priority: bool = False


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a seat's process, with its output and resource usage; 0 is unknown.

    `stack` is the bot's stack if it was requested.
    """

    cause: str
    detail: str
    owner: str
    output: str = ""
    cpu_us: int = 0
    memory_bytes: int = 0
    stack: str = ""
