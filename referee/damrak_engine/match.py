"""Arbiter: one match as a pure function of its inputs and their times.

The host, either the referee or local play, carries messages and reads the clock. It calls a method
for every input, with the time, and carries out the returned effects in order. It calls `tick` when
`next_deadline` is reached. The reasons behind clocks, strikes and owners are in
docs/adr/0003-clocks-and-faults.md.

    effects = match.begin(now)
    while not match.is_over:
        ...carry out the effects, wait for an answer or until match.next_deadline()...
        effects = match.decided(seat, decision, action, now)

No message from a bot makes a method raise; MatchError indicates a mistake of the host itself.
"""

from __future__ import annotations

from dataclasses import replace

from damrak_engine import scoring
from damrak_engine.clock import US_PER_MS, Clock, TimeControl, TimeLeft
from damrak_engine.deal import new_game
from damrak_engine.dice import Dice
from damrak_engine.effects import (
    DETAIL_LIMIT,
    Ask,
    Effect,
    FaultRecord,
    Finished,
    Owner,
    Rejected,
    Stale,
    Tell,
    Voided,
    Why,
    check_owner,
    check_reason,
    printable,
    tell,
)
from damrak_engine.errors import IllegalAction, MatchError
from damrak_engine.events import NOTE_LIMIT, Decision, Event, seen_by, stamp
from damrak_engine.observation import observe
from damrak_engine.position import SETUP
from damrak_engine.rules import Rules

__all__ = [
    "STANDARD",
    "Ask",
    "Effect",
    "FaultRecord",
    "Finished",
    "Match",
    "Owner",
    "Rejected",
    "Stale",
    "Tell",
    "TimeControl",
    "TimeLeft",
    "Voided",
    "Why",
]

STANDARD = TimeControl()


class _Player:
    """State of one seat that the arbiter keeps in addition to the rules."""

    __slots__ = ("answer", "clock", "decision", "fault", "lost", "strikes_left")

    def __init__(self, control: TimeControl) -> None:
        self.clock = Clock(control)
        self.strikes_left = control.strikes
        self.decision = 0  # the id of the open one, counted from 1; 0 if none
        # An accepted action that waits to be logged, with its milliseconds and note.
        self.answer: tuple[int, int, str | None] | None = None
        self.fault: FaultRecord | None = None  # the seat leaves when it next owes a decision
        self.lost = 0  # the decision that was open when the seat failed


