"""Errors between a referee and its runner.

RunnerError
    CannotIsolate       uploaded bots are refused on this machine
    CannotStore         an archive could not be unpacked, through no fault of the archive
    RunnerGone          the runner exited; its processes are lost

An archive that is refused is `damrak_archive.errors.ArchiveRefused`, and its author's fault.
"""

from __future__ import annotations


class RunnerError(Exception):
    """The runner could not carry out a request."""


class CannotIsolate(RunnerError):
    """This machine cannot isolate uploaded bots; `missing` lists the reasons."""

    def __init__(self, missing: tuple[str, ...]) -> None:
        super().__init__("uploaded bots are refused here: " + "; ".join(missing))
        self.missing = missing


class CannotStore(RunnerError):
    """An archive could not be stored, through the fault of this machine, such as a full disk."""


class RunnerGone(RunnerError):
    """The runner process exited or was closed before it could answer."""
