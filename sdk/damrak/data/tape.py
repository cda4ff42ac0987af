"""The random numbers and actions of a recorded match, read without playing it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from damrak.data.files import DamagedFile
from damrak.data.recorded import Match
from damrak_engine.actions import BLIND, KEEP_FIRST, OFFER, PASS, TAKE, ActionSpace, ClaimRoute
from damrak_engine.dice import BLIND as BLIND_OF, CONTRACT, FIRST, HAND, ROW, STREAMS
from damrak_engine.position import ROW_SIZE

DECISIONS: Final = frozenset({"keep", "blind", "take", "claim", "offer", "pass"})
MOST: Final = 2**16 - 1  # numbers on one stream
SPARE: Final = 8
_PROBLEMS: Final = (LookupError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True, slots=True)
class Tape:
    """The decisions of a match, and how many random numbers it uses at most on each stream."""

    seats: list[int]
    actions: list[int]
    first: int
    numbers: list[int]
    has_fault: bool


def tape_of(match: Match) -> Tape:
    """Return the decisions of a match as recorded; they are legal only if the match was played.

    Raises:
        DamagedFile: an event cannot be read.
    """
    reader = _Reader(match)
    try:
        reader.begin(match.events[0])
        reader.read(match.events)
        return reader.tape()
    except _PROBLEMS as problem:
        raise DamagedFile(match.name, f"event {reader.number}: {problem}") from None


def numbers_of(seed: bytes, tape: Tape, out: Any) -> None:
    """Write the random numbers of a match to an array with a row for each stream.

    They are those of `damrak_engine.dice.SeedDice`, as 64-bit integers.
    """
    for stream, number in enumerate(tape.numbers):
        if number == 0:
            continue
        start = hashlib.sha256(b"damrak-dice/1" + seed + STREAMS[stream].encode() + b"/")
        digests = []
        for call in range(number):
            digest = start.copy()
            digest.update(call.to_bytes(8, "big"))
            digests.append(digest.digest())
        # The first of the four 64-bit integers of each digest.
        out[stream, :number] = np.frombuffer(b"".join(digests), ">u8")[::4]


class _Reader:
    """The decisions read so far."""

    def __init__(self, match: Match) -> None:
        self.number = 0
        self._claims = _claims(match.rules.space)
        self._seats = match.rules.seats
        self._offers: list[list[Any]] = []
        self._first = 0
        self._seat_of: list[int] = []
        self._actions: list[int] = []
        self._has_fault = False
        self._numbers = [0] * len(STREAMS)
        self._numbers[FIRST], self._numbers[ROW] = 1, 2 * ROW_SIZE + SPARE
        for seat in range(self._seats):
            self._numbers[HAND + seat] = self._numbers[CONTRACT + seat] = 2

    def begin(self, deal: Any) -> None:
        """Read the first event."""
        if deal["event"] != "deal" or len(deal["contracts"]) != self._seats:
            raise ValueError("a deal was expected")
        self._offers = [list(it) for it in deal["contracts"]]
        self._first = self._checked_seat(deal["first"])

    def read(self, happened: list[Any]) -> None:
        """Read all events. The frequent ones are read here, because calls would double the time."""
        seats, seat_of, actions, numbers = self._seats, self._seat_of, self._actions, self._numbers
        for self.number, event in enumerate(happened):
            kind = event["event"]
            if kind in DECISIONS:
                seat = event["seat"]
                if type(seat) is not int or not 0 <= seat < seats:
                    raise ValueError("a seat was expected")
                seat_of.append(seat)
                if kind == "take":
                    slot = event["slot"]
                    if type(slot) is not int or not 0 <= slot < ROW_SIZE:
                        raise ValueError("a slot of the row was expected")
                    actions.append(TAKE + slot)
                elif kind == "blind":
                    numbers[BLIND_OF + seat] += 1
                    actions.append(BLIND)
                elif kind == "claim":
                    claim = event["route"], event["colour"], event["wilds"]
                    actions.append(self._claims[claim])
                else:
                    actions.append(self._rare(kind, event, seat))
            elif kind == "refill":
                numbers[ROW] += 1
            elif kind == "flush":
                numbers[ROW] += ROW_SIZE
            elif kind == "fault":
                self._has_fault = True

    def tape(self) -> Tape:
        """Return what was read."""
        if max(self._numbers) > MOST:
            raise ValueError("more events than a match can have")
        return Tape(self._seat_of, self._actions, self._first, self._numbers, self._has_fault)

    def _checked_seat(self, seat: Any) -> int:
        if type(seat) is not int or not 0 <= seat < self._seats:
            raise ValueError("a seat was expected")
        return seat

    def _rare(self, kind: str, event: dict[str, Any], seat: int) -> int:
        if kind == "pass":
            return PASS
        if kind == "offer":
            self._numbers[CONTRACT + seat] += 2
            self._offers[seat] = list(event["contracts"])
            return OFFER
        offer, kept = self._offers[seat], event["contracts"]
        if not kept or len(kept) > 2 or len(set(kept)) != len(kept):
            raise ValueError("contracts on offer were expected")
        return KEEP_FIRST - 1 + sum([1 << offer.index(contract) for contract in kept])


@lru_cache(maxsize=64)
def _claims(space: ActionSpace) -> dict[tuple[int, str | None, int], int]:
    """Return the actions of all claims, by route, colour and wilds as replays name them."""
    return {
        (action.route, None if action.colour is None else action.colour.word, action.wilds): i
        for i, action in enumerate(space.actions)
        if isinstance(action, ClaimRoute)
    }
