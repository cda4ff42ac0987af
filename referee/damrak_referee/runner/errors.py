"""What can go wrong between a referee and its runner.

RunnerError
    CannotIsolate       uploaded bots are refused here
    CannotStore         an archive could not be unpacked, and not for its own sake
    RunnerGone          the runner died; what it ran is lost

That an archive is not taken is `damrak_wire.archive.errors.ArchiveRefused`, and its author's fault.
"""

from __future__ import annotations


class RunnerError(Exception):
    """Something the runner could not do."""


class CannotIsolate(RunnerError):
    """This machine cannot keep uploaded bots apart; `missing` says what it lacks, line by line."""

    def __init__(self, missing: tuple[str, ...]) -> None:
        super().__init__("uploaded bots are refused here: " + "; ".join(missing))
        self.missing = missing


class CannotStore(RunnerError):
    """An archive is not in the store, by this machine's fault: its disk is full, say."""


class RunnerGone(RunnerError):
    """The runner's process died, or was closed, before it could answer."""
