"""Everything the SDK raises; what it says fits on one line.

DamrakError
├── BotError              a bot that cannot be had; `spec` is what the user wrote
│   ├── BotNotFound       neither a house bot nor a file
│   ├── BotSpecError      a spec that makes no sense: an unknown parameter, a bad class name
│   ├── BotFileError      a file without the class that is wanted; only running it can tell
│   └── BotStartError     a bot that fails before its first decision; has the traceback
├── BundleError           a repro bundle that cannot be read
├── HostError             this machine failed, and no bot is to blame
├── RefereeError          a referee that cannot be played on; says what to do about it
│   └── RefusalError      it is there, and will not have us: neither now nor later
├── LadderError           a ladder's site refuses, or cannot be reached; says what to do about it
└── TokenError            there is no token for a referee, or it is not kept safely
"""

from __future__ import annotations


class DamrakError(Exception):
    """Root of the tree: catch this to catch them all."""


class BotError(DamrakError):
    """There is no such bot to play with."""

    def __init__(self, spec: str, problem: str) -> None:
        super().__init__(f"bot {spec!r}: {problem}")
        self.spec = spec
        self.problem = problem


class BotNotFound(BotError):
    """The spec names neither a house bot nor a file."""


class BotSpecError(BotError):
    """The spec is malformed, or gives a house bot what it does not take."""


class BotFileError(BotError):
    """The file runs, but holds no bot, several, or not the one that was asked for."""


class BotStartError(BotError):
    """The bot fails when it is imported, made or started."""

    def __init__(
        self, spec: str, reason: str, detail: str, traceback: str, bundle: str | None
    ) -> None:
        super().__init__(spec, f"cannot start: {reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.traceback = traceback
        self.bundle = bundle  # a file for `damrak repro`


class BundleError(DamrakError):
    """A repro bundle is no such file, or of another format."""


class HostError(DamrakError):
    """Playing was impossible for a reason that lies with this machine."""


class RefereeError(DamrakError):
    """A referee cannot be played on, now or at all; `is_lasting` if waiting alone is no cure."""

    def __init__(self, problem: str, is_lasting: bool) -> None:
        super().__init__(problem)
        self.is_lasting = is_lasting


class RefusalError(RefereeError):
    """The referee itself says no, and will say so again."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, is_lasting=True)


class LadderError(DamrakError):
    """A ladder's site says no, or says nothing."""


class TokenError(DamrakError):
    """There is no token to be used, or others could have read it."""
