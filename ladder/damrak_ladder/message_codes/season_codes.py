"""Messages about the seasons of leagues."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Key, Message


class ResultsNotPublic(Message, code="results-not-public"):
    """The results of a season are not final and public."""

    season: str


class ReleaseAndFinalise(Message, code="release-and-finalise"):
    """What to do before the next season."""


class NotASeason(Message, code="not-a-season"):
    """The tournament is not a season of a league."""

    tournament: str


class LaterSeason(Message, code="later-season"):
    """The league has a later season."""


class BeginFromLatest(Message, code="begin-from-latest"):
    """From which season the next one begins."""


class SeasonNumberTaken(Message, code="season-number-taken"):
    """Another season has the number of the cancelled one."""

    number: Key


class OrganisersOfSeason(Message, code="organisers-of-season"):
    """The user does not run the last season."""
