"""What a referee is and does."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_proto.v1 import control_pb2 as pb


@dataclass(frozen=True, slots=True)
class Waiting:
    """A bot in the lobby; `free` is how many more games it would take."""

    bot: str
    free: int
    playing: int
    software: str


@dataclass(frozen=True, slots=True)
class Status:
    """What a referee is and does; `missing` is what it lacks for its isolation."""

    referee: str
    software: str
    is_draining: bool
    running: int
    capacity: int
    ended: int
    house: tuple[str, ...]
    isolation: str
    missing: tuple[str, ...]
    waiting: tuple[Waiting, ...]


def decode_status(message: pb.GetStatusResponse) -> Status:
    """The status in a message."""
    return Status(
        referee=message.referee,
        software=message.software,
        is_draining=message.draining,
        running=message.running,
        capacity=message.capacity,
        ended=message.ended,
        house=tuple(message.house),
        isolation=message.isolation,
        missing=tuple(message.missing),
        waiting=tuple(Waiting(it.bot, it.free, it.playing, it.software) for it in message.waiting),
    )
