"""Requests of clients at a table: encoding and parsing."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import DecodeError

from damrak_engine.effects import DETAIL_LIMIT
from damrak_engine.events import NOTE_LIMIT
from damrak_engine.values import value
from damrak_proto.v1 import table_pb2 as pb
from damrak_wire import fields, version
from damrak_wire.enums import FAULT_REASONS
from damrak_wire.errors import WireError

TRACEBACK_LIMIT: Final = 15_000  # with all other fields it fits into 64 KiB, for any characters
FAILURES: Final = ("crash", "memory", "protocol")  # the reasons that a client may report


@value(frozen=True, slots=True)
class Join:
    """The first request, which identifies the client."""

    lowest: int
    highest: int
    software: str
    ticket: str
    prompt_events: bool


@value(frozen=True, slots=True)
class Ready:
    """The notice that the bot is ready to play."""

    name: str


@value(frozen=True, slots=True)
class Decided:
    """An answer; the arbiter checks whether it is legal and cuts the note."""

    decision: int
    action: int
    note: str | None
    think_us: int


@value(frozen=True, slots=True)
class Nonsense:
    """An answer that is not an action."""

    decision: int
    what: str


@value(frozen=True, slots=True)
class Failed:
    """The notice that the bot cannot continue; `reason` is one of `FAILURES`."""

    reason: str
    detail: str
    traceback: str


Request = Join | Ready | Decided | Nonsense | Failed


# ---- out ---------------------------------------------------------------------------------------


def join(software: str, ticket: str = "", prompt_events: bool = False) -> bytes:
    """Return a Join request; leave the ticket empty if the socket identifies the client."""
    hello = version.hello(software)
    said = pb.Join(hello=hello, ticket=ticket, prompt_events=prompt_events)
    return pb.PlayRequest(join=said).SerializeToString()


def ready(name: str) -> bytes:
    """Return a Ready request."""
    said = pb.Ready(name=fields.cut(name, fields.NAME_LIMIT))
    return pb.PlayRequest(ready=said).SerializeToString()


def decided(decision: int, action: int, note: str | None = None, think_us: int = 0) -> bytes:
    """Return the answer to a question as a request."""
    text = fields.cut(note, NOTE_LIMIT) if note else ""
    said = pb.Decision(decision=decision, action=action, note=text, think_us=think_us)
    return pb.PlayRequest(decision=said).SerializeToString()


def nonsense(decision: int, what: str) -> bytes:
    """Return a request about an answer that was not an action."""
    said = pb.Nonsense(decision=decision, what=fields.cut(what, DETAIL_LIMIT))
    return pb.PlayRequest(nonsense=said).SerializeToString()


def failed(reason: str, detail: str, traceback: str = "") -> bytes:
    """Return a request about the bot's failure; of a long traceback, the end is kept."""
    said = pb.Failure(
        reason=FAULT_REASONS.number(reason, "failure.reason"),
        detail=fields.cut(detail, DETAIL_LIMIT),
        traceback=fields.cut(traceback[-TRACEBACK_LIMIT:], TRACEBACK_LIMIT),
    )
    return pb.PlayRequest(failure=said).SerializeToString()


# ---- in ----------------------------------------------------------------------------------------


def parse_request(data: bytes) -> Request:
    """Return the request of a client in these bytes.

    Raises:
        WireError: naming the wrong field.
    """
    try:
        message = pb.PlayRequest.FromString(data)
    except DecodeError:
        raise WireError("request", f"these {len(data)} bytes are no PlayRequest") from None
    match message.WhichOneof("message"):
        case "decision":
            answer = message.decision
            return Decided(answer.decision, answer.action, answer.note or None, answer.think_us)
        case "nonsense":
            said = message.nonsense
            return Nonsense(said.decision, fields.cut(said.what, DETAIL_LIMIT))
        case "join":
            return _join(message.join)
        case "ready":
            return Ready(fields.cut(message.ready.name, fields.NAME_LIMIT))
        case "failure":
            return _failed(message.failure)
        case _:
            raise WireError("request", "is of no known kind")


def _join(said: pb.Join) -> Join:
    fields.member(said, "hello", "join")
    lowest, highest, software = version.heard(said.hello, "join.hello")
    ticket = fields.short(said.ticket, fields.TICKET_LIMIT, "join.ticket")
    return Join(lowest, highest, software, ticket, said.prompt_events)


def _failed(said: pb.Failure) -> Failed:
    reason = FAULT_REASONS.word(said.reason, "failure.reason")
    if reason not in FAILURES:
        raise WireError("failure.reason", f"must be one of {', '.join(FAILURES)}")
    return Failed(
        reason,
        fields.cut(said.detail, DETAIL_LIMIT),
        fields.cut(said.traceback[-TRACEBACK_LIMIT:], TRACEBACK_LIMIT),
    )
