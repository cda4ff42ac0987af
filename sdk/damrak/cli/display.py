"""A display on the terminal that is redrawn during a long operation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.live import Live


class Display(ABC):
    """Shows its picture while the context is active, but nothing if the output is not visible."""

    def __init__(self, console: Console, *, is_shown: bool) -> None:
        self._live: Live | None = None
        if is_shown:
            self._live = Live(get_renderable=self._picture, console=console, transient=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    @abstractmethod
    def _picture(self) -> RenderableType:
        """Return what to show; called several times per second."""
