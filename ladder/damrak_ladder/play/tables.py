"""Tables of people: creation, joining, and the start when every person has come."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction

from damrak_ladder.accounts.budgets import network
from damrak_ladder.bots.house import guest_version
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.booking import SEED_BYTES, Table, book
from damrak_ladder.matches.flows import PEOPLE
from damrak_ladder.matches.models import Purpose
from damrak_ladder.play.errors import BadChoice, TableFull, TooManyGames
from damrak_ladder.play.models import Chair, Game
from damrak_ladder.play.paces import PACES

SEATS: Final = range(2, 5)
_CODE_BYTES: Final = 9


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants to play: the bots at the table, and the number of people."""

    bots: tuple[Version, ...]
    people: int
    board: str
    pace: str


def create(wish: Wish, key: str, address: str, now: datetime) -> Game:
    """Create a table whose first person has this key; it starts at once if nobody else is to come.

    Raises:
        BadChoice: the number of seats or the pace does not exist.
        TooManyGames: this address has too many unfinished games.
    """
    if wish.pace not in PACES or wish.people < 1 or len(wish.bots) + wish.people not in SEATS:
        raise BadChoice
    source = source_of(address)
    with transaction.atomic():
        unfinished = Game.objects.filter(source=source, over=None).count()
        if unfinished >= settings.DAMRAK_PEOPLE_GAMES_PER_ADDRESS:
            raise TooManyGames
        game = Game.objects.create(
            code=secrets.token_urlsafe(_CODE_BYTES),
            board=wish.board,
            pace=wish.pace,
            source=source,
            created=now,
        )
        people = [guest_version(number + 1, now) for number in range(wish.people)]
        Chair.objects.bulk_create(_chairs(game, people, wish.bots))
        join(game, key, now)
    return game


def _chairs(game: Game, people: Sequence[Version], bots: Sequence[Version]) -> list[Chair]:
    sitting = [(version, True) for version in people] + [(version, False) for version in bots]
    secrets.SystemRandom().shuffle(sitting)
    return [
        Chair(game=game, number=number, version=version, is_person=is_person)
        for number, (version, is_person) in enumerate(sitting)
    ]


def join(game: Game, key: str, now: datetime) -> Chair:
    """Return the chair of the browser with this key, which takes a free one if it has none.

    The game starts when the last one is taken.

    Raises:
        TableFull: every chair for a person is taken.
    """
    with transaction.atomic():
        game = Game.objects.select_for_update(no_key=True).get(pk=game.pk)  # one at a time
        people = list(game.chairs.filter(is_person=True).order_by("version__bot__slug"))
        own = next((chair for chair in people if chair.key == key), None)
        if own is not None:
            return own
        free = [chair for chair in people if not chair.key]
        if not free or game.over is not None:
            raise TableFull
        Chair.objects.filter(pk=free[0].pk).update(key=key)
        free[0].key = key
        if len(free) == 1:
            _start(game, now)
    return free[0]


def _start(game: Game, now: datetime) -> None:
    """Book the block. Its seed is its own, so its cards are in no other game.

    One person against house bots keeps the cards in every attempt, so that the game goes on after a
    take-back. With others at the table, those who have seen cards would have an advantage.
    """
    chairs = game.chairs.order_by("number").select_related("version__bot__owner")
    is_alone = sum(chair.is_person for chair in chairs) == 1
    others = [chair.version.kind for chair in chairs if not chair.is_person]
    table = Table(
        versions=tuple(chair.version for chair in chairs),
        board=game.board,
        purpose=Purpose.PLAY,
        flow=PEOPLE,
        games=1,
        control=PACES[game.pace],
        keeps_cards=is_alone and set(others) <= {Kind.HOUSE},
    )
    block = book(table, secrets.token_bytes(SEED_BYTES), now)
    Game.objects.filter(pk=game.pk).update(block=block)


def source_of(address: str) -> str:
    """Return a keyed hash of the network of this address, which cannot be turned back."""
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"play {network(address)}".encode(), hashlib.sha256).hexdigest()


def key_of(secret: str) -> str:
    """Return the key of the browser with this secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def key_of_user(user_id: int) -> str:
    """Return the key of a user's programs. No secret of a browser leads to it."""
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"play user {user_id}".encode(), hashlib.sha256).hexdigest()
