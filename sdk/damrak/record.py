"""What is left of a game that was played on this machine."""

from __future__ import annotations

from dataclasses import dataclass

from damrak.bundle import Bundle
from damrak_engine.replay import Replay
from damrak_engine.scoring import Result


@dataclass(frozen=True, slots=True)
class GameFault:
    """A bot that failed, and all its author needs to find out why."""

    seat: int
    bot: str
    reason: str
    detail: str
    traceback: str
    output: str
    bundle: Bundle


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that was no legal action; three of them are a fault."""

    seat: int
    decision: int
    reason: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game; every tuple that is not a list of occurrences goes by seat.

    `late_faults` change nothing in the game: printing to standard output, and what went wrong in
    `finish`, after the end.
    """

    replay: Replay
    result: Result
    names: tuple[str, ...]
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    faults: tuple[GameFault, ...]
    late_faults: tuple[GameFault, ...]
    rejections: tuple[Rejection, ...]
    output: tuple[str, ...]
