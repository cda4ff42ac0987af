"""Progress of a series: a live line on a terminal, otherwise a plain line at intervals."""

from __future__ import annotations

import time
from typing import Final

from rich import progress
from rich.console import Console, Group
from rich.text import Text

from damrak.cli.display import Display
from damrak.series import SeriesPlan
from damrak.standing import Standing
from damrak_statistics.block_scores import Sprt

QUIET_S: Final = 10.0


class Progress(Display):
    """Shows the standing of a running series; a context manager."""

    def __init__(
        self, console: Console, plan: SeriesPlan, standing: Standing, test: Sprt | None
    ) -> None:
        self.console = console
        self.plan = plan
        self.standing = standing
        self.test = test
        self.started = self.spoke = time.monotonic()
        self.bar = progress.Progress(
            progress.BarColumn(bar_width=24),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.description}", markup=False),
            progress.TextColumn("left:"),
            progress.TimeRemainingColumn(),
            console=console,
        )
        self.task = self.bar.add_task("games", total=plan.games)
        super().__init__(console, is_shown=console.is_terminal)

    def update(self) -> None:
        """Update the display after the standing has changed."""
        now = time.monotonic()
        if self.console.is_terminal:
            rate = self._rate(now)
            self.bar.update(self.task, completed=self.standing.games, description=rate)
        elif now - self.spoke >= QUIET_S:
            self.spoke = now
            done = f"{self.standing.games} of {self.plan.games} games"
            line = f"{done}, {self._rate(now)}, {self._strength()}"
            self.console.print(Text(line), soft_wrap=True)

    def _picture(self) -> Group:
        return Group(self.bar, Text(self._strength(), overflow="ellipsis", no_wrap=True))

    def _rate(self, now: float) -> str:
        rate = self.standing.games / max(now - self.started, 1e-9)
        return f"{rate:.0f} games/s" if rate >= 10 else f"{rate:.1f} games/s"

    def _strength(self) -> str:
        name = self.standing.tallies[0].name
        elo = self.standing.elo(0)
        if elo is None:
            return "playing the first games"
        text = f"{name} {elo.value:+.0f} Elo [{elo.low:+.0f} … {elo.high:+.0f}]"
        if self.test:
            llr = self.test.llr(self.standing.tallies[0].block_scores)
            text += f", LLR {llr:.2f} ({self.test.lower:.2f} … {self.test.upper:.2f})"
        return text
