"""Exceptions of tournaments.

TournamentError
├── BadTournament     a field is not valid
├── KeyReused         the idempotency key belongs to another request
├── NotAllowed        the user may not do this
├── NotEntered        the bot does not meet the conditions of entry
├── Pinned            the bot plays in a tournament with a fixed version
├── Refused           the act is not possible now
└── Stale             the tournament has changed since the serial that the act was based on
    └── StaleLeague   the league has changed since the serial that the change was based on
"""

from __future__ import annotations

from damrak_ladder.message_codes.act_codes import StaleLeagueSerial, StaleSerial
from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.ladder_codes import FieldProblem
from damrak_ladder.message_codes.message import Message


class TournamentError(MessageError):
    """Base class of these exceptions."""


class BadTournament(TournamentError):
    """A field is not valid."""

    def __init__(self, field: str, problem: Message) -> None:
        super().__init__(FieldProblem(field, problem))
        self.field = field
        self.problem = problem


class KeyReused(TournamentError):
    """The idempotency key belongs to another request."""


class NotAllowed(TournamentError):
    """The user may not do this."""


class NotEntered(TournamentError):
    """The bot does not meet the conditions of entry."""


class Pinned(TournamentError):
    """The bot plays in a tournament with a fixed version."""


class Refused(TournamentError):
    """The act is not possible now; `cure` describes what to do instead."""

    def __init__(self, message: Message, cure: Message | None = None) -> None:
        super().__init__(message)
        self.cure = cure


class Stale(TournamentError):
    """The tournament has changed since the serial that the act was based on."""

    def __init__(self, given: int, serial: int) -> None:
        super().__init__(self._message(given, serial))
        self.serial = serial

    @staticmethod
    def _message(given: int, serial: int) -> Message:
        return StaleSerial(serial, given)


class StaleLeague(Stale):
    """The league has changed since the serial that the change was based on."""

    @staticmethod
    def _message(given: int, serial: int) -> Message:
        return StaleLeagueSerial(serial, given)
