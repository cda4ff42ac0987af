"""The configuration and state of a referee."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.errors import WireError
from damrak_wire.runtime import BotRuntime, decode_runtime


@dataclass(frozen=True, slots=True)
class Waiting:
    """A bot in the lobby; `free` is the number of further games that it accepts."""

    bot: str
    free: int
    playing: int
    software: str


@dataclass(frozen=True, slots=True)
class Status:
    """The configuration and state of a referee; `missing` lists what full isolation would require.

    `runtime` is None if the message has none or a malformed one; `runtime_problem` gives the
    reason.
    """

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
    runtime: BotRuntime | None = None
    runtime_problem: str = ""


def decode_status(message: pb.GetStatusResponse) -> Status:
    """Return the status in a message."""
    runtime, problem = _runtime(message)
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
        runtime=runtime,
        runtime_problem=problem,
    )


def _runtime(message: pb.GetStatusResponse) -> tuple[BotRuntime | None, str]:
    if not message.HasField("runtime"):
        return None, ""
    try:
        return decode_runtime(message.runtime), ""
    except WireError as problem:  # the host can play all the same
        return None, str(problem)
