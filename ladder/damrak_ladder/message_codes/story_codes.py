"""Messages about notable games and runs: the stories of a day, and games in progress."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Message


class Upset(Message, code="story-upset"):
    """A bot won against the odds; the chance was 1 in `odds`."""

    bot: str
    ladder: str
    odds: int


class Comeback(Message, code="story-comeback"):
    """A bot won after its chance had been low; the chance was 1 in `odds`."""

    bot: str
    ladder: str
    odds: int


class PointsRecord(Message, code="story-record"):
    """A bot won with more points than any winner before on the ladder."""

    bot: str
    ladder: str
    points: int


class OnePoint(Message, code="story-one-point"):
    """A game was decided by one point."""

    bot: str
    ladder: str


class ContractMonster(Message, code="story-contracts"):
    """The winner fulfilled very many contracts."""

    bot: str
    ladder: str
    contracts: int


class WinStreak(Message, code="story-streak"):
    """A version won many games in a row."""

    bot: str
    ladder: str
    games: int


class FirstWin(Message, code="story-first-win"):
    """A version won its first game on a ladder."""

    bot: str
    ladder: str


class FeaturedFollowed(Message, code="featured-followed"):
    """A game in progress has a bot that the viewer follows."""


class FeaturedFinal(Message, code="featured-final"):
    """A game in progress is the final of a tournament."""


class FeaturedTournament(Message, code="featured-tournament"):
    """A game in progress belongs to a tournament."""


class FeaturedTitle(Message, code="featured-title"):
    """The first and the second of a ladder play each other."""


class FeaturedClose(Message, code="featured-close"):
    """The ratings of the players of a game in progress are close."""
