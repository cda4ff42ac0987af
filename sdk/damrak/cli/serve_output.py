"""Output of `damrak serve` during and after the games."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from damrak.cli.display import Display
from damrak.cli.outcome import standing_table, tally_json
from damrak.local import package_version
from damrak.standing import Block, Standing

QUIET_S: Final = 10.0


class Serving(Display):
    """The host's view of a private referee; a context manager."""

    def __init__(self, console: Console, standing: Standing, games: int, is_json: bool) -> None:
        self._console = console
        self._standing = standing
        self._games = games
        self._is_json = is_json
        self._missing: list[str] | None = None
        self._began = self._spoke = time.monotonic()
        super().__init__(console, is_shown=console.is_terminal)

    def opened(self, invitations: Mapping[str, str]) -> None:
        """Print the commands to hand out, once the referee is running."""
        self._say("send each command to one player:")
        for name, command in invitations.items():
            self._say(f"  {name}: {command}")

    def missing(self, names: list[str]) -> None:
        """Report the bots that are missing, if they have changed."""
        if names != self._missing:
            if names:
                self._say(f"waiting for {', '.join(names)}")
            elif self._missing:
                self._say("all players are connected")
            self._missing = names

    def played(self, block: Block) -> None:
        """Report a block that has been added to the standing."""
        for game in block.games:
            for failure in game.failures:
                name = self._standing.tallies[failure.bot].name
                self._say(f"{name} left the table: {failure.reason}: {failure.detail}")
        now = time.monotonic()
        if not self._console.is_terminal and now - self._spoke >= QUIET_S:
            self._spoke = now
            self._say(self._strength())

    def ended(
        self, board: str, versions: Sequence[str], save: Path | None, is_interrupted: bool
    ) -> None:
        """Print the final table and remarks, or one JSON object."""
        standing = self._standing
        if self._is_json:
            told = {
                "games": standing.games,
                "blocks": standing.blocks,
                "seconds": round(time.monotonic() - self._began, 3),
                "bots": [
                    tally_json(standing, bot, version) for bot, version in enumerate(versions)
                ],
                "board": board,
                "ends": dict(standing.ends),
                "interrupted": is_interrupted,
                "saved": None if save is None else str(save),
                "damrak": package_version(),
            }
            print(json.dumps(told, ensure_ascii=False))
            return
        if is_interrupted:
            self._say(f"interrupted: {standing.games} of {self._games} games were played")
        if standing.games:
            self._console.print(standing_table(standing))
            blocks = f"{standing.blocks} block{'' if standing.blocks == 1 else 's'}"
            self._say(f"{standing.games} games in {blocks} on {board}")
        if save is not None and standing.games:
            self._say(f"replays: {save} (damrak verify, damrak show)")

    def _say(self, words: str) -> None:
        self._console.print(Text(words), soft_wrap=True)

    def _picture(self) -> Text:
        if self._missing:
            return Text(f"waiting for {', '.join(self._missing)} (Ctrl-C stops)", "bold")
        return Text(self._strength(), "bold", overflow="ellipsis", no_wrap=True)

    def _strength(self) -> str:
        standing = self._standing
        parts = [f"{standing.games} of {self._games} games"]
        for bot, tally in enumerate(standing.tallies):
            elo = standing.elo(bot)
            if elo is not None:
                parts.append(f"{tally.name} {elo.value:+.0f} [{elo.low:+.0f} … {elo.high:+.0f}]")
        return " · ".join(parts)
