"""`damrak repro MATCH`: put a local bot into a seat of a finished match."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from damrak.cli.console import err, out
from damrak.cli.errors import FAILED, OK
from damrak.cli.event_text import Teller
from damrak.cli.match_source import MatchSource
from damrak.cli.outcome import LINES_SHOWN, print_traceback
from damrak.cli.position import position_table
from damrak.cli.show import Step, steps_of
from damrak.hosting.faults import BotFault, Chosen, Nonsense
from damrak.specs import BotSpec
from damrak.study import Choice, Study
from damrak_engine.bundle import OBSERVATION_FIELDS, shown
from damrak_engine.seat_history import SeatHistory

PROMPT: Final = "Enter or n: next decision · d: next difference · a: all · q: quit > "


@dataclass(slots=True)
class _Tally:
    """Results of the comparison so far."""

    compared: int = 0
    differences: list[int] = field(default_factory=list)  # event numbers
    shown: list[Choice] = field(default_factory=list)

    def count(self, choice: Choice) -> None:
        self.compared += 1
        if not choice.is_same:
            self.differences.append(choice.event)


class MatchRepro:
    """A match on one console, with a bot in one seat."""

    def __init__(
        self, console: Console, source: MatchSource, history: SeatHistory, bot: BotSpec
    ) -> None:
        self._console = console
        self._source = source
        self._history = history
        self._bot = bot
        self._steps: list[Step] = steps_of(source.replay)
        names = tuple(" ".join(player.bot.split()) for player in source.replay.seats)
        self._teller = Teller(source.replay.board, names)
        self._study = Study(history, bot, source.control)
        self._tally = _Tally()

    def run(self, args: argparse.Namespace) -> int:
        """Show what the arguments ask for, and return the exit code."""
        self._title()
        choices = self._study.choices()
        try:
            if args.diff:
                self._diff(choices)
            else:
                is_waiting = sys.stdin.isatty() and sys.stdout.isatty() and not args.json
                self._walk(choices, args.start, is_all=args.all, is_waiting=is_waiting)
        finally:
            choices.close()  # type: ignore[attr-defined]  # a generator, which ends the bot
        self._last_words(is_diff=args.diff)
        if args.json:
            print(json.dumps(self._report(), ensure_ascii=False))
        is_wrong = self._study.fault is not None or (args.diff and self._tally.differences)
        return FAILED if is_wrong else OK

    def _diff(self, choices: Iterator[Choice]) -> None:
        """Compare all decisions, and show the first that differs."""
        for choice in choices:
            self._tally.count(choice)
            if not choice.is_same and not self._tally.shown:
                self._show(choice)

    def _walk(
        self, choices: Iterator[Choice], start: int, *, is_all: bool, is_waiting: bool
    ) -> None:
        """Show the decisions from an event on: one, all, or one by one."""
        wants_difference = False
        for choice in choices:
            self._tally.count(choice)
            is_early = choice.event < start and self._study.fault is None
            if is_early or (wants_difference and choice.is_same):
                continue
            self._show(choice)
            if is_all:
                continue
            if not is_waiting:
                return
            answer = self._ask()
            if answer == "q":
                return
            wants_difference, is_all = answer == "d", answer == "a"

    def _ask(self) -> str:
        while True:
            try:
                answer = input(PROMPT).strip().lower()
            except EOFError:
                return "q"
            if answer in ("", "n", "d", "a", "q"):
                return answer
            self._print(Text(f"Unknown command {answer!r}."))

    # ---- text output ------------------------------------------------------------------------

    def _title(self) -> None:
        seat = self._teller.seat(self._history.seat)
        where = f"{self._source.name}: {self._bot.name} in place of {seat}"
        self._print(Text(where, "bold"))

    def _show(self, choice: Choice) -> None:
        self._tally.shown.append(choice)
        before = [step for step in self._steps if step.end <= choice.event]
        title = f"event {choice.event}, decision {choice.question.decision}"
        self._print(Text(title, "bold"))
        if before:
            table = position_table(before[-1].state, self._teller.names, self._history.seat)
            self._console.print(table)
        if offer := choice.question.observation.offer:
            names = (self._source.replay.board.contract_name(contract) for contract in offer)
            self._print(Text(f"offered: {', '.join(names)}"))
        self._print(Text(f"played: {self._played(choice)}"))
        style = "green" if choice.is_same else "yellow"
        self._print(Text(f"{self._bot.name}: {self._chosen(choice)}", style))
        if isinstance(choice.answer, Chosen) and choice.answer.note:
            self._print(Text(f"  note: {choice.answer.note}", "italic"))

    def _played(self, choice: Choice) -> str:
        if choice.played is not None:
            return self._describe(choice.played)
        assert choice.fault_then is not None
        return f"it left the match: {choice.fault_then.reason} {choice.fault_then.detail}".rstrip()

    def _chosen(self, choice: Choice) -> str:
        match choice.answer:
            case Chosen(action) if action < len(self._history.rules.space):
                legal = "" if choice.is_legal else " (not legal)"
                return f"{self._describe(action)}{legal}"
            case Chosen(action):
                return f"action {action}, which this board does not have"
            case Nonsense(what):
                return what
            case BotFault(reason, detail):
                return f"failed: {reason}: {detail}"
            case _:
                return "no answer"

    def _describe(self, action: int) -> str:
        return self._history.rules.space.describe(action)

    def _last_words(self, *, is_diff: bool) -> None:
        fault, tally = self._study.fault, self._tally
        if fault is not None:
            if not any(isinstance(choice.answer, BotFault) for choice in tally.shown):
                words = f"{self._bot.name} failed: {fault.reason}: {fault.detail}"
                self._print(Text(words, "red"))
            print_traceback(self._console, fault.traceback)
        elif not is_diff and not tally.shown:
            self._print(Text("The seat has no decision at or after this event.", "yellow"))
        if is_diff:
            of = f"{len(tally.differences)} of {tally.compared} decisions"
            said = (
                f"{of} differ" if tally.differences else f"{tally.compared} decisions are the same"
            )
            self._print(Text(said, "yellow" if tally.differences else "green"))
        if self._study.output.strip():
            self._print(Text(f"{self._bot.name} printed, at the end:", "bold"))
            print_traceback(
                self._console, "\n".join(self._study.output.splitlines()[-LINES_SHOWN:])
            )

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)

    # ---- JSON output ------------------------------------------------------------------------

    def _report(self) -> dict[str, Any]:
        fault, tally = self._study.fault, self._tally
        return {
            "ok": fault is None,
            "match": self._source.name,
            "seat": self._history.seat,
            "bot": self._bot.name,
            "version": self._bot.version,
            "compared": tally.compared,
            "differences": tally.differences,
            "decisions": [self._decision(choice) for choice in tally.shown],
            "fault": None
            if fault is None
            else {"reason": fault.reason, "detail": fault.detail, "traceback": fault.traceback},
            "output": self._study.output,
        }

    def _decision(self, choice: Choice) -> dict[str, Any]:
        question, answer = choice.question, choice.answer
        observation = question.observation
        return {
            "event": choice.event,
            "decision": question.decision,
            "same": choice.is_same,
            "played": {"action": choice.played, "words": self._played(choice)},
            "chosen": {
                "action": answer.action if isinstance(answer, Chosen) else None,
                "words": self._chosen(choice),
                "legal": choice.is_legal,
                "note": answer.note if isinstance(answer, Chosen) else None,
            },
            "view": {name: shown(getattr(observation, name)) for name in OBSERVATION_FIELDS},
            "legal": [{"action": it, "words": self._describe(it)} for it in question.legal],
            "time_left": {
                "decision_us": question.time_left.decision_us,
                "bank_us": question.time_left.bank_us,
            },
        }


def run_match(
    args: argparse.Namespace, source: MatchSource, history: SeatHistory, bot: BotSpec
) -> int:
    """Run the command for a match."""
    console = err() if args.json else out()
    return MatchRepro(console, source, history, bot).run(args)
