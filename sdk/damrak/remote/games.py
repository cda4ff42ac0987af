"""The games that a bot currently plays: a thread and a child process for each.

Each game has its own launcher while it lasts, because a launcher serves only one thread, and
because ending a launcher also ends all processes that the bot has started.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from damrak.bundle import Bundle, Ending, Step, write_bundle
from damrak.errors import HostError, RefereeError
from damrak.hosting.driver import Question, SeatPlan
from damrak.hosting.faults import Answer
from damrak.hosting.hosted import HostedBot
from damrak.hosting.launch import Child, Launcher
from damrak.hosting.limits import Limits
from damrak.hosting.shared import new_launcher
from damrak.remote.address import Address
from damrak.remote.channels import Security
from damrak.remote.reconnection import KeptLine
from damrak.remote.session import SeatRecord, Session
from damrak.specs import BotSpec
from damrak_engine.rules import Rules

START_SPARE: Final = 5.0  # seconds: the referee should report a slow start before we do


@dataclass(frozen=True, slots=True)
class GameOver:
    """The end of a game; `output` is what the bot printed, `bundle` the repro bundle of a fault."""

    match: str
    record: SeatRecord
    output: str
    bundle: Path | None = None


class _Game:
    """A game in progress."""

    def __init__(self, match: str, launcher: Launcher) -> None:
        self.match = match
        self.launcher = launcher
        self.line: KeptLine
        self.thread: Thread
        self.child: Child | None = None
        self.steps: list[Step] = []
        self.output = ""
        self.is_cut_off = False

    def cut_off(self) -> None:
        """Kill the bot, whose answer is not needed any more.

        This is called from another thread than the launcher's, so the launcher is not reused.
        """
        self.is_cut_off = True
        if self.child is not None:
            self.child.kill()

    def note(self, question: Question, answer: Answer) -> None:
        """Record a decision for a repro bundle."""
        self.steps.append(Step(question, answer))


class Games:
    """The games of one bot; `tell` is called at the end of a game and must not block."""

    def __init__(
        self,
        spec: BotSpec,
        software: str,
        limits: Limits,
        tell: Callable[[GameOver], None],
        save: Path | None = None,
    ) -> None:
        self._spec = spec
        self._software = software
        self._limits = limits
        self._tell = tell
        self._save = save
        self._guard = Lock()
        self._games: dict[str, _Game] = {}
        self._idle: list[Launcher] = []

    def __len__(self) -> int:
        return len(self._games)

    def __contains__(self, match: str) -> bool:
        return match in self._games

    @property
    def playing(self) -> tuple[str, ...]:
        """The ids of the current matches."""
        with self._guard:
            return tuple(self._games)

    def come(
        self, match: str, address: Address, security: Security, ticket: str, patience_ms: int
    ) -> None:
        """Join a table, or rejoin it with a new ticket.

        Raises:
            HostError: this machine cannot run another bot.
        """
        with self._guard:
            if match in self._games:
                self._games[match].line.renew(address, ticket)
                return
            game = _Game(match, self._idle.pop() if self._idle else new_launcher())
            game.line = KeptLine(address, security, self._software, ticket, game.cut_off)
            seconds = patience_ms / 1000 + START_SPARE
            game.thread = Thread(target=self._play, args=(game, seconds), name=match, daemon=True)
            self._games[match] = game
            game.thread.start()

    def withdraw(self, match: str, reason: str) -> None:
        """Leave a table."""
        with self._guard:
            game = self._games.get(match)
        if game is not None:
            game.line.give_up(RefereeError(f"the call was withdrawn: {reason}", is_lasting=True))

    def stop(self) -> None:
        """End all games immediately."""
        with self._guard:
            games, self._games = list(self._games.values()), {}
            idle, self._idle = self._idle, []
        for game in games:
            game.line.give_up(RefereeError("stopped", is_lasting=True))
            game.cut_off()
        for game in games:
            game.thread.join(5.0)
            game.launcher.close()
        for launcher in idle:
            launcher.close()

    # ---- the thread of a game -------------------------------------------------------------------

    def _play(self, game: _Game, start_seconds: float) -> None:
        limits = replace(self._limits, start_seconds=start_seconds)

        def make(plan: SeatPlan, rules: Rules) -> HostedBot:
            return _Watched(game, plan, rules, limits)

        note = None if self._save is None else game.note
        try:
            record = Session(game.line, self._spec, make, note).play()
            is_reusable = not game.is_cut_off
        except Exception as problem:  # noqa: BLE001 - other games continue
            said = str(problem) if isinstance(problem, HostError) else repr(problem)
            record = SeatRecord(game.match, lost=RefereeError(said, is_lasting=True))
            is_reusable = False
        self._over(game, record, is_reusable)

    def _over(self, game: _Game, record: SeatRecord, is_reusable: bool) -> None:
        bundle = self._bundle(game, record)
        with self._guard:
            is_ours = self._games.pop(game.match, None) is not None
            if is_ours and is_reusable:
                self._idle.append(game.launcher)
            if is_ours:  # reported before `playing` shows the end
                self._tell(GameOver(game.match, record, game.output, bundle))
        if is_ours and not is_reusable:
            game.launcher.close()

    def _bundle(self, game: _Game, record: SeatRecord) -> Path | None:
        fault = record.fault or record.late_fault
        if self._save is None or fault is None or record.plan is None or record.rules is None:
            return None
        ending = None
        if record.fault is None and record.result is not None:
            ending = Ending(record.last_events, record.result)
        bundle = Bundle(
            record.plan,
            record.rules,
            fault,
            game.output,
            tuple(game.steps),
            ending,
            self._limits,
        )
        self._save.mkdir(parents=True, exist_ok=True)
        path = self._save / f"{_plain(self._spec.name)}-{fault.reason}-{_plain(game.match)}.json"
        write_bundle(bundle, path)
        return path


class _Watched(HostedBot):
    """A bot in a child process that another thread can kill, and whose output is kept."""

    def __init__(self, game: _Game, plan: SeatPlan, rules: Rules, limits: Limits) -> None:
        self._game = game
        super().__init__(game.launcher, plan, rules, limits)
        game.child = self._child

    def close(self) -> None:
        """End the process and all processes that it has started."""
        self._game.child = None
        super().close()
        self._game.output = self.output


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text)
