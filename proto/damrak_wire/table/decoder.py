"""Parsing of the referee's responses at a table, for clients."""

from __future__ import annotations

from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.effects import DETAIL_LIMIT, Voided, Why
from damrak_engine.events import Event, Fault
from damrak_engine.observation import Observation
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result
from damrak_engine.values import value
from damrak_proto.v1 import game_pb2, table_pb2 as pb
from damrak_wire import fields, version
from damrak_wire.boards import rules_of
from damrak_wire.clocks import decode_control, decode_time_left
from damrak_wire.enums import FAULT_OWNERS, WHYS
from damrak_wire.errors import WireError
from damrak_wire.events import decode_events, decode_fault
from damrak_wire.results import decode_result
from damrak_wire.state import decode_state
from damrak_wire.table.responses import actions_of

CHANCE_BYTES = 32


@value(frozen=True, slots=True)
class Welcomed:
    """The answer to a join; `history` are all events sent before, from number `first` on."""

    version: int
    match: str
    seat: int
    seats: int
    rules: Rules
    control: TimeControl
    chance: bytes
    commitment: str
    rejoin_ticket: str
    first: int
    history: tuple[Event, ...]
    observation: Observation | None


@value(frozen=True, slots=True)
class Asked:
    """A question; `events` are those since the last ones sent, from number `first` on."""

    decision: int
    legal: list[int]
    time_left: TimeLeft
    observation: Observation
    first: int
    events: tuple[Event, ...]


@value(frozen=True, slots=True)
class Refused:
    """The rejection of an illegal answer; the decision is still owed."""

    decision: int
    reason: str
    time_left: TimeLeft
    strikes_left: int


@value(frozen=True, slots=True)
class StaleAnswer:
    """The notice that an answer had no effect."""

    decision: int
    why: Why


@value(frozen=True, slots=True)
class News:
    """Events that happened, from number `first` on."""

    first: int
    events: tuple[Event, ...]


@value(frozen=True, slots=True)
class Ended:
    """The end of the match for this seat: a result, a void match, or the seat's own fault."""

    first: int
    events: tuple[Event, ...]
    outcome: Result | Voided | Fault


@value(frozen=True, slots=True)
class Complained:
    """The notice that a message of the client was not understood."""

    what: str


Response = Welcomed | Asked | Refused | StaleAnswer | News | Ended | Complained


def parse_response(data: bytes, rules: Rules | None) -> Response | None:
    """Return the response in these bytes; None if its kind is from a later version.

    `rules` are those of the Welcome, or None before it.

    Raises:
        WireError: naming the wrong field.
    """
    message = fields.message(pb.PlayResponse, data, "response")
    kind = message.WhichOneof("message")
    match kind:
        case None:
            return None
        case "welcome":
            return _welcomed(message.welcome)
        case "rejection":
            return _refused(message.rejection)
        case "stale":
            said = message.stale
            return StaleAnswer(said.decision, WHYS.word(said.reason, "stale.reason"))
        case "complaint":
            return Complained(fields.cut(message.complaint.what, DETAIL_LIMIT))
    if rules is None:
        raise WireError(kind, "came before the welcome")
    match kind:
        case "question":
            return _asked(message.question, rules)
        case "news":
            return News(*_batch(message.news, rules, "news"))
        case "ending":
            return _ended(message.ending, rules)


def _batch(message: game_pb2.EventBatch, rules: Rules, where: str) -> tuple[int, tuple[Event, ...]]:
    return message.first, decode_events(message.events, rules, f"{where}.events")


def _welcomed(said: pb.Welcome) -> Welcomed:
    fields.whole(said.version, version.LOWEST, version.HIGHEST, "welcome.version")
    fields.length(said.chance, CHANCE_BYTES, "welcome.chance")
    fields.member(said, "control", "welcome")
    fields.member(said, "actions", "welcome")
    try:
        rules = rules_of(said.board, said.seats, said.options)
    except WireError as problem:
        raise problem.within("welcome") from None
    ours = actions_of(rules.board)
    for name in ("kinds", "places", "colours", "wilds"):
        if getattr(said.actions, name) != getattr(ours, name):
            raise WireError(f"welcome.actions.{name}", "differs from what the board makes of it")
    first, history = _batch(said.history, rules, "welcome.history")
    observation = None
    if said.HasField("state"):
        observation = decode_state(rules, said.state, "welcome.state")
    return Welcomed(
        version=said.version,
        match=fields.identifier(said.match, "welcome.match"),
        seat=fields.whole(said.seat, 0, rules.seats - 1, "welcome.seat"),
        seats=rules.seats,
        rules=rules,
        control=decode_control(said.control, "welcome.control"),
        chance=said.chance,
        commitment=fields.sha256(said.commitment, "welcome.commitment"),
        rejoin_ticket=fields.short(
            said.rejoin_ticket, fields.TICKET_LIMIT, "welcome.rejoin_ticket"
        ),
        first=first,
        history=history,
        observation=observation,
    )


def _asked(said: pb.Question, rules: Rules) -> Asked:
    fields.member(said, "time_left", "question")
    fields.member(said, "state", "question")
    legal = said.legal[:]
    if not legal:
        raise WireError("question.legal", "is empty")
    if legal[-1] >= len(rules.space) or legal != sorted(set(legal)):
        raise WireError("question.legal", "is not an ascending list of actions of this board")
    first, events = _batch(said.events, rules, "question.events")
    return Asked(
        decision=said.decision,
        legal=legal,
        time_left=decode_time_left(said.time_left),
        observation=decode_state(rules, said.state, "question.state"),
        first=first,
        events=events,
    )


def _refused(said: pb.Rejection) -> Refused:
    fields.member(said, "time_left", "rejection")
    return Refused(
        said.decision,
        fields.cut(said.reason, DETAIL_LIMIT),
        decode_time_left(said.time_left),
        said.strikes_left,
    )


def _ended(said: pb.Ending, rules: Rules) -> Ended:
    first, events = _batch(said.events, rules, "ending.events")
    outcome: Result | Voided | Fault
    match said.WhichOneof("outcome"):
        case "result":
            outcome = decode_result(said.result, rules, "ending.result")
        case "void":
            outcome = voided_of(said.void, "ending.void")
        case "fault":
            try:
                outcome = decode_fault(said.fault, rules)
            except WireError as problem:
                raise problem.within("ending.fault") from None
        case None:
            raise WireError("ending.outcome", "is missing")
    return Ended(first, events, outcome)


def voided_of(said: pb.Void, where: str) -> Voided:
    """Return the ending of a void match from a message."""
    owner = FAULT_OWNERS.word(said.owner, f"{where}.owner")
    return Voided(owner, fields.cut(said.detail, DETAIL_LIMIT))
