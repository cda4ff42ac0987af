"""Thinking time as messages: the time control of a match, and remaining time."""

from __future__ import annotations

from typing import Final

from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.errors import MatchError
from damrak_proto.v1 import game_pb2 as pb
from damrak_wire.errors import WireError
from damrak_wire.protobuf import numbers_of, varint

_DECISION: Final = varint(numbers_of(pb.TimeLeft)["decision_us"] << 3)
_BANK: Final = varint(numbers_of(pb.TimeLeft)["bank_us"] << 3)


def encode_control(control: TimeControl) -> pb.TimeControl:
    """Return the control as a message."""
    try:
        return pb.TimeControl(
            decision_ms=control.decision_ms,
            bank_ms=control.bank_ms,
            increment_ms=control.increment_ms,
            grace_ms=control.grace_ms,
            strikes=control.strikes,
        )
    except ValueError:
        raise WireError("control", "holds a number of more than 32 bits") from None


def decode_control(message: pb.TimeControl, where: str = "control") -> TimeControl:
    """Return the control in a message."""
    try:
        return TimeControl(
            decision_ms=message.decision_ms if message.HasField("decision_ms") else None,
            bank_ms=message.bank_ms,
            increment_ms=message.increment_ms,
            grace_ms=message.grace_ms,
            strikes=message.strikes,
        )
    except MatchError as problem:
        field, _, what = str(problem).partition(": ")
        raise WireError(f"{where}.{field}", what) from None


def encode_time_left(left: TimeLeft) -> pb.TimeLeft:
    """Return the remaining time as a message."""
    return pb.TimeLeft(decision_us=left.decision_us, bank_us=left.bank_us)


def time_left_bytes(left: TimeLeft) -> bytes:
    """Return the remaining time as a serialised TimeLeft."""
    bank = _BANK + varint(left.bank_us)
    return bank if left.decision_us is None else _DECISION + varint(left.decision_us) + bank


def decode_time_left(message: pb.TimeLeft) -> TimeLeft:
    """Return the remaining time in a message; every message is valid."""
    return TimeLeft(
        message.decision_us if message.HasField("decision_us") else None, message.bank_us
    )
