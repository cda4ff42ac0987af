"""Who sits where: the secret of a browser, its games and chairs, and the tale of a chair."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from damrak_ladder.matches.models import Block
from damrak_ladder.play.models import Chair, Game, Heard
from damrak_ladder.play.opponents import awaited
from damrak_ladder.play.seat_messages import is_legal, rules_at
from damrak_ladder.play.tables import key_of
from damrak_ladder.web.play.seat_view import Tale
from damrak_ladder.web.replays.sources import names_among
from damrak_ladder.web.site.tags import bot_name

COOKIE: Final = "damrak-play"
"""A random secret, kept until the browser is closed. It identifies chairs, and nobody else."""

MOST_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Sitting:
    """A game, its chairs in order, and the chair of this browser, if it has one."""

    game: Game
    chairs: tuple[Chair, ...]
    own: Chair | None

    @property
    def names(self) -> list[str]:
        """Return the names of all players."""
        return names_among([chair.version for chair in self.chairs])

    @property
    def missing(self) -> int:
        """Return how many people have still to come."""
        return sum(chair.is_person and not chair.key for chair in self.chairs)


def secret_of(request: HttpRequest) -> str:
    """Return the secret of this browser; a new one if it has none yet."""
    found = request.COOKIES.get(COOKIE, "")
    return found if 20 <= len(found) <= 64 else secrets.token_urlsafe(24)


def remember(response: HttpResponseBase, secret: str) -> None:
    """Make the browser keep its secret until it is closed."""
    response.set_cookie(
        COOKIE,
        secret,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
        path="/",
    )


def sitting_of(request: HttpRequest, code: str) -> Sitting:
    """Return the game of this code, as this browser takes part in it.

    Raises:
        Http404: there is no such game, or it has been forgotten.
    """
    game = Game.objects.select_related("block").filter(code=code).first()
    if game is None:
        raise Http404("There is no such game.")
    rows = game.chairs.order_by("number").select_related("version__bot__owner")
    chairs = tuple(rows)
    key = key_of(request.COOKIES[COOKIE]) if COOKIE in request.COOKIES else None
    own = next((chair for chair in chairs if key is not None and chair.key == key), None)
    return Sitting(game, chairs, own)


def games_of(request: HttpRequest) -> list[Game]:
    """Return the games of this browser, latest first."""
    if COOKIE not in request.COOKIES:
        return []
    own = Game.objects.filter(chairs__key=key_of(request.COOKIES[COOKIE]))
    return list(own.select_related("block").order_by("-created")[:MOST_LISTED])


def awaited_at(block: Block) -> list[str]:
    """Return the remote bots that are not connected, while a game waits for its beginning."""
    away = awaited(block, datetime.now(UTC))
    return [bot_name(one.bot.slug, one.bot.name) for one in away]


def tale_of(sitting: Sitting, chair: Chair) -> Tale:
    """Return what this chair has been told in the latest attempt."""
    tale = empty_tale(sitting, chair)
    rows = Heard.objects.filter(chair=chair, attempt=chair.attempt).order_by("number")
    for data, at in rows.values_list("data", "at"):
        tale.take(bytes(data), at)
    return tale


def allows(sitting: Sitting, chair: Chair, action: int) -> bool:
    """Return whether this action is a legal answer to the open question of a chair."""
    return is_legal(chair, action, rules_at(sitting.game, len(sitting.chairs)))


def empty_tale(sitting: Sitting, chair: Chair) -> Tale:
    """Return the tale of a game before its beginning."""
    versions = [one.version for one in sitting.chairs]
    names = sitting.names
    players = [
        (name, str(version.number), version.bot.owner.username)
        for name, version in zip(names, versions, strict=True)
    ]
    return Tale(rules_at(sitting.game, len(sitting.chairs)), chair.number, players)
