"""One match with the client in one of its seats, controlled step by step by a scenario."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from damrak.conform.chair import Chair
from damrak.conform.house import Policy, builder
from damrak.conform.scenario import Failed
from damrak_engine.board import Board
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_engine.dice import SeedDice
from damrak_engine.effects import Ask, Effect, Finished, Rejected, Stale, Tell
from damrak_engine.events import NOTE_LIMIT
from damrak_engine.match import Match
from damrak_engine.observation import observe
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result
from damrak_wire import table as wire
from damrak_wire.lobby import Call, Withdrawal

if TYPE_CHECKING:
    from damrak.conform.stage import Stage

CONTROL: Final = TimeControl(
    decision_ms=3_600_000, bank_ms=36_000_000, increment_ms=0, grace_ms=36_000_000
)
"""Never expires: the stage limits the time of a client."""
CLOCK_SLACK_US: Final = 5_000
OVER: Final = "the scenario is over"
_CALLS: Final = 6


@dataclass(frozen=True, slots=True)
class Table:
    """The setting of a game: the board, the client's seat, and the policy of the other seats."""

    board: Board = field(default_factory=lambda: load_board("practice"))
    seats: int = 2
    seat: int = 0
    options: Options = DEFAULTS
    policy: Policy = builder


class Game:
    """A match in which the scenario decides when the client receives messages.

    As a context manager, it always ends the match for the client on exit.
    """

    def __init__(self, stage: Stage, name: str, table: Table) -> None:
        self.name = name
        self.seat = table.seat
        self.rules = Rules(table.board, table.seats, table.options)
        self.chair = Chair(stage, self._welcome)
        self.result: Result | None = None
        self._stage = stage
        self._policy = table.policy
        self._seed = secrets.token_bytes(32)
        self._match = Match(self.rules, SeedDice(self._seed), CONTROL)
        self._begun = False
        self._called = False
        self._events: list[bytes] = []  # from the arbiter, not sent to the client yet
        self._told = 0  # number of events sent to the client
        self._asked: Ask | None = None
        self._asked_at = 0  # when it was sent for the first time
        self._sent = False  # whether the question was sent on this connection
        self._answered: set[int] = set()
        self._aliases: dict[int, int] = {}  # wrong decision numbers, and the right ones

    async def __aenter__(self) -> Self:
        self._stage.games[self.name] = self
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # ---- bringing the client to the table ------------------------------------------------------

    async def call(self, address: str = "") -> None:
        """Call the client; an earlier call to this game becomes void."""
        if self._stage.one_seat:
            assert self._stage.program is not None
            self.chair.new_ticket()
            await self._stage.program.restart()
            return
        lobby = await self._stage.client_here()
        self._called = True
        patience_ms = int(self._stage.patience_s * 1000)
        await lobby.send(Call(self.name, address, self.chair.new_ticket(), patience_ms))

    async def joined(self, address: str = "") -> None:
        """Call the client, and wait until it has joined.

        Raises:
            Failed: it does not join.
        """
        if self._stage.one_seat:
            await self.call()
            await self._stage.until(lambda: self.chair.joins > 0, "it did not come to its seat")
            return
        lobby = await self._stage.client_here()
        for attempt in range(_CALLS):
            lobby.declined.pop(self.name, None)
            await self.call(address)
            await self._stage.until(
                lambda: self.chair.joins > 0 or self.name in lobby.declined,
                "it did not come to the table it was called to",
            )
            if self.chair.joins:
                return
            # The client may not have noticed yet that an earlier game is over.
            await self._stage.watch(0.05 * attempt)
        reason = lobby.declined[self.name] or "no reason given"
        raise Failed(f"it declined a call although it had room: {reason}")

    async def ready(self) -> None:
        """Wait until the client, which has joined, sends Ready."""
        await self._stage.until(
            lambda: self.chair.readies > 0 or not self.chair.is_taken,
            "it joined a table and did not say Ready",
        )
        if not self.chair.readies:
            raise Failed("it left the table between Join and Ready")

    async def seated(self, address: str = "") -> None:
        """Call the client, and wait until it is ready."""
        await self.joined(address)
        await self.ready()

    async def begun(self) -> None:
        """Call the client, wait until it is ready, and deal."""
        await self.seated()
        await self.begin()

    def _welcome(self, rejoin_ticket: str) -> bytes:
        history = [wire.event_bytes(event) for event in self._match.history(self.seat)]
        self._events.clear()
        self._told = len(history)
        self._sent = False
        return wire.welcome(
            wire.Welcome(
                match=self.name,
                seat=self.seat,
                rules=self.rules,
                control=CONTROL,
                chance=hashlib.sha256(self._seed + bytes([self.seat])).digest(),
                commitment=hashlib.sha256(self._seed).hexdigest(),
                rejoin_ticket=rejoin_ticket,
                history=history,
                observation=observe(self._match.state, self.seat) if self._begun else None,
            )
        )

    # ---- playing -------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Deal."""
        self._begun = True
        self._carry_out(self._match.begin(_now()))
        await self.tell()

    async def tell(self) -> None:
        """Send the client its question, and new events if it asked for prompt events."""
        if self.chair.prompt_events:
            for first, event in enumerate(self._take_events(), self._told):
                await self.chair.send(wire.news(first, [event]))
        if self._asked is not None and not self._sent:
            await self.ask()

    async def ask(self) -> None:
        """Send the open question, possibly again."""
        assert self._asked is not None
        first = self._told
        question = wire.question(self._asked, first, self._take_events())
        # A client may continue to think without a connection: the first time counts.
        self._asked_at = self._asked_at or _now()
        self._sent = True
        await self.chair.send(question)

    async def answer(self) -> wire.Decided:
        """Return the client's answer to the open question; `take` carries it out.

        Raises:
            Failed: the answer is missing or not legal.
        """
        asked = self._asked
        assert asked is not None
        problem = f"it did not answer a question (decision {asked.decision})"
        while True:
            match await self.chair.said(problem):
                case wire.Decided() as said if self._is_repeated(said, asked):
                    stale = Stale(self.seat, said.decision, "answered")
                    await self.chair.send(wire.stale(stale))
                case wire.Decided() as said:
                    return self._inspected(said, asked)
                case wire.Failed() as said:
                    raise Failed(f"it gave the game up: {said.reason}: {said.detail}")
                case wire.Nonsense() as said:
                    raise Failed(f"it answered with Nonsense: {said.what}")
                case _:
                    raise Failed("it sent Join twice on one connection")

    def _is_repeated(self, said: wire.Decided, asked: Ask) -> bool:
        meant = self._aliases.get(said.decision, said.decision)
        return said.decision != asked.decision and meant in self._answered

    def _inspected(self, said: wire.Decided, asked: Ask) -> wire.Decided:
        """Return the answer if it is legal; other problems are booked to their scenarios."""
        if said.decision != asked.decision:
            self._aliases[said.decision] = asked.decision
            self._stage.book(
                "decision-ids",
                f"it answered decision {said.decision} when asked for {asked.decision}",
            )
        if said.note is not None and len(said.note) > NOTE_LIMIT:
            self._stage.book("note", f"it sent a note of {len(said.note)} characters")
        took = _now() - self._asked_at
        if said.think_us > took + CLOCK_SLACK_US:
            self._stage.book(
                "think-time",
                f"it says it thought for {said.think_us} µs about an answer that was there "
                f"{took} µs after the question was sent",
            )
        if said.action not in asked.legal:
            legal = ", ".join(str(action) for action in asked.legal[:8])
            more = ", …" if len(asked.legal) > 8 else ""
            raise Failed(f"it answered {said.action} when {legal}{more} were legal")
        return said

    async def take(self, answer: wire.Decided, *, tell: bool = True) -> None:
        """Carry out the answer, play up to the client's next question or the end, and `tell`."""
        asked = self._asked
        assert asked is not None
        self._answered.add(asked.decision)
        self._asked = None
        self._asked_at = 0
        self._carry_out(
            self._match.decided(self.seat, asked.decision, answer.action, _now(), answer.note)
        )
        if tell:
            await self.tell()

    async def reject(self, answer: wire.Decided, strikes_left: int) -> None:
        """Reject an answer although it was legal, so that the question stays open."""
        asked = self._asked
        assert asked is not None
        left = self._match.time_left(self.seat, _now())
        reason = f"action {answer.action} was refused to see what you do"
        refused = Rejected(self.seat, asked.decision, reason, left, strikes_left)
        await self.chair.send(wire.rejection(refused))

    async def play(self, answers: int | None = None) -> None:
        """Play for a number of answers of the client, or to the end."""
        while self._asked is not None and answers != 0:
            await self.take(await self.answer())
            if answers is not None:
                answers -= 1

    def _carry_out(self, effects: list[Effect]) -> None:
        todo = deque(effects)
        while todo:
            match todo.popleft():
                case Tell(seat=seat, events=events) if seat == self.seat:
                    self._events += [wire.event_bytes(event) for event in events]
                case Ask() as asked if asked.seat == self.seat:
                    self._asked = asked
                    self._sent = False
                case Ask() as asked:
                    action = self._policy(asked)
                    todo += self._match.decided(asked.seat, asked.decision, action, _now())
                case Finished(result=result):
                    self.result = result
                case _:
                    pass  # for the other seats, whose policies keep no state

    def _take_events(self) -> list[bytes]:
        events, self._events = self._events, []
        self._told += len(events)
        return events

    # ---- losing the connection -----------------------------------------------------------------

    def drop(self) -> None:
        """End the client's stream."""
        self.chair.drop()
        self._match.disconnected(self.seat, _now())

    def lost(self) -> None:
        """Record that the connection was lost on either side."""
        self.chair.forget()
        self._match.disconnected(self.seat, _now())

    async def rejoined(self, joins: int, *, any_ticket: bool = False) -> None:
        """Wait until the client has joined `joins` times, and ask again."""
        await self.chair.taken_again(joins, any_ticket=any_ticket)
        self._carry_out(self._match.reconnected(self.seat, _now()))
        await self.tell()

    # ---- leaving -------------------------------------------------------------------------------

    async def finish(self) -> None:
        """Play to the end, send the result, and wait for the client to leave."""
        await self.play()
        assert self.result is not None
        first = self._told
        await self.chair.leave(wire.ending_result(first, self._take_events(), self.result))

    async def void(self, detail: str) -> None:
        """Declare the match void, and wait for the client to leave."""
        first = self._told
        await self.chair.leave(wire.ending_void(first, self._take_events(), "host", detail))

    async def close(self) -> None:
        """End the match for the client, in any state of the game."""
        self._stage.games.pop(self.name, None)
        await self.chair.close(wire.ending_void(self._told, (), "host", OVER))
        lobby = self._stage.lobby
        if self._called and not self.chair.joins and lobby is not None and lobby.is_here:
            await lobby.send(Withdrawal(self.name, OVER))


def _now() -> int:
    return time.monotonic_ns() // 1_000
