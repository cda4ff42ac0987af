"""Responses of the referee at a table: encoding.

Events are the results of `event_bytes`: each is encoded once and shared by all seats that have the
same view of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from damrak_engine.actions import (
    BLIND,
    FIRST_CLAIM,
    KEEP_BOTH,
    KEEP_FIRST,
    KEEP_SECOND,
    OFFER,
    PASS,
    TAKE,
    ClaimRoute,
)
from damrak_engine.board import Board
from damrak_engine.clock import TimeControl
from damrak_engine.effects import DETAIL_LIMIT, Ask, Owner, Rejected, Stale
from damrak_engine.events import Fault
from damrak_engine.observation import Observation
from damrak_engine.position import ROW_SIZE
from damrak_engine.rules import Rules, space_of
from damrak_engine.scoring import Result
from damrak_proto.v1 import table_pb2 as pb
from damrak_wire import fields
from damrak_wire.boards import board_bytes
from damrak_wire.clocks import encode_control, encode_time_left, time_left_bytes
from damrak_wire.enums import FAULT_OWNERS, WHYS, of_card
from damrak_wire.events import batch, encode_fault
from damrak_wire.protobuf import chunk, number, numbers_of, packed
from damrak_wire.results import encode_result
from damrak_wire.state import state_bytes
from damrak_wire.version import HIGHEST

_RESPONSE: Final = numbers_of(pb.PlayResponse)
_QUESTION: Final = numbers_of(pb.Question)
_WELCOME: Final = numbers_of(pb.Welcome)
_ENDING: Final = numbers_of(pb.Ending)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The contents of a Welcome, the answer to a Join.

    `history` are all events sent to the seat before, from number 0 on; the observation is present
    once the match has begun.
    """

    match: str
    seat: int
    rules: Rules
    control: TimeControl
    chance: bytes
    commitment: str
    rejoin_ticket: str = ""
    history: Sequence[bytes] = ()
    observation: Observation | None = None
    version: int = HIGHEST


def welcome(told: Welcome) -> bytes:
    """Return a Welcome response."""
    rules = told.rules
    message = pb.Welcome(
        version=told.version,
        match=told.match,
        seat=told.seat,
        seats=rules.seats,
        board=board_bytes(rules.board),
        options=rules.options.to_json(),
        control=encode_control(told.control),
        actions=actions_of(rules.board),
        chance=told.chance,
        commitment=told.commitment,
        rejoin_ticket=told.rejoin_ticket,
    )
    # Deterministic, so that the order of the options is fixed.
    said = message.SerializeToString(deterministic=True)
    if told.history:
        said += batch(_WELCOME["history"], 0, told.history)
    if told.observation is not None:
        said += chunk(_WELCOME["state"], state_bytes(told.observation))
    return chunk(_RESPONSE["welcome"], said)


@lru_cache(maxsize=64)
def actions_of(board: Board) -> pb.Actions:
    """Return the columns that describe the actions of a board."""
    kinds = [pb.ACTION_KIND_CLAIM] * len(space_of(board))
    kinds[BLIND] = pb.ACTION_KIND_BLIND
    kinds[TAKE : TAKE + ROW_SIZE] = [pb.ACTION_KIND_TAKE] * ROW_SIZE
    kinds[OFFER] = pb.ACTION_KIND_OFFER
    kinds[KEEP_FIRST] = pb.ACTION_KIND_KEEP_FIRST
    kinds[KEEP_SECOND] = pb.ACTION_KIND_KEEP_SECOND
    kinds[KEEP_BOTH] = pb.ACTION_KIND_KEEP_BOTH
    kinds[PASS] = pb.ACTION_KIND_PASS
    claims = [action for action in space_of(board).actions if isinstance(action, ClaimRoute)]
    slots = [0] * FIRST_CLAIM
    slots[TAKE : TAKE + ROW_SIZE] = range(ROW_SIZE)
    nothing = [0] * FIRST_CLAIM
    return pb.Actions(
        kinds=kinds,
        places=slots + [claim.route for claim in claims],
        colours=nothing + [of_card(claim.colour) for claim in claims],
        wilds=nothing + [claim.wilds for claim in claims],
    )


def question(ask: Ask, first: int = 0, events: Sequence[bytes] = ()) -> bytes:
    """Return a Question; its events, if any, begin with number `first`."""
    said = (
        number(_QUESTION["decision"], ask.decision),
        packed(_QUESTION["legal"], ask.legal),
        chunk(_QUESTION["time_left"], time_left_bytes(ask.time_left)),
        chunk(_QUESTION["state"], state_bytes(ask.observation)),
        batch(_QUESTION["events"], first, events) if events else b"",
    )
    return chunk(_RESPONSE["question"], b"".join(said))


def rejection(refused: Rejected) -> bytes:
    """Return a Rejection, for an illegal answer."""
    message = pb.Rejection(
        decision=refused.decision,
        reason=refused.reason,
        time_left=encode_time_left(refused.time_left),
        strikes_left=refused.strikes_left,
    )
    return pb.PlayResponse(rejection=message).SerializeToString()


def stale(answer: Stale) -> bytes:
    """Return a Stale response, for an answer without effect."""
    why = WHYS.number(answer.why, "stale.reason")
    message = pb.Stale(decision=answer.decision, reason=why)
    return pb.PlayResponse(stale=message).SerializeToString()


def news(first: int, events: Sequence[bytes]) -> bytes:
    """Return events, from number `first` on, as news."""
    return batch(_RESPONSE["news"], first, events)


def complaint(what: str) -> bytes:
    """Return a Complaint about an ignored message."""
    message = pb.Complaint(what=fields.cut(what, DETAIL_LIMIT))
    return pb.PlayResponse(complaint=message).SerializeToString()


def ending_result(first: int, events: Sequence[bytes], result: Result) -> bytes:
    """Return the Ending of a match with a result."""
    return _ending(first, events, pb.Ending(result=encode_result(result)))


def ending_void(first: int, events: Sequence[bytes], owner: Owner, detail: str) -> bytes:
    """Return the Ending of a void match."""
    return _ending(first, events, pb.Ending(void=void_of(owner, detail)))


def void_of(owner: Owner, detail: str) -> pb.Void:
    """Return the message for a void match."""
    number_of_owner = FAULT_OWNERS.number(owner, "void.owner")
    return pb.Void(owner=number_of_owner, detail=fields.cut(detail, DETAIL_LIMIT))


def ending_fault(first: int, events: Sequence[bytes], seat: int, reason: str, detail: str) -> bytes:
    """Return the Ending for a seat that left, while the match continues without it."""
    fault = Fault(seat, reason, fields.cut(detail, DETAIL_LIMIT))
    return _ending(first, events, pb.Ending(fault=encode_fault(fault)))


def _ending(first: int, events: Sequence[bytes], outcome: pb.Ending) -> bytes:
    told = batch(_ENDING["events"], first, events) if events else b""
    return chunk(_RESPONSE["ending"], told + outcome.SerializeToString())