class Match:
    """One game under a time control, from the deal to its result.

    Times are whole microseconds from one clock of the host, 0 or more. A call with an
    earlier time than the previous call counts as made at the same moment.

    Raises:
        OptionsError: `first` must be given if and only if the option first_player is `rotate`.
    """

    def __init__(
        self,
        rules: Rules,
        dice: Dice,
        control: TimeControl = STANDARD,
        first: int | None = None,
    ) -> None:
        self.rules = rules
        self.control = control
        self.log: list[Event] = []
        self.state = new_game(rules, dice, self.log, first)
        self.result: scoring.Result | None = None
        self.voided: Voided | None = None
        self.faults: list[FaultRecord] = []  # in order of occurrence, unlike the log at set-up
        self._dice = dice
        self._players = [_Player(control) for _ in range(rules.seats)]
        self._asked: list[int] = []  # the seat of every decision so far
        self._told = 0  # the number of log events already sent
        self._now = 0
        self._begun = False

    # ---- queries of the host ------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether there is a result or the match was declared void."""
        return self.result is not None or self.voided is not None

    def next_deadline(self) -> int | None:
        """Return when to call `tick` unless an input comes first; None if no clock runs."""
        earliest = None
        for player in self._players:
            deadline = player.clock.deadline
            if deadline is not None and (earliest is None or deadline < earliest):
                earliest = deadline
        return earliest

    def time_left(self, seat: int, now_us: int) -> TimeLeft:
        """Return a seat's remaining time, for display."""
        return self._player(seat).clock.time_left(max(now_us, self._now))

    def history(self, seat: int) -> tuple[Event, ...]:
        """Return all events sent to this seat so far, for a bot that reconnects without state."""
        self._player(seat)
        return tuple([seen_by(event, seat) for event in self.log[: self._told]])

    # ---- inputs -------------------------------------------------------------------------------

    def begin(self, now_us: int) -> list[Effect]:
        """Send the deal, ask for the choices of first contracts, and start the clocks."""
        if self._begun or self.voided is not None:
            raise MatchError("a match begins once, and never after it was declared void")
        self._begun = True
        return self._advance(self._pass_time(now_us))

    def decided(
        self, seat: int, decision: int, action: object, now_us: int, note: object = None
    ) -> list[Effect]:
        """Process a seat's answer to a decision.

        Only a legal action id is a valid answer; anything else is a strike. An answer to any
        decision but the seat's open one is `Stale`. A note that is too long is cut; a note that
        is not text is dropped.
        """
        now = self._pass_time(now_us)
        why = self._why_stale(seat, decision)
        if why is not None:
            return [Stale(seat, decision, why), *self._advance(now)]
        player = self._players[seat]
        objection = self._objection(seat, action)
        if objection is not None:
            return self._strike(seat, objection, now)
        assert isinstance(action, int)
        ms = player.clock.stop(now) // US_PER_MS
        text = printable(note, NOTE_LIMIT) if isinstance(note, str) else ""
        player.answer = (action, ms, text or None)
        player.decision = 0
        return self._advance(now)

    def nonsense(self, seat: int, decision: int, what: str, now_us: int) -> list[Effect]:
        """Process an answer that is not an action; `what` describes it to the bot."""
        now = self._pass_time(now_us)
        why = self._why_stale(seat, decision)
        if why is not None:
            return [Stale(seat, decision, why), *self._advance(now)]
        return self._strike(seat, printable(what, DETAIL_LIMIT), now)

    def failed(
        self, seat: int, reason: str, detail: str, owner: Owner, now_us: int
    ) -> list[Effect]:
        """Process the failure of a seat, which leaves when it next owes a decision.

        A failure owned by the host makes the match void. After the first failure of a seat,
        further ones owned by other parties are ignored.

        Raises:
            MatchError: there is no such seat, reason (`events.FAULTS`) or owner.
        """
        player = self._player(seat)
        check_reason(reason)
        check_owner(owner)
        if owner == "host":
            if not self.is_over:
                detail = printable(detail, DETAIL_LIMIT)
                self.faults.append(FaultRecord(seat, reason, owner, detail))
            return self.void(owner, detail, now_us)
        now = self._pass_time(now_us)
        if player.fault is None and not self.is_over:
            self._fail(seat, reason, owner, detail, now)
        return self._advance(now)

    def disconnected(self, seat: int, now_us: int) -> list[Effect]:
        """Process a lost connection: the seat's grace runs while it owes a decision."""
        player = self._player(seat)
        now = self._pass_time(now_us)
        player.clock.go_away(now)
        self._expire(now)  # the grace may be used up already
        return self._advance(now)

    def reconnected(self, seat: int, now_us: int) -> list[Effect]:
        """Process a new connection: a decision that the seat owes is asked again, with its id."""
        player = self._player(seat)
        now = self._pass_time(now_us)
        player.clock.come_back(now)
        owed = player.decision
        effects = self._advance(now)
        if owed and player.decision == owed and not self.is_over:
            effects.append(self._ask(seat, now))
        return effects

    def tick(self, now_us: int) -> list[Effect]:
        """Process the passing of time: seats that missed a deadline leave the table."""
        return self._advance(self._pass_time(now_us))

    def void(self, owner: Owner, detail: str, now_us: int) -> list[Effect]:
        """End the match without a result; no effect once it is over.

        Raises:
            MatchError: there is no such owner.
        """
        check_owner(owner)
        # Expired deadlines are not enforced first, because nothing counts after this.
        self._now = max(now_us, self._now)
        if self.is_over:
            return []
        for player in self._players:
            player.clock.abandon(self._now)
        self.voided = Voided(owner, printable(detail, DETAIL_LIMIT))
        return [self.voided]

    # ---- internals ----------------------------------------------------------------------------

    def _player(self, seat: int) -> _Player:
        if not 0 <= seat < len(self._players):
            raise MatchError(f"there is no seat {seat} in a match of {len(self._players)}")
        return self._players[seat]

    def _pass_time(self, now_us: int) -> int:
        """Enforce all expired deadlines before the next input."""
        now = self._now = max(now_us, self._now)
        self._expire(now)
        return now

    def _expire(self, now: int) -> None:
        due = []
        for seat, player in enumerate(self._players):
            deadline = player.clock.deadline
            if deadline is not None and deadline <= now:
                due.append((deadline, seat))
        for deadline, seat in sorted(due):
            clock = self._players[seat].clock
            if clock.is_away:
                self._fail(seat, "disconnect", "network", "did not come back in time", deadline)
            elif clock.time_left(deadline).bank_us == 0:
                self._fail(seat, "timeout", "bot", "the bank was used up", deadline)
            else:
                detail = f"no answer within {self.control.decision_ms} ms"
                self._fail(seat, "timeout", "bot", detail, deadline)

    def _fail(self, seat: int, reason: str, owner: Owner, detail: str, now: int) -> None:
        player = self._players[seat]
        player.fault = FaultRecord(seat, reason, owner, printable(detail, DETAIL_LIMIT))
        player.clock.abandon(now)
        player.lost, player.decision = player.decision, 0
        self.faults.append(player.fault)

    def _why_stale(self, seat: int, decision: int) -> Why | None:
        if not 1 <= decision <= len(self._asked):
            return "unknown"
        if self._asked[decision - 1] != seat:
            return "foreign"
        player = self._players[seat]
        if player.decision == decision:
            return None if self.voided is None else "over"
        return "late" if player.lost == decision else "answered"

    def _objection(self, seat: int, action: object) -> str | None:
        """Return why this action cannot be accepted; None if it can."""
        state = self.state
        actions = len(self.rules.space)
        if not isinstance(action, int) or isinstance(action, bool):
            return f"not an action: this board has the actions 0 to {actions - 1}"
        if not 0 <= action < actions:
            return f"no such action: this board has the actions 0 to {actions - 1}"
        if state.phase == SETUP:
            if action in state.legal_for(seat):
                return None
            return f"cannot {self.rules.space.describe(action)}: first contracts are being chosen"
        if state.legal_mask() >> action & 1:
            return None
        try:
            state.apply(action, self._dice)  # raises IllegalAction with the reason
        except IllegalAction as refusal:
            return refusal.reason
        raise AssertionError("an action outside the legal set was applied")

    def _strike(self, seat: int, objection: str, now: int) -> list[Effect]:
        player = self._players[seat]
        player.strikes_left -= 1
        if player.strikes_left == 0:
            self._fail(seat, "illegal", "bot", objection, now)
            return self._advance(now)
        left = player.clock.time_left(now)
        refusal = Rejected(seat, player.decision, objection, left, player.strikes_left)
        return [refusal, *self._advance(now)]

    def _advance(self, now: int) -> list[Effect]:
        """Apply the answers and failures that are due, then send events, ask, or finish."""
        if not self._begun or self.is_over:
            return []
        state = self.state
        opened: list[int] = []
        while not state.is_over:
            owing = state.owing()
            if self._awaits(owing, opened, now):
                break
            # All have chosen simultaneously, or the one whose turn it is has: log in turn order.
            for seat in owing:
                self._write(seat)
                if state.is_over:
                    break
        effects: list[Effect] = []
        if self._told < len(self.log):
            effects += tell(self.log[self._told :], self.rules.seats)
            self._told = len(self.log)
        for seat in opened:
            player = self._players[seat]
            if player.decision and not player.clock.is_away:
                effects.append(self._ask(seat, now))
        if state.is_over:
            self.result = scoring.result(state, self._dice)
            effects.append(Finished(self.result))
        return effects

    def _awaits(self, owing: list[int], opened: list[int], now: int) -> bool:
        """Return whether any of these seats has yet to decide; add new questions to `opened`."""
        waiting = False
        for seat in owing:
            player = self._players[seat]
            if player.answer is not None or player.fault is not None:
                continue
            if not player.decision:
                self._asked.append(seat)
                player.decision = len(self._asked)
                player.clock.start(now)
                opened.append(seat)
                if player.clock.is_away:  # the grace may be used up already
                    self._expire(now)
            waiting = waiting or player.decision != 0
        return waiting

    def _write(self, seat: int) -> None:
        """Apply a seat's answer or failure to the game."""
        player = self._players[seat]
        log = self.log
        place = len(log)
        if player.answer is not None:
            action, ms, note = player.answer
            player.answer = None
            self.state.apply(action, self._dice)
            event = log[place]
            while not isinstance(event, Decision):  # a reshuffle precedes its card
                place += 1
                event = log[place]
            stamp(event, ms, note)
        else:
            fault = player.fault
            assert fault is not None
            self.state.leave(seat, fault.reason, fault.detail, self._dice)
            player.fault = replace(fault, event=place)
            self.faults[self.faults.index(fault)] = player.fault

    def _ask(self, seat: int, now: int) -> Ask:
        player = self._players[seat]
        state = self.state
        return Ask(
            seat,
            player.decision,
            observe(state, seat),
            state.legal_for(seat),
            player.clock.time_left(now),
        )
