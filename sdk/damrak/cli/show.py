"""`damrak show`: show a replay in the terminal."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from damrak.cli.arguments import whole
from damrak.cli.console import out
from damrak.cli.errors import FAILED, OK, Misuse
from damrak.cli.event_text import Teller
from damrak.cli.files import read_replay
from damrak.cli.parser import Commands, add_command, add_json
from damrak.cli.position import position_table, result_table
from damrak_engine.errors import ReplayError
from damrak_engine.events import Event, event_to_json, seen_by
from damrak_engine.replay import Replay, parse_replay, result_to_json
from damrak_engine.state import State
from damrak_engine.verify import fold, verify

PROMPT = "Enter or n: next · p: previous · j EVENT: jump · q: quit > "


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "show",
        run,
        summary="watch a replay in the terminal",
        text="""
            Shows a replay as text, event by event. On a terminal it waits after each decision:
            Enter or n continues, p goes back, j 40 jumps to event 40, q quits. With --all, or if
            the output is not a terminal, it prints the whole game. With --seat it shows only what
            that seat could see: hidden cards and contracts of other players are question marks.""",
        examples=(
            "damrak show game.json",
            "damrak show game.json --seat 0 --from 40",
            "damrak show game.json --all | less -R",
        ),
    )
    parser.add_argument("file", metavar="FILE", help="a replay")
    parser.add_argument(
        "--seat",
        type=whole,
        metavar="N",
        help="show the view of this seat; the first seat is 0",
    )
    parser.add_argument(
        "--from", type=whole, default=0, metavar="K", dest="start", help="start at event K"
    )
    parser.add_argument("--all", action="store_true", help="print the whole game without waiting")
    add_json(parser)


@dataclass(frozen=True, slots=True)
class Step:
    """A decision and its consequences: events `first` to `end` - 1, and the state after them."""

    first: int
    end: int
    state: State


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    try:
        data = read_replay(Path(args.file))
        replay = parse_replay(data)
    except ReplayError as wrong:
        raise Misuse(f"{args.file}: {wrong}") from None
    seats = len(replay.seats)
    if args.seat is not None and args.seat >= seats:
        raise Misuse(f"--seat {args.seat}: this match has the seats 0 to {seats - 1}")
    if args.start >= len(replay.events):
        raise Misuse(
            f"--from {args.start}: this match has the events 0 to {len(replay.events) - 1}"
        )
    steps = steps_of(replay)
    problem = _problem_of(data)
    show = Show(out(), replay, steps, args.seat, problem)
    at = show.step_with(args.start)
    if args.json:
        print(json.dumps(show.as_json(at), ensure_ascii=False))
    elif args.all or not (sys.stdin.isatty() and sys.stdout.isatty()):
        show.everything(at)
    else:
        show.step_by_step(at)
    return FAILED if problem else OK


def steps_of(replay: Replay) -> list[Step]:
    """Return the steps of a match, up to the first wrong event if there is one."""
    steps: list[Step] = []
    first = 0
    with suppress(ReplayError):
        for end, state in fold(replay):
            steps.append(Step(first, end, state.copy()))
            first = end
    return steps


def _problem_of(data: bytes) -> str:
    """Return the first error in a replay's events, result or seal, or an empty string."""
    try:
        verify(data)
    except ReplayError as wrong:
        return f"wrong at {wrong}"
    return ""


class Show:
    """One match on one console, as one seat sees it, or with everything open if `seat` is None."""

    def __init__(
        self,
        console: Console,
        replay: Replay,
        steps: Sequence[Step],
        seat: int | None,
        problem: str,
    ) -> None:
        self.console = console
        self.replay = replay
        self.steps = steps
        self.seat = seat
        self.problem = problem
        self.names = tuple(" ".join(player.bot.split()) for player in replay.seats)
        self.teller = Teller(replay.board, self.names)

    def step_with(self, event: int) -> int:
        """Return the index of the step that contains this event."""
        return sum(step.end <= event for step in self.steps)

    def as_json(self, start: int) -> dict[str, Any]:
        """Return the steps from this one on: events, redacted for the seat, as data and as text."""
        told = []
        for step in self.steps[start:]:
            for number in range(step.first, step.end):
                event = self._seen(number)
                words = [line.plain for line in self.teller.tell(event)]
                told.append({"number": number, "event": event_to_json(event), "words": words})
        return {
            "board": self.replay.board.id,
            "bots": [player.bot for player in self.replay.seats],
            "seat": self.seat,
            "events": told,
            "result": result_to_json(self.replay.result),
            "wrong": self.problem or None,
        }

    def everything(self, start: int) -> None:
        """Print all steps from this one on, and the result."""
        self._title()
        if start:
            self._position(self.steps[min(start, len(self.steps)) - 1])
        for step in self.steps[start:]:
            self._tell(step)
        self._last_words()

    def step_by_step(self, at: int) -> None:
        """Print a step and ask for a command, repeatedly until the end or `q`."""
        self._title()
        while True:
            if at < len(self.steps):
                self._tell(self.steps[at])
                self._position(self.steps[at])
            else:
                self._last_words()
            try:
                answer = input(PROMPT).strip().lower()
            except EOFError:
                return
            if answer == "q":
                return
            at = self._next(at, answer)

    def _next(self, at: int, answer: str) -> int:
        command, _, number = answer.partition(" ")
        if answer in ("", "n"):
            return min(at + 1, len(self.steps))
        if answer == "p":
            return max(at - 1, 0)
        if command == "j" and number.strip().isdecimal():
            return min(self.step_with(int(number)), len(self.steps))
        self.console.print(f"Unknown command {answer!r}.", markup=False)
        return at

    def _title(self) -> None:
        names = ", ".join(self.teller.seat(seat) for seat in range(len(self.names)))
        eyes = "" if self.seat is None else f", view of {self.teller.seat(self.seat)}"
        self._print(Text(f"{self.replay.board.name}: {names}{eyes}", "bold"))

    def _tell(self, step: Step) -> None:
        for number in range(step.first, step.end):
            for i, line in enumerate(self.teller.tell(self._seen(number))):
                label = f"{number:4}  " if i == 0 else "      "
                self._print(Text.assemble((label, "dim"), line))

    def _seen(self, number: int) -> Event:
        event = self.replay.events[number]
        return event if self.seat is None else seen_by(event, self.seat)

    def _position(self, step: Step) -> None:
        self.console.print(position_table(step.state, self.names, self.seat))

    def _last_words(self) -> None:
        if self.problem:
            self._print(Text(f"This replay is {self.problem}", "bold red"))
        else:
            self.console.print(result_table(self.replay.board, self.replay.result, self.names))

    def _print(self, line: Text) -> None:
        self.console.print(line, soft_wrap=True)
