"""How a series is getting on: a live line on a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final, Self

from rich import progress
from rich.console import Console
from rich.text import Text

from damrak.series import SeriesPlan
from damrak.standing import Standing
from damrak.stats import Sprt

QUIET_S: Final = 10.0


class Progress:
    """Shows the standing of a series while it grows; a context manager."""

    def __init__(
        self, console: Console, plan: SeriesPlan, standing: Standing, test: Sprt | None
    ) -> None:
        self.console = console
        self.plan = plan
        self.standing = standing
        self.test = test
        self.started = self.spoke = time.monotonic()
        self.live = progress.Progress(
            progress.BarColumn(bar_width=None, table_column=None),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[rate]}"),
            progress.TimeRemainingColumn(),
            progress.TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            expand=True,
        )
        self.task = self.live.add_task("", total=plan.games, rate="")

    def __enter__(self) -> Self:
        self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.live.stop()

    def update(self) -> None:
        """Show the standing as it is now."""
        now = time.monotonic()
        if self.console.is_terminal:
            self.live.update(
                self.task,
                completed=self.standing.games,
                description=self._strength(),
                rate=self._rate(now),
            )
        elif now - self.spoke >= QUIET_S:
            self.spoke = now
            done = f"{self.standing.games} of {self.plan.games} games"
            line = f"{done}, {self._rate(now)}, {self._strength()}"
            self.console.print(Text(line), soft_wrap=True)

    def _rate(self, now: float) -> str:
        rate = self.standing.games / max(now - self.started, 1e-9)
        return f"{rate:.0f} games/s" if rate >= 10 else f"{rate:.1f} games/s"

    def _strength(self) -> str:
        name = self.standing.tallies[0].name
        elo = self.standing.elo(0)
        assert elo is not None
        text = f"{name} {elo.value:+.0f} Elo [{elo.low:+.0f} … {elo.high:+.0f}]"
        if self.test:
            llr = self.test.llr(self.standing.tallies[0].block_scores)
            text += f", LLR {llr:.2f} ({self.test.lower:.2f} … {self.test.upper:.2f})"
        return text
