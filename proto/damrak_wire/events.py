"""Events as messages, either in full or as their receiver may see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from damrak_engine.cards import CARDS, Card
from damrak_engine.effects import DETAIL_LIMIT
from damrak_engine.events import (
    NOTE_LIMIT,
    Blind,
    Claim,
    Contracts,
    Deal,
    End,
    Event,
    Fault,
    Flush,
    Keep,
    LastRound,
    Offer,
    Pass,
    Refill,
    Reshuffle,
    Take,
)
from damrak_engine.position import ROW_SIZE
from damrak_engine.rules import Rules
from damrak_proto.v1 import game_pb2 as pb
from damrak_wire import fields
from damrak_wire.enums import ENDS, FAULT_REASONS, of_card
from damrak_wire.errors import WireError
from damrak_wire.protobuf import KEPT, chunk, number, numbers, numbers_of, varint

# ---- out ---------------------------------------------------------------------------------------

_EVENT: Final = numbers_of(pb.Event)
_BATCH: Final = numbers_of(pb.EventBatch)
_MS: Final = varint(_EVENT["ms"] << 3)


def batch(field: int, first: int, events: Sequence[bytes]) -> bytes:
    """Return events, the first of which has number `first`, as an EventBatch in this field."""
    return chunk(field, number(_BATCH["first"], first) + b"".join(events))


def event_bytes(event: Event) -> bytes:
    """Return the event as a serialised `events` field, to be shared by many EventBatches."""
    return chunk(_BATCH["events"], _serialised(event))


def encode_event(event: Event) -> pb.Event:
    """Return the event as a message."""
    return pb.Event.FromString(_serialised(event))


def _serialised(event: Event) -> bytes:
    match event:
        case Claim(seat=seat, route=route, colour=colour, wilds=wilds, goods=goods):
            said = _numbers("claim", (seat, route, of_card(colour), wilds, goods))
        case Refill(slot=slot, card=card):
            return _numbers("refill", (slot, of_card(card)))
        case Take(seat=seat, slot=slot, card=card):
            said = _numbers("take", (seat, slot, of_card(card)))
        case Blind(seat=seat, card=hidden):
            said = _numbers("blind", (seat, of_card(hidden)))
        case Keep(seat=seat, contracts=ids):
            said = _choice("keep", seat, ids)
        case Offer(seat=seat, contracts=ids):
            said = _choice("offer", seat, ids)
        case Pass(seat=seat):
            said = _numbers("pass", (seat,))
        case LastRound(seat=seat):
            return _numbers("last_round", (seat,))
        case End(reason=reason):
            return _numbers("end", (ENDS.number(reason, "end.reason"),))
        case Reshuffle():
            return _numbers("reshuffle", ())
        case Flush(cards=cards):
            return chunk(_EVENT["flush"], pb.Flush(cards=_cards(cards)).SerializeToString())
        case Fault():
            return chunk(_EVENT["fault"], encode_fault(event).SerializeToString())
        case Deal():
            return chunk(_EVENT["deal"], _encode_deal(event).SerializeToString())
        case _:
            raise TypeError(f"no message says {event!r}")
    if event.ms is not None:
        said += _MS + varint(event.ms)
    if event.note is not None:
        said += chunk(_EVENT["note"], event.note.encode())
    return said


@lru_cache(maxsize=KEPT)
def _numbers(kind: str, values: tuple[int, ...]) -> bytes:
    """Return an event whose fields, in order, are these numbers."""
    return chunk(_EVENT[kind], numbers(range(1, len(values) + 1), values))


@lru_cache(maxsize=KEPT)
def _choice(kind: str, seat: int, ids: Contracts) -> bytes:
    """Return an event whose fields are a seat and contracts."""
    contracts = chunk(2, _contracts(ids).SerializeToString())
    return chunk(_EVENT[kind], number(1, seat) + contracts)


def _cards(cards: Iterable[Card | None]) -> list[Any]:
    return [of_card(card) for card in cards]


def _contracts(ids: Contracts) -> pb.Contracts:
    known = [number for number in ids if number is not None]
    if known and len(known) != len(ids):
        raise WireError("contracts", "some are hidden and some are not")
    return pb.Contracts(ids=known, hidden=len(ids) - len(known))


def _encode_deal(deal: Deal) -> pb.Deal:
    return pb.Deal(
        first=deal.first,
        hands=[pb.Cards(cards=_cards(hand)) for hand in deal.hands],
        row=_cards(deal.row),
        contracts=[_contracts(ids) for ids in deal.contracts],
    )


def encode_fault(fault: Fault) -> pb.Fault:
    """Return the event of a seat that left as a message."""
    return pb.Fault(
        seat=fault.seat,
        reason=FAULT_REASONS.number(fault.reason, "fault.reason"),
        detail=fault.detail,
    )


# ---- in ----------------------------------------------------------------------------------------


def decode_events(
    messages: Sequence[pb.Event], rules: Rules, where: str = "events"
) -> tuple[Event, ...]:
    """Return the events in these messages.

    Raises:
        WireError: naming the wrong field, for example `events[2].take.slot`.
    """
    events: list[Event] = []
    for message in messages:
        try:
            events.append(_read(message, rules))
        except WireError as problem:
            raise problem.within(f"{where}[{len(events)}]") from None
    return tuple(events)


def decode_event(message: pb.Event, rules: Rules, where: str = "event") -> Event:
    """Return the event in a message; hidden cards and contracts are None."""
    try:
        return _read(message, rules)
    except WireError as problem:
        raise problem.within(where) from None


def _read(message: pb.Event, rules: Rules) -> Event:
    kind = message.WhichOneof("kind")
    if kind is None:
        raise WireError("kind", "is missing, or not known here")
    decoder = _DECISIONS.get(kind)
    ms = message.ms if message.HasField("ms") else None
    note = message.note if message.HasField("note") else None
    if note is not None:
        fields.short(note, NOTE_LIMIT, "note")
    try:
        if decoder is not None:
            return decoder(getattr(message, kind), rules, ms, note)
        if ms is not None or note is not None:
            raise WireError("ms", "and notes are of decisions only")
        return _OTHERS[kind](getattr(message, kind), rules)
    except WireError as problem:
        raise problem.within(kind) from None


def _known_card(number: int, where: str) -> Card:
    if not 1 <= number <= len(CARDS):
        raise WireError(where, f"{number} is no card")
    return CARDS[number - 1]


def _hidden_card(number: int, where: str) -> Card | None:
    return _known_card(number, where) if number else None


def _row(numbers_of_cards: Sequence[int], where: str) -> tuple[Card, ...]:
    fields.length(numbers_of_cards, ROW_SIZE, where)
    return tuple([_known_card(card, where) for card in numbers_of_cards])


def _ids(message: pb.Contracts, rules: Rules) -> Contracts:
    ids, hidden = tuple(message.ids[:]), message.hidden
    if ids and hidden:
        raise WireError("contracts", "some are hidden and some are not")
    if len(ids) > 2 or hidden > 2:
        raise WireError("contracts", "are more than two")
    for contract in ids:
        fields.whole(contract, 0, len(rules.board.contracts) - 1, "contracts")
    return ids or (None,) * hidden


def _seat(message: Any, rules: Rules) -> int:
    return fields.whole(message.seat, 0, rules.seats - 1, "seat")


def _slot(message: Any) -> int:
    return fields.whole(message.slot, 0, ROW_SIZE - 1, "slot")


def _deal(message: pb.Deal, rules: Rules) -> Event:
    fields.length(message.hands, rules.seats, "hands")
    fields.length(message.contracts, rules.seats, "contracts")
    for hand in message.hands:
        fields.length(hand.cards, 2, "hands")
    return Deal(
        first=fields.whole(message.first, 0, rules.seats - 1, "first"),
        hands=tuple(
            [tuple([_hidden_card(card, "hands") for card in hand.cards]) for hand in message.hands]
        ),
        row=_row(message.row, "row"),
        contracts=tuple([_ids(ids, rules) for ids in message.contracts]),
    )


def _keep(m: pb.Keep, rules: Rules, ms: int | None, note: str | None) -> Event:
    return Keep(_seat(m, rules), contracts=_ids(m.contracts, rules), ms=ms, note=note)


def _blind(m: pb.Blind, rules: Rules, ms: int | None, note: str | None) -> Event:
    return Blind(_seat(m, rules), card=_hidden_card(m.card, "card"), ms=ms, note=note)


def _take(m: pb.Take, rules: Rules, ms: int | None, note: str | None) -> Event:
    card = _known_card(m.card, "card")
    return Take(_seat(m, rules), slot=_slot(m), card=card, ms=ms, note=note)


def _claim(m: pb.Claim, rules: Rules, ms: int | None, note: str | None) -> Event:
    routes = rules.board.routes
    route = fields.whole(m.route, 0, len(routes) - 1, "route")
    colour = _hidden_card(m.colour, "colour")
    if colour is Card.WILD:
        raise WireError("colour", "wild is no colour")
    wilds = fields.whole(m.wilds, 0, routes[route].length, "wilds")
    seat = _seat(m, rules)
    return Claim(seat, route=route, colour=colour, wilds=wilds, goods=m.goods, ms=ms, note=note)


def _offer(m: pb.Offer, rules: Rules, ms: int | None, note: str | None) -> Event:
    return Offer(_seat(m, rules), contracts=_ids(m.contracts, rules), ms=ms, note=note)


def _pass(m: pb.Pass, rules: Rules, ms: int | None, note: str | None) -> Event:
    return Pass(_seat(m, rules), ms=ms, note=note)


def decode_fault(message: pb.Fault, rules: Rules) -> Fault:
    """Return the event of a seat that left from a message."""
    reason = FAULT_REASONS.word(message.reason, "reason")
    detail = fields.short(message.detail, DETAIL_LIMIT, "detail")
    return Fault(_seat(message, rules), reason, detail)


_DECISIONS: Final[dict[str, Callable[[Any, Rules, int | None, str | None], Event]]] = {
    "keep": _keep,
    "blind": _blind,
    "take": _take,
    "claim": _claim,
    "offer": _offer,
    "pass": _pass,
}
_OTHERS: Final[dict[str, Callable[[Any, Rules], Event]]] = {
    "deal": _deal,
    "refill": lambda m, rules: Refill(_slot(m), _known_card(m.card, "card")),
    "reshuffle": lambda m, rules: Reshuffle(),
    "flush": lambda m, rules: Flush(_row(m.cards, "cards")),
    "last_round": lambda m, rules: LastRound(_seat(m, rules)),
    "fault": decode_fault,
    "end": lambda m, rules: End(ENDS.word(m.reason, "reason")),
}
