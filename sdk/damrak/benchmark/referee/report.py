"""The report of `damrak bench referee`: all measurements in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from damrak.benchmark.referee import crowd, house, pace, startup


@dataclass(frozen=True, slots=True)
class Size:
    """The extent of the measurements."""

    windows: int
    seconds: float
    idle: int
    crowd: int
    house: int
    starts: int


FULL: Final = Size(windows=5, seconds=3.0, idle=1000, crowd=200, house=1000, starts=20)
QUICK: Final = Size(windows=1, seconds=0.5, idle=50, crowd=10, house=20, starts=3)


def measure(size: Size, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the object for `damrak bench referee --json`; `tell` receives the progress."""
    tell("decisions a second, beside a bare exchange")
    measured = pace.measure(size.windows, size.seconds)
    tell(f"{size.idle} idle bots and {size.crowd} matches")
    measured["crowd"] = crowd.measure(size.idle, size.crowd)
    tell(f"{size.house} matches of house bots")
    measured["house"] = house.measure(size.house)
    tell("how long bots take to be ready")
    measured["starting"] = startup.measure(size.starts)
    return measured
