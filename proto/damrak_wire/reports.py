"""Reports of a block and its matches, sent as they happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from damrak_engine.effects import DETAIL_LIMIT, Owner
from damrak_proto.v1 import control_pb2 as pb
from damrak_wire import fields
from damrak_wire.enums import FAULT_OWNERS, FAULT_REASONS, Words
from damrak_wire.errors import WireError
from damrak_wire.orders import attempt_of

BlockOutcome = Literal["finished", "void", "cancelled"]
BLOCK_OUTCOMES: Final[Words[BlockOutcome]] = Words(("finished", "void", "cancelled"))
TRACEBACK_LIMIT: Final = 16_000
OUTPUT_LIMIT: Final = 256 * 1024  # characters
MOST_SEATS: Final = 4


@dataclass(frozen=True, slots=True)
class SeatFault:
    """A failure of a bot, and the party responsible for it."""

    reason: str
    owner: Owner
    detail: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class SeatReport:
    """Data of a seat for the owner of its bot, in addition to the replay."""

    name: str = ""
    output: str = ""
    fault: SeatFault | None = None
    rejections: tuple[str, ...] = ()
    cpu_us: int = 0
    memory_bytes: int = 0
    ready_us: int = 0


@dataclass(frozen=True, slots=True)
class Timings:
    """Timings of decisions: entry i of each column belongs to the i-th decision."""

    seats: tuple[int, ...] = ()
    total_us: tuple[int, ...] = ()
    think_us: tuple[int, ...] = ()
    queue_us: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The start of a match: all seats are ready."""

    match: str
    commitment: str


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The end of a match with a result, which is in its replay."""

    match: str
    attempt: int
    replay: bytes
    seats: tuple[SeatReport, ...]
    timings: Timings = Timings()


@dataclass(frozen=True, slots=True)
class MatchVoided:
    """The end of a match without a result, with its seats as far as known."""

    match: str
    attempt: int
    owner: Owner
    detail: str
    seats: tuple[SeatReport, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockEnded:
    """The end of a block; the last message about it."""

    outcome: BlockOutcome
    detail: str = ""


BlockNews = MatchStarted | MatchReport | MatchVoided | BlockEnded


# ---- out ---------------------------------------------------------------------------------------


def encode_news(news: BlockNews) -> pb.FollowBlockResponse:
    """Return news of a block as a message."""
    match news:
        case MatchStarted(match, commitment):
            started = pb.MatchStarted(match=match, commitment=commitment)
            return pb.FollowBlockResponse(started=started)
        case MatchReport():
            return pb.FollowBlockResponse(finished=_encode_report(news))
        case MatchVoided(match, attempt, owner, detail, seats):
            voided = pb.MatchVoided(
                match=match,
                attempt=attempt,
                owner=FAULT_OWNERS.number(owner, "voided.owner"),
                detail=fields.cut(detail, DETAIL_LIMIT),
                seats=[_encode_seat(seat) for seat in seats],
            )
            return pb.FollowBlockResponse(voided=voided)
        case BlockEnded(outcome, detail):
            ended = pb.BlockEnded(
                outcome=BLOCK_OUTCOMES.number(outcome, "ended.outcome"),
                detail=fields.cut(detail, DETAIL_LIMIT),
            )
            return pb.FollowBlockResponse(ended=ended)


def _encode_report(report: MatchReport) -> pb.MatchReport:
    timings = report.timings
    return pb.MatchReport(
        match=report.match,
        attempt=report.attempt,
        replay=report.replay,
        seats=[_encode_seat(seat) for seat in report.seats],
        timings=pb.Timings(
            seats=timings.seats,
            total_us=timings.total_us,
            think_us=timings.think_us,
            queue_us=timings.queue_us,
        ),
    )


def _encode_seat(report: SeatReport) -> pb.SeatReport:
    return pb.SeatReport(
        name=fields.cut(report.name, fields.NAME_LIMIT),
        output=fields.cut(report.output, OUTPUT_LIMIT),
        fault=None if report.fault is None else encode_fault(report.fault),
        rejections=[fields.cut(line, DETAIL_LIMIT) for line in report.rejections],
        cpu_us=report.cpu_us,
        memory_bytes=report.memory_bytes,
        ready_us=report.ready_us,
    )


def encode_fault(fault: SeatFault) -> pb.SeatFault:
    """Return a bot's failure as a message."""
    return pb.SeatFault(
        reason=FAULT_REASONS.number(fault.reason, "fault.reason"),
        owner=FAULT_OWNERS.number(fault.owner, "fault.owner"),
        detail=fields.cut(fault.detail, DETAIL_LIMIT),
        traceback=fields.cut(fault.traceback[-TRACEBACK_LIMIT:], TRACEBACK_LIMIT),
    )


