"""Records of games played on this machine."""

from __future__ import annotations

from dataclasses import dataclass

from damrak.bundle import Bundle
from damrak_engine.replay import Replay
from damrak_engine.scoring import Result


@dataclass(frozen=True, slots=True)
class GameFault:
    """A bot that failed, with everything its author needs to find the cause."""

    seat: int
    bot: str
    reason: str
    detail: str
    traceback: str
    output: str
    bundle: Bundle


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that was not a legal action; three of them are a fault."""

    seat: int
    decision: int
    reason: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game; tuples are indexed by seat, except for lists of faults and rejections.

    `late_faults` did not affect the game: output printed to standard output, and failures in
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
