"""What is started for a seat, and how that ended, as the referee says and hears it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A bot of the package, by its spec."""

    spec: str


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The bot of an installed archive."""

    sha256: str


@dataclass(frozen=True, slots=True)
class SeatProcess:
    """What to start for a seat. The socket is there already, with somebody listening."""

    id: str
    place: HouseBot | Uploaded
    socket: Path


@dataclass(frozen=True, slots=True)
class Exit:
    """How a seat's process ended, what it printed, and what it used; 0 is unknown.

    `stack` is where it was when it was asked, if it was.
    """

    cause: str
    detail: str
    owner: str
    output: str = ""
    cpu_us: int = 0
    memory_bytes: int = 0
    stack: str = ""
