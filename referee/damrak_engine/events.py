"""Events of a match, one frozen record per kind of docs/replay.md.

The engine appends them to a state's log, replays store them, and `seen_by` returns what one seat
may see of them. A hidden card or contract is None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar, Final

from damrak_engine.cards import CARD_OF_WORD, Card
from damrak_engine.errors import ReplayError
from damrak_engine.values import value

NOTE_LIMIT = 280
FAULTS = ("timeout", "crash", "disconnect", "illegal", "memory", "protocol")
END_REASONS = ("carts", "stalemate", "forfeit", "turn_limit")

Cards = tuple[Card | None, ...]
Contracts = tuple[int | None, ...]


@value(frozen=True, slots=True)
class Event:
    """Base class of the events below."""

    kind: ClassVar[str] = ""


@value(frozen=True, slots=True)
class Decision(Event):
    """An event chosen by a seat; two that differ only in `ms` or `note` are equal."""

    seat: int
    ms: int | None = field(default=None, compare=False, kw_only=True)
    note: str | None = field(default=None, compare=False, kw_only=True)


@value(frozen=True, slots=True)
class Deal(Event):
    """The set-up: hands and contracts in the order drawn, the row as first turned up."""

    kind: ClassVar[str] = "deal"
    first: int
    hands: tuple[Cards, ...]
    row: Cards
    contracts: tuple[Contracts, ...]


@value(frozen=True, slots=True)
class Keep(Decision):
    """A seat kept these of the contracts offered to it."""

    kind: ClassVar[str] = "keep"
    contracts: Contracts


@value(frozen=True, slots=True)
class Blind(Decision):
    """A seat drew a card from the pile."""

    kind: ClassVar[str] = "blind"
    card: Card | None


@value(frozen=True, slots=True)
class Take(Decision):
    """A seat took a card from the row."""

    kind: ClassVar[str] = "take"
    slot: int
    card: Card


@value(frozen=True, slots=True)
class Refill(Event):
    """A slot of the row was filled from the pile."""

    kind: ClassVar[str] = "refill"
    slot: int
    card: Card


@value(frozen=True, slots=True)
class Reshuffle(Event):
    """The discards became the pile."""

    kind: ClassVar[str] = "reshuffle"


@value(frozen=True, slots=True)
class Flush(Event):
    """The whole row, slots 0 to 4, was discarded because it showed too many wilds."""

    kind: ClassVar[str] = "flush"
    cards: Cards


@value(frozen=True, slots=True)
class Claim(Decision):
    """A seat claimed a route; `colour` is None if it paid with wilds only."""

    kind: ClassVar[str] = "claim"
    route: int
    colour: Card | None
    wilds: int
    goods: bool


@value(frozen=True, slots=True)
class Offer(Decision):
    """A seat drew contracts to choose from."""

    kind: ClassVar[str] = "offer"
    contracts: Contracts


@value(frozen=True, slots=True)
class Pass(Decision):
    """A seat passed its turn, or its second card."""

    kind: ClassVar[str] = "pass"


@value(frozen=True, slots=True)
class LastRound(Event):
    """A seat ended its turn with two carts or fewer: the last round follows."""

    kind: ClassVar[str] = "last_round"
    seat: int


@value(frozen=True, slots=True)
class Fault(Event):
    """A seat left the table; `reason` is one of `FAULTS`."""

    kind: ClassVar[str] = "fault"
    seat: int
    reason: str
    detail: str = ""


@value(frozen=True, slots=True)
class End(Event):
    """The match is over; `reason` is one of `END_REASONS`."""

    kind: ClassVar[str] = "end"
    reason: str


KINDS: Final[dict[str, type[Event]]] = {
    event.kind: event
    for event in (
        Deal,
        Keep,
        Blind,
        Take,
        Refill,
        Reshuffle,
        Flush,
        Claim,
        Offer,
        Pass,
        LastRound,
        Fault,
        End,
    )
}


OPEN_TO_ALL: Final = frozenset({Refill, Reshuffle, Flush, LastRound, End})
_SEEN_BY_OTHERS: Final[dict[type[Event], Callable[[Any], Event]]] = {
    Keep: lambda event: Keep(event.seat, contracts=_hidden(event.contracts)),
    Blind: lambda event: Blind(event.seat, card=None),
    Take: lambda event: Take(event.seat, event.slot, event.card),
    Claim: lambda event: Claim(event.seat, event.route, event.colour, event.wilds, event.goods),
    Offer: lambda event: Offer(event.seat, contracts=_hidden(event.contracts)),
    Pass: lambda event: Pass(event.seat),
    Fault: lambda event: Fault(event.seat, event.reason),
}


def seen_by(event: Event, seat: int) -> Event:
    """Return the event as this seat may see it during the match; -1 is an observer."""
    # Constructors in a table instead of `replace`, because this runs for every decision.
    kind = type(event)
    if kind in OPEN_TO_ALL:
        return event
    if isinstance(event, Deal):
        return Deal(
            event.first,
            tuple([h if i == seat else _hidden(h) for i, h in enumerate(event.hands)]),
            event.row,
            tuple([c if i == seat else _hidden(c) for i, c in enumerate(event.contracts)]),
        )
    assert isinstance(event, Decision | Fault)
    return event if event.seat == seat else _SEEN_BY_OTHERS[kind](event)


def stamp(event: Decision, ms: int, note: str | None) -> None:
    """Set the time and note of a decision on its event, before the event is sent to any seat."""
    # As `__init__` does. A modified copy would be the most expensive part of a decision.
    object.__setattr__(event, "ms", ms)
    object.__setattr__(event, "note", note)


def _hidden(items: tuple[object, ...]) -> tuple[None, ...]:
    return (None,) * len(items)


# ---- JSON: one encoder and one strict decoder per field ----------------------------------------

Encode = Callable[[Any], Any]
Decode = Callable[[object], Any]


def _same(value: Any) -> Any:
    return value


def _word(card: Card | None) -> str | None:
    return None if card is None else card.word


def _words(cards: Cards) -> list[str | None]:
    return [_word(card) for card in cards]


def _nested(items: tuple[tuple[int | None, ...], ...]) -> list[list[int | None]]:
    return [list(item) for item in items]


def _number(value: object) -> int:
    if type(value) is int and value >= 0:
        return value
    raise ValueError("a whole number of 0 or more")


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _string(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("a string")


def _note(value: object) -> str:
    if isinstance(value, str) and len(value) <= NOTE_LIMIT:
        return value
    raise ValueError(f"a string of at most {NOTE_LIMIT} characters")


def _card(value: object) -> Card:
    if isinstance(value, str) and value in CARD_OF_WORD:
        return CARD_OF_WORD[value]
    raise ValueError(f"one of {', '.join(CARD_OF_WORD)}")


def _colour(value: object) -> Card | None:
    if value is None:
        return None
    card = _card(value)
    if card is Card.WILD:
        raise ValueError("a colour, or null if all are wild")
    return card


def _list_of(decode: Decode) -> Decode:
    def decode_list(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ValueError("a list")
        return tuple([decode(item) for item in value])

    return decode_list


def _one_of(words: tuple[str, ...]) -> Decode:
    def decode_word(value: object) -> str:
        if isinstance(value, str) and value in words:
            return value
        raise ValueError(f"one of {', '.join(words)}")

    return decode_word


_CARDS = (_words, _list_of(_card))
_IDS = (list, _list_of(_number))
_CODECS: Final[dict[str, tuple[tuple[str, Encode, Decode], ...]]] = {
    "deal": (
        ("first", _same, _number),
        ("hands", lambda hands: [_words(hand) for hand in hands], _list_of(_list_of(_card))),
        ("row", *_CARDS),
        ("contracts", _nested, _list_of(_list_of(_number))),
    ),
    "keep": (("seat", _same, _number), ("contracts", *_IDS)),
    "blind": (("seat", _same, _number), ("card", _word, _card)),
    "take": (("seat", _same, _number), ("slot", _same, _number), ("card", _word, _card)),
    "refill": (("slot", _same, _number), ("card", _word, _card)),
    "reshuffle": (),
    "flush": (("cards", *_CARDS),),
    "claim": (
        ("seat", _same, _number),
        ("route", _same, _number),
        ("colour", _word, _colour),
        ("wilds", _same, _number),
        ("goods", _same, _truth),
    ),
    "offer": (("seat", _same, _number), ("contracts", *_IDS)),
    "pass": (("seat", _same, _number),),
    "last_round": (("seat", _same, _number),),
    "fault": (
        ("seat", _same, _number),
        ("reason", _same, _one_of(FAULTS)),
        ("detail", _same, _string),
    ),
    "end": (("reason", _same, _one_of(END_REASONS)),),
}
_DECISIONS: Final = frozenset(kind for kind, event in KINDS.items() if issubclass(event, Decision))


def event_to_json(event: Event) -> dict[str, Any]:
    """Return the event as a JSON object, in the form of a replay."""
    data: dict[str, Any] = {"event": event.kind}
    for name, encode, _ in _CODECS[event.kind]:
        data[name] = encode(getattr(event, name))
    if isinstance(event, Decision):
        data["ms"] = event.ms or 0
        if event.note is not None:
            data["note"] = event.note
    return data


def event_from_json(data: object, where: str = "event") -> Event:
    """Return the event that this decoded JSON object describes.

    Raises:
        ReplayError: at `where`, with what the first wrong field should be.
    """
    if not isinstance(data, dict):
        raise ReplayError(where, "an object")
    kind = data.get("event")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ReplayError(where, f"an event kind: {', '.join(KINDS)}")
    values: dict[str, Any] = {}
    codec = _CODECS[kind]
    try:
        for name, _, decode in codec:
            values[name] = decode(data[name])
        known = len(codec) + 1
        if kind in _DECISIONS:
            name = "ms"
            values[name] = _number(data[name])
            known += 1
            if "note" in data:
                name = "note"
                values[name] = _note(data[name])
                known += 1
    except KeyError:
        raise ReplayError(where, f"a field {name!r} in {kind!r}") from None
    except ValueError as problem:
        raise ReplayError(where, f"{name} to be {problem}") from None
    if len(data) != known:
        unknown = sorted(set(data) - set(values) - {"event"})
        raise ReplayError(where, f"no field {unknown[0]!r} in {kind!r}")
    return KINDS[kind](**values)
