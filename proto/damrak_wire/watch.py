"""Public view of a match, encoded as bytes that all watchers share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from damrak_engine.clock import TimeControl
from damrak_engine.effects import Owner, Voided
from damrak_engine.events import Event
from damrak_engine.replay import Player
from damrak_engine.rules import Rules
from damrak_proto.v1 import control_pb2, watch_pb2 as pb
from damrak_wire import fields
from damrak_wire.boards import board_bytes, rules_of
from damrak_wire.clocks import decode_control, encode_control
from damrak_wire.errors import WireError
from damrak_wire.events import batch, decode_events
from damrak_wire.orders import NAME_LIMIT, attempt_of
from damrak_wire.protobuf import numbers_of
from damrak_wire.reports import SeatFault, decode_fault, encode_fault
from damrak_wire.table.decoder import voided_of
from damrak_wire.table.responses import void_of

_SEEN = numbers_of(pb.WatchMatchResponse)


@dataclass(frozen=True, slots=True)
class WatchedMatch:
    """A match that can be watched."""

    match: str
    block: str
    attempt: int
    seats: tuple[Player, ...]
    over: bool = False


@dataclass(frozen=True, slots=True)
class MatchSetting:
    """The start of an attempt at a match; earlier attempts no longer count."""

    match: WatchedMatch
    rules: Rules
    control: TimeControl
    commitment: str
    delay_ms: int


@dataclass(frozen=True, slots=True)
class Happened:
    """Events as an observer without a seat sees them, from number `first` on."""

    first: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Clocks:
    """The seats whose clocks are running, and every seat's bank."""

    running: tuple[int, ...]
    bank_ms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WatchEnding:
    """The end of a match, with the fault of each seat that failed."""

    replay: bytes
    faults: tuple[SeatFault | None, ...]


Seen = MatchSetting | Happened | Clocks | WatchEnding | Voided


# ---- out ---------------------------------------------------------------------------------------


def encode_matches(matches: Iterable[WatchedMatch]) -> pb.ListMatchesResponse:
    """Return the matches that can be watched as a message."""
    return pb.ListMatchesResponse(matches=[_encode_match(match) for match in matches])


def _encode_match(match: WatchedMatch) -> pb.WatchedMatch:
    return pb.WatchedMatch(
        match=match.match,
        block=match.block,
        attempt=match.attempt,
        seats=[
            pb.WatchedSeat(bot=seat.bot, version=seat.version, owner=seat.owner)
            for seat in match.seats
        ],
        over=match.over,
    )


def setting(told: MatchSetting) -> bytes:
    """Return the message that starts an attempt."""
    message = pb.MatchSetting(
        match=_encode_match(told.match),
        board=board_bytes(told.rules.board),
        options=told.rules.options.to_json(),
        control=encode_control(told.control),
        commitment=told.commitment,
        delay_ms=told.delay_ms,
    )
    return pb.WatchMatchResponse(setting=message).SerializeToString(deterministic=True)


def happened(first: int, events: Sequence[bytes]) -> bytes:
    """Return events, encoded by `event_bytes` from the public view, from number `first` on."""
    return batch(_SEEN["events"], first, events)


def clocks(running: Iterable[int], bank_ms: Iterable[int]) -> bytes:
    """Return the message with the clocks at a moment."""
    message = pb.Clocks(running=running, bank_ms=bank_ms)
    return pb.WatchMatchResponse(clocks=message).SerializeToString()


def ending(replay: bytes, faults: Iterable[SeatFault | None]) -> bytes:
    """Return the message for the end, without tracebacks, which are for owners only."""
    message = pb.WatchEnding(
        replay=replay,
        faults=[
            control_pb2.SeatFault()
            if fault is None
            else encode_fault(SeatFault(fault.reason, fault.owner, fault.detail))
            for fault in faults
        ],
    )
    return pb.WatchMatchResponse(ending=message).SerializeToString()


def void(owner: Owner, detail: str) -> bytes:
    """Return the message for a void attempt."""
    return pb.WatchMatchResponse(void=void_of(owner, detail)).SerializeToString()


# ---- in ----------------------------------------------------------------------------------------


def decode_matches(message: pb.ListMatchesResponse) -> tuple[WatchedMatch, ...]:
    """Return the matches that can be watched from a message."""
    return tuple([_match(match, f"matches[{i}]") for i, match in enumerate(message.matches)])


def _match(message: pb.WatchedMatch, where: str) -> WatchedMatch:
    if not 2 <= len(message.seats) <= 4:
        raise WireError(f"{where}.seats", f"must hold 2 to 4, not {len(message.seats)}")
    return WatchedMatch(
        fields.identifier(message.match, f"{where}.match"),
        fields.short(message.block, fields.ID_LIMIT, f"{where}.block"),
        attempt_of(message.attempt, f"{where}.attempt"),
        tuple([_player(seat, f"{where}.seats[{i}]") for i, seat in enumerate(message.seats)]),
        message.over,
    )


def _player(message: pb.WatchedSeat, where: str) -> Player:
    return Player(
        fields.short(message.bot, NAME_LIMIT, f"{where}.bot"),
        fields.short(message.version, NAME_LIMIT, f"{where}.version"),
        fields.short(message.owner, NAME_LIMIT, f"{where}.owner"),
    )


def parse_seen(data: bytes, rules: Rules | None) -> Seen | None:
    """Return the message for a watcher; None if its kind is from a later version.

    `rules` are those of the last setting, or None before it.

    Raises:
        WireError: naming the wrong field.
    """
    message = fields.message(pb.WatchMatchResponse, data, "response")
    kind = message.WhichOneof("message")
    match kind:
        case None:
            return None
        case "setting":
            return _setting(message.setting)
        case "void":
            return voided_of(message.void, "void")
    if rules is None:
        raise WireError(kind, "came before the setting")
    match kind:
        case "events":
            batch = message.events
            return Happened(batch.first, decode_events(batch.events, rules, "events.events"))
        case "clocks":
            return _clocks(message.clocks, rules.seats)
        case "ending":
            return _ending(message.ending, rules.seats)


def _setting(said: pb.MatchSetting) -> MatchSetting:
    for name in ("match", "control"):
        fields.member(said, name, "setting")
    match = _match(said.match, "setting.match")
    try:
        rules = rules_of(said.board, len(match.seats), said.options)
    except WireError as problem:
        raise problem.within("setting") from None
    return MatchSetting(
        match,
        rules,
        decode_control(said.control, "setting.control"),
        fields.sha256(said.commitment, "setting.commitment"),
        said.delay_ms,
    )


def _clocks(said: pb.Clocks, seats: int) -> Clocks:
    fields.length(said.bank_ms, seats, "clocks.bank_ms")
    for seat in said.running:
        fields.whole(seat, 0, seats - 1, "clocks.running")
    return Clocks(tuple(said.running), tuple(said.bank_ms))


def _ending(said: pb.WatchEnding, seats: int) -> WatchEnding:
    fields.length(said.faults, seats, "ending.faults")
    faults = [
        decode_fault(fault, f"ending.faults[{i}]") if fault.reason else None
        for i, fault in enumerate(said.faults)
    ]
    return WatchEnding(said.replay, tuple(faults))
