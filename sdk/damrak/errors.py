"""The exceptions of the SDK; every message fits on one line.

DamrakError
├── BotError              a bot that cannot be used; `spec` is what the user wrote
│   ├── BotNotFound       neither a house bot nor a file
│   ├── BotSpecError      an invalid spec: an unknown parameter, a bad class name
│   ├── BotFileError      a file without the wanted class, which only running it can show
│   └── BotStartError     a bot that fails before its first decision; has the traceback
├── BundleError           a repro bundle that cannot be read
├── HostError             this machine failed; no bot is at fault
├── RefereeError          a referee that cannot be used; the message names the remedy
│   └── RefusalError      the referee is running, but rejects us permanently
├── LadderError           a ladder's site refuses or is unreachable; the message names the remedy
└── TokenError            a token for a referee is missing, or is not stored safely
"""

from __future__ import annotations


class DamrakError(Exception):
    """Base class of all exceptions of the SDK."""


class BotError(DamrakError):
    """The bot that a spec names cannot be used."""

    def __init__(self, spec: str, problem: str) -> None:
        super().__init__(f"bot {spec!r}: {problem}")
        self.spec = spec
        self.problem = problem


class BotNotFound(BotError):
    """The spec names neither a house bot nor a file."""


class BotSpecError(BotError):
    """The spec is malformed, or has parameters that the house bot does not accept."""


class BotFileError(BotError):
    """The file runs, but contains no bot, several bots, or not the requested one."""


class BotStartError(BotError):
    """The bot fails when it is imported, created or started."""

    def __init__(
        self, spec: str, reason: str, detail: str, traceback: str, bundle: str | None
    ) -> None:
        super().__init__(spec, f"cannot start: {reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.traceback = traceback
        self.bundle = bundle  # path of a file for `damrak repro`


class BundleError(DamrakError):
    """A file is not a repro bundle, or has another format."""


class HostError(DamrakError):
    """A game could not be played because of a problem on this machine."""


class RefereeError(DamrakError):
    """A referee cannot be used; `is_lasting` means that waiting will not help."""

    def __init__(self, problem: str, is_lasting: bool) -> None:
        super().__init__(problem)
        self.is_lasting = is_lasting


class RefusalError(RefereeError):
    """The referee permanently rejects the request."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, is_lasting=True)


class LadderError(DamrakError):
    """A ladder's site rejects a request or does not respond."""


class TokenError(DamrakError):
    """A token is missing or unusable, or other users could have read it."""
