"""Verification of replays: every event is played again with the seed's dice and compared."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from damrak_engine import events, scoring
from damrak_engine.actions import BLIND, KEEP_FIRST, OFFER, PASS, TAKE, ClaimRoute
from damrak_engine.board import Board, parse_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice, commitment
from damrak_engine.errors import BoardError, EngineError, IllegalAction, MatchError, ReplayError
from damrak_engine.events import Event
from damrak_engine.position import SECOND, TURN
from damrak_engine.replay import (
    Header,
    Replay,
    check_seals,
    hash_of,
    parse_header,
    parse_result,
    raw_events,
    read_object,
    result_to_json,
)
from damrak_engine.rules import rules_for
from damrak_engine.state import State
from damrak_engine.strictjson import canonical, read_json

CheckSignature = Callable[[str, str], bool]


def verify(
    data: bytes,
    *,
    published: Board | None = None,
    signed: CheckSignature | None = None,
) -> Header:
    """Verify a replay file in full and return its header.

    `published` is the ladder's own board, which the replay's board must equal.
    `signed(hash, signature)` checks a signature with the platform's public key; without it only
    the form of a signature is checked.

    Raises:
        ReplayError: at the first wrong event, else at `header`, `result`, `hash`, `commitment` or
            `signature`, with what was expected there.
    """
    raw = read_object(data)
    board = _parsed_board(canonical(raw["board"]))
    if published is not None and board.source != published.source:
        raise ReplayError("header", f"the published board {published.id}")
    header = parse_header(raw, board)
    recorded = raw_events(raw)
    decoded = (events.event_from_json(event, f"event {i}") for i, event in enumerate(recorded))
    [(_, state, dice)] = deque(_play(header, decoded), maxlen=1)
    expected = scoring.result(state, dice)
    if parse_result(raw["result"], len(header.seats)) != expected:
        raise ReplayError("result", canonical(result_to_json(expected)).decode())
    if header.hash != hash_of(raw):
        raise ReplayError("hash", hash_of(raw))
    if header.commitment != commitment(header.seed):
        raise ReplayError("commitment", commitment(header.seed))
    check_seals(raw)
    if header.signature is not None and signed and not signed(header.hash, header.signature):
        raise ReplayError("signature", "the platform's signature of this hash")
    return header


def fold(replay: Replay) -> Iterator[tuple[int, State]]:
    """Yield the number of events and the state after the set-up and after each decision.

    The state is one mutable object; copy it to keep it.

    Raises:
        ReplayError: at the first wrong event.
    """
    for count, state, _ in _play(replay, replay.events):
        yield count, state


def _play(header: Header, recorded: Iterable[Event]) -> Iterator[tuple[int, State, SeedDice]]:
    log = _Log(recorded)
    rules = rules_for(header.board, len(header.seats), header.options)
    dice = SeedDice(header.seed)
    first = None
    if header.options.first_player == "rotate":
        deal = log.decision()
        if not isinstance(deal, events.Deal) or deal.first >= rules.seats:
            raise ReplayError("event 0", "a deal with the first player")
        first = deal.first
    happened: list[Event] = []
    try:
        state = new_game(rules, dice, happened, first)
    except EngineError as problem:
        raise ReplayError("header", str(problem)) from None
    while True:
        log.compare(happened)
        yield log.at, state, dice
        if state.is_over:
            break
        decision = log.decision()
        try:
            if isinstance(decision, events.Fault):
                state.leave(decision.seat, decision.reason, decision.detail, dice)
            else:
                state.apply(_action(decision, state), dice)
        except (IllegalAction, MatchError) as problem:
            raise ReplayError(f"event {log.at}", f"something legal ({problem})") from None
        except LookupError:
            place = log.at + _is_after_true_reshuffle(decision, log, state)
            raise ReplayError(f"event {place}", f"a decision of seat {state.actor}") from None
    log.at_end()


def _is_after_true_reshuffle(decision: Event, log: _Log, state: State) -> bool:
    """Return whether this blind draw follows a reshuffle that it needs here."""
    return (
        isinstance(decision, events.Blind)
        and log.is_at_reshuffle()
        and state.phase in (TURN, SECOND)
        and state.pile_size == 0
        and state.discards > 0
    )


def _action(event: Event, state: State) -> int:
    """Return the action id of a recorded event; LookupError if the actor cannot have done it."""
    if not isinstance(event, events.Decision) or event.seat != state.actor:
        raise LookupError
    return action_of(event, state)


def action_of(event: events.Decision, state: State) -> int:
    """Return the action id of a recorded decision of a seat that owes a decision.

    Raises:
        LookupError: the event is not a record of any action of the seat.
    """
    match event:
        case events.Keep(contracts=kept):
            offer = state.offers[event.seat]
            if not kept or len(set(kept)) != len(kept) or not set(kept) <= set(offer):
                raise LookupError
            return KEEP_FIRST - 1 + sum(1 << offer.index(i) for i in kept if i is not None)
        case events.Blind():
            return BLIND
        case events.Take(slot=slot) if slot < len(state.row):
            return TAKE + slot
        case events.Offer():
            return OFFER
        case events.Pass():
            return PASS
        case events.Claim(route=route, colour=colour, wilds=wilds):
            return state.rules.space.id_of(ClaimRoute(route, colour, wilds))
        case _:
            raise LookupError


class _Log:
    """The recorded events, read lazily, and how many of them have been verified."""

    def __init__(self, recorded: Iterable[Event]) -> None:
        self._recorded = iter(recorded)
        self._ahead: deque[Event] = deque()
        self.at = 0
        self._compared = 0

    def _peek(self, distance: int) -> Event | None:
        while len(self._ahead) <= distance:
            event = next(self._recorded, None)
            if event is None:
                return None
            self._ahead.append(event)
        return self._ahead[distance]

    def decision(self) -> Event:
        """Return the next decision; a blind draw may follow the reshuffle that it needed."""
        event = self._peek(1 if self.is_at_reshuffle() else 0)
        if event is None:
            raise ReplayError(f"event {self.at}", "one more event: the match is not over")
        return event

    def is_at_reshuffle(self) -> bool:
        """Return whether the next recorded event is a reshuffle."""
        return isinstance(self._peek(0), events.Reshuffle)

    def compare(self, happened: list[Event]) -> None:
        """Check that the events since the last call are recorded next."""
        for real in happened[self._compared :]:
            if not _same(real, self._peek(0)):
                expected = events.event_to_json(real)
                expected.pop("ms", None)
                raise ReplayError(f"event {self.at}", canonical(expected).decode())
            self._ahead.popleft()
            self.at += 1
        self._compared = len(happened)

    def at_end(self) -> None:
        """Check that nothing follows."""
        if self._peek(0) is not None:
            raise ReplayError(f"event {self.at}", "nothing after the end")


def _same(real: Event, recorded: Event | None) -> bool:
    if isinstance(real, events.Keep) and isinstance(recorded, events.Keep):
        return real.seat == recorded.seat and set(real.contracts) == set(recorded.contracts)
    return real == recorded


@lru_cache(maxsize=64)
def _parsed_board(text: bytes) -> Board:
    data: Any = read_json(text)
    try:
        return parse_board(data)
    except BoardError as problem:
        raise ReplayError("header", f"a board: {problem}") from None
