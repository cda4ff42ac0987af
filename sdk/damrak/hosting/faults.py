"""The possible outcomes of a question to a bot."""

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
    """The bot chose an action of the board; the arbiter checks whether it is legal."""

    action: int
    note: str | None


@dataclass(frozen=True, slots=True)
class Nonsense:
    """The bot returned something that is not an action; `what` describes it in one line."""

    what: str


@dataclass(frozen=True, slots=True)
class Silence:
    """The bot did not answer in time; `stack` is where it was then, if known."""

    stack: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class BotFault:
    """The bot failed; `detail` fits on one line.

    `reason` is one of the engine's `FAULTS`, or `output`, which does not end the match.
    """

    reason: str
    detail: str
    traceback: str = ""


Answer = Chosen | Nonsense | Silence | BotFault


def fault_of(problem: BaseException) -> BotFault:
    """Return the fault for an exception of a bot, with the bot's part of the traceback."""
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
    except Exception:  # noqa: BLE001 - a bot's exception class may raise anything
        said = "(its text could not be had)"
    if isinstance(problem, SystemExit):
        return f"the bot called sys.exit({said})"
    return f"{name}: {said}" if said else name


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that begins in the bot, or all of it if there is none."""
    rest = trace
    while rest is not None and is_ours(rest.tb_frame.f_code.co_filename):
        rest = rest.tb_next
    return rest if rest is not None else trace


def is_ours(filename: str) -> bool:
    """Return whether a source file belongs to the host rather than to the bot."""
    return filename.startswith((*_OURS, "<frozen importlib"))
