"""Verdicts: how a seat's process ended and whose fault that was, by evidence."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, replace
from typing import Final, Literal

Cause = Literal["ended", "crash", "memory", "output", "stopped", "lost"]
Owner = Literal["bot", "host"]

_OUT_OF_MEMORY: Final = re.compile(
    r"^(MemoryError\b|numpy\.\S*MemoryError\b|terminate called after .*bad_alloc"
    r"|FATAL ERROR: .*heap out of memory)",
    re.MULTILINE,
)
_END_LINES: Final = 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts about the end of a process.

    `inner` is the exit status of the bot's program, None if it was not reported; `outer` is that of
    the enclosing process, minus the signal number if it was killed.
    """

    stopped: bool
    overflow: bool
    memory_kills: int
    inner: int | None
    outer: int
    output: str
    overtime: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """A cause, a detail of one line, and the party at fault."""

    cause: Cause
    detail: str
    owner: Owner


def judge(evidence: Evidence) -> Verdict:
    """Return the verdict that follows from the evidence."""
    if evidence.overflow:
        return Verdict("output", "the bot printed too much", "bot")
    if evidence.overtime:
        return Verdict("crash", "the bot's processes used all the processor time they may", "bot")
    if evidence.stopped:
        return Verdict("stopped", "stopped by the referee", "host")
    if evidence.inner == 0:
        return Verdict("ended", "the bot's process ended", "bot")
    if evidence.memory_kills:
        return Verdict("memory", "the bot used more memory than it may", "bot")
    if evidence.inner is None:
        return Verdict("lost", _lost(evidence), "host")
    if _OUT_OF_MEMORY.search("\n".join(evidence.output.splitlines()[-_END_LINES:])):
        return Verdict("memory", "the bot ran out of memory", "bot")
    return Verdict("crash", f"the bot's process {_how(evidence.inner)}", "bot")


def judge_plain(evidence: Evidence) -> Verdict:
    """Judge a process without a sandbox, where `outer` is the bot's own status."""
    inner = evidence.outer if evidence.outer >= 0 else 128 - evidence.outer
    return judge(replace(evidence, inner=inner))


def judge_house(status: int) -> Verdict:
    """Judge a house bot's process that ended early: killed from outside, or by its own fault."""
    if status in (-signal.SIGKILL, -signal.SIGTERM):
        return Verdict("lost", f"the house bot's process {_how(128 - status)}", "host")
    inner = status if status >= 0 else 128 - status
    return Verdict("crash", f"the house bot's process {_how(inner)}", "bot")


def _how(status: int) -> str:
    if status <= 128:
        return f"exited with status {status}"
    try:
        name = signal.Signals(status - 128).name
    except ValueError:
        return f"exited with status {status}"
    if name == "SIGXCPU":
        return "used all the processor time it may"
    return f"was ended by {name}"


def _lost(evidence: Evidence) -> str:
    if evidence.outer < 0:
        return f"the sandbox {_how(128 - evidence.outer)} from outside"
    said = [line for line in evidence.output.splitlines() if line.startswith("bwrap:")]
    return f"the sandbox could not be set up: {said[-1] if said else 'it did not say why'}"
