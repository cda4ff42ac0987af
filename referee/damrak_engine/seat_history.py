"""History of one seat of a recorded match: its events, questions and answers.

The arbiter plays the match again with the answers in the replay. So the seat gets the same events,
observations and clocks as in the match, and nothing that was hidden from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from damrak_engine.clock import US_PER_MS, TimeControl
from damrak_engine.dice import SeedDice, bot_seed
from damrak_engine.effects import Ask, Effect, Tell
from damrak_engine.errors import EngineError, ReplayError
from damrak_engine.events import Deal, Decision, Event, Fault
from damrak_engine.match import Match
from damrak_engine.replay import Replay
from damrak_engine.rules import Rules, rules_for
from damrak_engine.values import value
from damrak_engine.verify import action_of


@value(frozen=True, slots=True)
class Asked:
    """A question and its answer; `event` is the number of the answer in the replay."""

    event: int
    question: Ask
    news: tuple[Event, ...]  # since the seat's last question, as the seat saw it
    answer: Decision | Fault
    action: int | None  # None after a fault


@value(frozen=True, slots=True)
class SeatHistory:
    """The questions to a seat in order, and the events that it received after the last one."""

    rules: Rules
    seat: int
    chance: int  # the seed of the bot's random numbers
    asked: tuple[Asked, ...]
    last_news: tuple[Event, ...]

    @property
    def fault(self) -> Fault | None:
        """The fault by which the seat left the match; it is the answer to the last question."""
        last = self.asked[-1].answer if self.asked else None
        return last if isinstance(last, Fault) else None


def chance_of(seed: bytes, seat: int) -> int:
    """Return the seed of a bot's random numbers in this match, as a number."""
    return int.from_bytes(bot_seed(seed, seat))


def history_of(replay: Replay, seat: int, control: TimeControl) -> SeatHistory:
    """Return the history of a seat in a match that was played under this time control.

    Raises:
        ReplayError: the match cannot be played like this, at least under this time control.
    """
    if not 0 <= seat < len(replay.seats):
        raise ReplayError("header", f"a seat from 0 to {len(replay.seats) - 1}")
    rules = rules_for(replay.board, len(replay.seats), replay.options)
    deal = replay.events[0]
    first = deal.first if isinstance(deal, Deal) and _is_first_given(replay) else None
    retelling = _Retelling(replay, Match(rules, SeedDice(replay.seed), control, first), seat)
    try:
        retelling.play()
    except (EngineError, LookupError) as problem:
        raise ReplayError("events", f"what can be played once more ({problem})") from None
    return SeatHistory(
        rules, seat, chance_of(replay.seed, seat), tuple(retelling.asked), tuple(retelling.news)
    )


def _is_first_given(replay: Replay) -> bool:
    return replay.options.first_player == "rotate"


class _Retelling:
    """A match that is played again, as one seat sees it."""

    def __init__(self, replay: Replay, match: Match, seat: int) -> None:
        self.asked: list[Asked] = []
        self.news: list[Event] = []
        self._match = match
        self._seat = seat
        self._now = 0
        self._answers: list[deque[tuple[int, Decision | Fault]]] = [deque() for _ in replay.seats]
        for number, event in enumerate(replay.events):
            if isinstance(event, Decision | Fault):
                self._answers[event.seat].append((number, event))

    def play(self) -> None:
        """Play to the end of the match, or to the fault of the seat."""
        asks = self._hear(self._match.begin(0))
        while asks:
            # In the set-up all seats decide at the same time, each at its own pace.
            answered = sorted(
                (
                    (ask, *self._answers[ask.seat].popleft())
                    for ask in asks
                    if self._answers[ask.seat]  # a forfeit in the set-up leaves some unrecorded
                ),
                key=lambda row: _ms(row[2]),
            )
            for ask, number, answer in answered:
                if ask.seat == self._seat:
                    self._write(ask, number, answer)
                    if isinstance(answer, Fault):
                        return
            start, asks = self._now, []
            for ask, _, answer in answered:
                self._now = max(self._now, start + _ms(answer) * US_PER_MS)
                asks += self._hear(self._answer(ask, answer))
        if not self._match.is_over or any(self._answers):
            raise LookupError("it ends otherwise")

    def _answer(self, ask: Ask, answer: Decision | Fault) -> list[Effect]:
        if isinstance(answer, Fault):
            return self._match.failed(ask.seat, answer.reason, answer.detail, "bot", self._now)
        action = action_of(answer, self._match.state)
        return self._match.decided(ask.seat, ask.decision, action, self._now, answer.note)

    def _hear(self, effects: Iterable[Effect]) -> list[Ask]:
        asks = []
        for effect in effects:
            if isinstance(effect, Ask):
                asks.append(effect)
            elif isinstance(effect, Tell) and effect.seat == self._seat:
                self.news += effect.events
        return asks

    def _write(self, ask: Ask, number: int, answer: Decision | Fault) -> None:
        action = None
        if isinstance(answer, Decision):
            action = action_of(answer, self._match.state)
        self.asked.append(Asked(number, ask, tuple(self.news), answer, action))
        self.news.clear()


def _ms(answer: Decision | Fault) -> int:
    return (answer.ms or 0) if isinstance(answer, Decision) else 0
