"""Studies: what a bot would have chosen at every decision of a seat in a finished match.

    study = Study(history_of(replay, seat, control), parse_spec("my_bot"), control)
    for choice in study.choices():
        print(choice.event, choice.is_same)

The bot is started as at the beginning of the match and asked every decision of the seat. The match
always continues with the recorded action, so a bot that remembers earlier decisions or keeps track
of events is in the right state at every decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from damrak.hosting.driver import Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, Chosen, Silence
from damrak.hosting.hosted import HostedBot
from damrak.hosting.limits import STANDARD_LIMITS, Limits
from damrak.hosting.shared import discard_launcher, launcher
from damrak.repro import late_detail
from damrak.specs import BotSpec
from damrak_engine.clock import TimeControl
from damrak_engine.events import Fault
from damrak_engine.seat_history import Asked, SeatHistory


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision: `event` is its number in the replay, `played` the recorded action.

    `played` is None if the seat left the match by a fault, which is in `fault_then`.
    """

    event: int
    question: Question
    played: int | None
    fault_then: Fault | None
    answer: Answer

    @property
    def is_same(self) -> bool:
        """Whether the bot chose the recorded action."""
        return isinstance(self.answer, Chosen) and self.answer.action == self.played

    @property
    def is_legal(self) -> bool:
        """Whether the bot chose a legal action."""
        return isinstance(self.answer, Chosen) and self.answer.action in self.question.legal


class Study:
    """A study of a bot in a seat. `fault` and `output` are set when `choices` has ended."""

    def __init__(
        self,
        history: SeatHistory,
        bot: BotSpec,
        control: TimeControl,
        limits: Limits = STANDARD_LIMITS,
    ) -> None:
        self.fault: BotFault | None = None
        self.output = ""
        self._history = history
        self._plan = SeatPlan(bot, history.seat, control, history.chance)
        self._limits = limits

    def choices(self) -> Iterator[Choice]:
        """Ask every decision of the seat in turn; ends early if the bot fails.

        Raises:
            HostError: this machine cannot run bots.
        """
        bot = HostedBot(launcher(), self._plan, self._history.rules, self._limits)
        try:
            self.fault = bot.start()
            if self.fault is None:
                yield from self._ask_all(bot)
            self.output = bot.output
        except GeneratorExit:
            self.output = bot.output
            raise
        except BaseException:
            discard_launcher()  # a message exchange with the server may have been interrupted
            raise
        finally:
            bot.close()

    def _ask_all(self, bot: HostedBot) -> Iterator[Choice]:
        for asked in self._history.asked:
            question = question_of(asked)
            answer, _ = bot.ask(question, question.time_left.us)
            if isinstance(answer, Silence):
                answer = BotFault("timeout", late_detail(question), answer.stack)
            fault_then = asked.answer if isinstance(asked.answer, Fault) else None
            if isinstance(answer, BotFault):
                self.fault = answer
            yield Choice(asked.event, question, asked.action, fault_then, answer)
            if self.fault is not None:
                return


def question_of(asked: Asked) -> Question:
    """Return a recorded decision as a question for a bot."""
    ask = asked.question
    return Question(ask.decision, ask.observation, ask.legal, ask.time_left, asked.news)
