"""What became of a question to a bot."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final

from damrak_engine.effects import printable

DETAIL_LIMIT: Final = 200
TRACEBACK_LIMIT: Final = 16_000
_SDK: Final = Path(__file__).parents[1]
_OURS: Final = tuple(str(_SDK / name) for name in ("hosting", "loading.py", "remote", "repro.py"))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The bot named an action of the board; whether it is legal now is for the arbiter."""

    action: int
    note: str | None


@dataclass(frozen=True, slots=True)
class Nonsense:
    """The bot gave back something that is no action; `what` says so in one line."""

    what: str


@dataclass(frozen=True, slots=True)
class Silence:
    """The bot had not answered when its time was up; `stack` is where it was then, if known."""

    stack: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class BotFault:
    """The bot failed; `detail` fits on one line.

    `reason` is one of the engine's `FAULTS`, or `output`, which ends no match.
    """

    reason: str
    detail: str
    traceback: str = ""


Answer = Chosen | Nonsense | Silence | BotFault


def fault_of(problem: BaseException) -> BotFault:
    """The fault of a bot that let this exception out, with its own part of the traceback."""
    lines = traceback.format_exception(type(problem), problem, _without_ours(problem.__traceback__))
    reason = "memory" if isinstance(problem, MemoryError) else "crash"
    return BotFault(
        reason,
        printable(_headline(problem), DETAIL_LIMIT),
        printable("".join(lines)[-TRACEBACK_LIMIT:], TRACEBACK_LIMIT),
    )


def _headline(problem: BaseException) -> str:
    name = type(problem).__name__
    try:
        said = str(problem).strip().partition("\n")[0]
    except Exception:  # noqa: BLE001 - a bot's exception may do anything, even here
        said = "(its text could not be had)"
    if isinstance(problem, SystemExit):
        return f"the bot called sys.exit({said})"
    return f"{name}: {said}" if said else name


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that begins in the bot; all of it if the bot is not in it."""
    rest = trace
    while rest is not None and is_ours(rest.tb_frame.f_code.co_filename):
        rest = rest.tb_next
    return rest if rest is not None else trace


def is_ours(filename: str) -> bool:
    """Whether this source is of what surrounds a bot, and not of the bot."""
    return filename.startswith((*_OURS, "<frozen importlib"))