# ---- in ----------------------------------------------------------------------------------------


def decode_news(message: pb.FollowBlockResponse) -> BlockNews | None:
    """Return the news in a message; None if its kind is from a later version.

    Raises:
        WireError: naming the wrong field.
    """
    match message.WhichOneof("message"):
        case "started":
            started = message.started
            return MatchStarted(
                fields.identifier(started.match, "started.match"),
                fields.sha256(started.commitment, "started.commitment"),
            )
        case "finished":
            return _decode_report(message.finished)
        case "voided":
            voided = message.voided
            return MatchVoided(
                fields.identifier(voided.match, "voided.match"),
                attempt_of(voided.attempt, "voided.attempt"),
                FAULT_OWNERS.word(voided.owner, "voided.owner"),
                fields.cut(voided.detail, DETAIL_LIMIT),
                _seats(voided.seats, "voided"),
            )
        case "ended":
            ended = message.ended
            return BlockEnded(
                BLOCK_OUTCOMES.word(ended.outcome, "ended.outcome"),
                fields.cut(ended.detail, DETAIL_LIMIT),
            )
        case None:
            return None


def _decode_report(message: pb.MatchReport) -> MatchReport:
    if not message.replay:
        raise WireError("finished.replay", "is missing")
    seats = _seats(message.seats, "finished")
    return MatchReport(
        fields.identifier(message.match, "finished.match"),
        attempt_of(message.attempt, "finished.attempt"),
        message.replay,
        seats,
        _timings(message.timings, len(seats)),
    )


def _timings(message: pb.Timings, seats: int) -> Timings:
    timings = Timings(
        tuple(message.seats),
        tuple(message.total_us),
        tuple(message.think_us),
        tuple(message.queue_us),
    )
    for name in ("total_us", "think_us", "queue_us"):
        column = getattr(timings, name)
        fields.length(column, len(timings.seats), f"finished.timings.{name}")
    if any(seat >= seats for seat in timings.seats):
        raise WireError("finished.timings.seats", f"must be from 0 to {seats - 1}")
    return timings


def _seats(messages: Sequence[pb.SeatReport], where: str) -> tuple[SeatReport, ...]:
    if len(messages) > MOST_SEATS:
        raise WireError(f"{where}.seats", f"must hold at most {MOST_SEATS}")
    return tuple([_decode_seat(seat, f"{where}.seats[{i}]") for i, seat in enumerate(messages)])


def _decode_seat(message: pb.SeatReport, where: str) -> SeatReport:
    fault = None
    if message.HasField("fault"):
        fault = decode_fault(message.fault, f"{where}.fault")
    return SeatReport(
        name=fields.cut(message.name, fields.NAME_LIMIT),
        output=fields.cut(message.output, OUTPUT_LIMIT),
        fault=fault,
        rejections=tuple([fields.cut(line, DETAIL_LIMIT) for line in message.rejections]),
        cpu_us=message.cpu_us,
        memory_bytes=message.memory_bytes,
        ready_us=message.ready_us,
    )


def decode_fault(message: pb.SeatFault, where: str) -> SeatFault:
    """Return a bot's failure from a message."""
    return SeatFault(
        FAULT_REASONS.word(message.reason, f"{where}.reason"),
        FAULT_OWNERS.word(message.owner, f"{where}.owner"),
        fields.cut(message.detail, DETAIL_LIMIT),
        fields.cut(message.traceback, TRACEBACK_LIMIT),
    )
