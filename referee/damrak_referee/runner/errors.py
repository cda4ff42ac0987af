"""What can go wrong between a referee and its runner.

RunnerError
    ArchiveRefused      an archive breaks a rule; whoever uploaded it is told why
    CannotIsolate       uploaded bots are refused here
    RunnerGone          the runner died; what it ran is lost
"""

from __future__ import annotations


class RunnerError(Exception):
    """Something the runner could not do."""


class ArchiveRefused(RunnerError):
    """An archive is not taken; `why` is one sentence for its author."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class CannotIsolate(RunnerError):
    """This machine cannot keep uploaded bots apart; `missing` says what it lacks, line by line."""

    def __init__(self, missing: tuple[str, ...]) -> None:
        super().__init__("uploaded bots are refused here: " + "; ".join(missing))
        self.missing = missing


class RunnerGone(RunnerError):
    """The runner's process died, or was closed, before it could answer."""
