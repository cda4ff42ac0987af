"""Output of `damrak connect`: a live line on a terminal, plain lines elsewhere, or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from damrak.cli.display import Display
from damrak.remote.games import GameOver
from damrak.remote.lobby import Away
from damrak_wire.lobby import Call, Closing, Registered

ORDINALS: Final = ("", "first", "second", "third", "fourth")


class Attendance(Display):
    """Shows the progress of a bot at a referee; a context manager."""

    def __init__(self, console: Console, address: str, bot: str, is_json: bool) -> None:
        self._console = console
        self._address = address
        self._bot = bot
        self._is_json = is_json
        self._state = "connecting"
        self._trouble = ""  # reason for a lost connection; printed once
        self._playing = 0
        self.games = 0
        self.wins = 0
        self.faults = 0
        super().__init__(console, is_shown=console.is_terminal and not is_json)

    def registered(self, news: Registered, games: int) -> None:
        """Report that the referee has registered the bot."""
        self._state, self._trouble = "waiting", ""
        said = f"waiting at {self._address} ({news.referee}) as {news.bot}, up to {_games(games)}"
        self._tell(said, event="waiting", bot=news.bot, referee=news.referee, games=games)

    def away(self, news: Away) -> None:
        """Report that the bot is not connected."""
        self._state = "away"
        trouble, is_known = str(news.trouble), str(news.trouble) == self._trouble
        self._trouble = trouble
        said = "" if is_known else f"{trouble} (retrying)"
        self._tell(said, event="away", trouble=trouble, seconds=round(news.seconds, 1))

    def closing(self, news: Closing) -> None:
        """Report that the referee is about to stop."""
        seconds = news.back_in_ms / 1000
        if news.final:
            words = "the referee has shut down permanently"
        else:
            words = f"the referee is shutting down; reconnecting in {seconds:.0f} s"
        self._tell(words, event="closing", seconds=seconds, final=news.final)

    def called(self, call: Call, playing: int) -> None:
        """Report that the bot joins a table."""
        self._playing = playing
        self._tell(f"{call.match}: called", event="called", match=call.match)

    def declined(self, match: str, reason: str) -> None:
        """Report that the bot declines a table."""
        self._tell(f"{match}: declined, {reason}", event="declined", match=match, reason=reason)

    def over(self, news: GameOver, playing: int) -> None:
        """Report that a game has ended."""
        self._playing = playing
        told = _outcome(news)
        self._count(told)
        self._tell(f"{news.match}: {_in_words(told)}{_again(news)}", event="over", **told)

    def finishing(self, playing: Sequence[str]) -> None:
        """Report that no new games are accepted."""
        self._state = "finishing"
        rest = (
            f"; {_games(len(playing))} still running; press Ctrl-C again to end them"
            if playing
            else ""
        )
        self._tell(f"no new games{rest}", event="finishing", playing=list(playing))

    def stopped(self) -> None:
        """Report the totals at the end."""
        said = f"{_games(self.games)} played, {self.wins} won, {self.faults} faults"
        self._tell(said, event="stopped", games=self.games, wins=self.wins, faults=self.faults)

    def _count(self, told: dict[str, Any]) -> None:
        if told["outcome"] in ("result", "fault"):
            self.games += 1
        self.wins += told.get("place") == 1
        self.faults += told["outcome"] == "fault"

    def _tell(self, words: str, **told: Any) -> None:
        if self._is_json:
            print(json.dumps(told, ensure_ascii=False), flush=True)
            return
        if not words:
            return
        self._console.print(Text(words), soft_wrap=True)
        if not self._console.is_terminal:
            sys.stdout.flush()

    def _picture(self) -> Text:
        parts = [
            f"{self._bot}: {self._state}",
            f"playing {self._playing}",
            f"{_games(self.games)} played",
            f"{self.wins} won",
            f"{self.faults} faults",
            "Ctrl-C stops",
        ]
        return Text(" · ".join(parts), "bold", overflow="ellipsis", no_wrap=True)


def _outcome(news: GameOver) -> dict[str, Any]:
    """Return how a game ended, in the form of `--json`."""
    record = news.record
    told: dict[str, Any] = {"match": news.match}
    if record.fault is not None:
        told |= {"outcome": "fault", "reason": record.fault.reason, "detail": record.fault.detail}
    elif record.result is not None and record.plan is not None:
        own = record.result.seats[record.plan.seat]
        told |= {
            "outcome": "result",
            "place": own.place,
            "seats": len(record.result.seats),
            "points": own.total,
        }
        if record.late_fault is not None:
            told["late_fault"] = record.late_fault.detail
    elif record.voided is not None:
        told |= {"outcome": "void", "detail": record.voided.detail}
    else:
        told |= {"outcome": "lost", "detail": str(record.lost)}
    told["bundle"] = None if news.bundle is None else str(news.bundle)
    return told


def _again(news: GameOver) -> str:
    """Return a hint on how to investigate a failure."""
    if news.bundle is not None:
        return f" (reproduce: damrak repro {news.bundle})"
    return " (save a repro bundle with --save DIR)" if news.record.fault is not None else ""


def _in_words(told: dict[str, Any]) -> str:
    match told["outcome"]:
        case "result":
            place = ORDINALS[told["place"]]
            late = (
                f"; failed after the end of the game: {told['late_fault']}"
                if "late_fault" in told
                else ""
            )
            return f"{place} of {told['seats']} with {told['points']} points{late}"
        case "fault":
            return f"left the table: {told['reason']}: {told['detail']}"
        case "void":
            return f"void: {told['detail']}"
        case _:
            return f"lost: {told['detail']}"


def _games(number: int) -> str:
    return f"{number} game{'' if number == 1 else 's'}"
