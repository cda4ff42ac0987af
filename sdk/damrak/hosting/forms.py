"""Conversion of engine values to and from plain tuples of integers and strings.

`marshal` encodes them in a microsecond, and JSON can represent them. Observations are sent without
the rules, which both sides have. Redacted values of events remain None.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

from damrak_engine.bundle import CARD_FIELDS, EVENT_FIELDS, OBSERVATION_FIELDS
from damrak_engine.cards import CARDS
from damrak_engine.events import KINDS, Event
from damrak_engine.observation import Observation
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result, SeatResult

Plain = tuple[Any, ...]

_LAYOUT: Final = {
    kind: tuple((name, name in CARD_FIELDS) for name in names)
    for kind, names in EVENT_FIELDS.items()
}
_observed: Final = attrgetter(*OBSERVATION_FIELDS)
_seat_result: Final = attrgetter(*[f.name for f in fields(SeatResult)])


def plain_observation(observation: Observation) -> Plain:
    """Return all fields but the rules."""
    values: Plain = _observed(observation)
    return values


def observation_of(rules: Rules, plain: Plain) -> Observation:
    """Return the observation with these rules and fields."""
    return Observation(rules, *plain)


def plain_event(event: Event) -> Plain:
    """Return the kind and the fields in order, with cards as numbers."""
    return (
        event.kind,
        *[
            _numbers(getattr(event, name)) if is_card else getattr(event, name)
            for name, is_card in _LAYOUT[event.kind]
        ],
    )


def event_of(plain: Plain) -> Event:
    """Return the event in a tuple."""
    kind = plain[0]
    values = {
        name: _cards(value) if is_card else value
        for (name, is_card), value in zip(_LAYOUT[kind], plain[1:], strict=True)
    }
    return KINDS[kind](**values)


def plain_result(result: Result) -> Plain:
    """Return the reason and a tuple for each seat."""
    return result.reason, tuple(_seat_result(seat) for seat in result.seats)


def result_of(plain: Plain) -> Result:
    """Return the result in a tuple."""
    return Result(plain[0], tuple(SeatResult(*seat) for seat in plain[1]))


def _numbers(value: Any) -> Any:
    # marshal accepts int, but not its subclasses
    if isinstance(value, tuple):
        return tuple([_numbers(item) for item in value])
    return None if value is None else int(value)


def _cards(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple([_cards(item) for item in value])
    return None if value is None else CARDS[value]
