"""What the relay reads from and writes to the database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from damrak_ladder.bots.models import Version
from damrak_ladder.matches import attempts
from damrak_ladder.matches.models import Block, BlockState, Purpose
from damrak_ladder.message_codes.block_codes import BotNotConnected
from damrak_ladder.pipeline.queue.capacity import places, present
from damrak_ladder.pipeline.queue.waiting_blocks import remotes_of
from damrak_ladder.play.models import Chair, Game, Heard
from damrak_wire.orders import Ticket

MESSAGES_KEPT: Final = timedelta(hours=1)
"""How long the messages of a game are kept after its end, for a page that is reloaded."""

GAMES_KEPT: Final = timedelta(days=7)
"""How long the address of a game leads to its replay."""

CONSIDERED: Final = 200
"""The number of waiting games that the relay considers at once."""

AWAY_S: Final = 120
"""How long a game waits for a remote bot that is not connected, in seconds."""

EMPTY_KEPT: Final = timedelta(days=1)
"""How long a table waits for people."""


@dataclass(frozen=True, slots=True)
class Held:
    """A person's seat that has to be held."""

    chair: int
    block: int
    attempt: int
    ticket: str
    heard: int
    script: dict[str, int] = field(default_factory=dict)  # answers to repeat, by decision
    backs: dict[str, int] = field(default_factory=dict)  # number of take-backs, by decision


@dataclass(frozen=True, slots=True)
class Letter:
    """A message of the referee to a seat, and what it changes."""

    held: Held
    number: int
    data: bytes
    at: datetime
    ticket: str | None = None  # for the next connection
    asks: int | None = None  # the decision that it asks for
    repeated: int | None = None  # the answer that is repeated after a take-back
    is_refusal: bool = False  # the last answer was refused
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to pass on, or the wish to leave or to take the last one back."""

    chair: int
    attempt: int
    decision: int
    action: int
    has_left: bool
    takes_back: bool


def due(now: datetime, most: int) -> list[tuple[int, int]]:
    """Return games that can begin here, longest waiting first, each with its latest attempt.

    Games against remote bots begin where these are connected.
    """
    rows = [(block.pk, block.attempt) for block in _waiting(now)[:CONSIDERED]]
    remotes = remotes_of([pk for pk, _attempt in rows])
    if remotes:
        here = [place.lobby for place in places(now) if place.host.name == settings.DAMRAK_HOST]
        lobby = frozenset().union(*here)
        rows = [row for row in rows if remotes.get(row[0], frozenset()) <= lobby]
    return rows[:most]


def _waiting(now: datetime) -> QuerySet[Block, Block]:
    waiting = Block.objects.filter(
        purpose=Purpose.PLAY, state=BlockState.WAITING, due__lte=now, people_game__isnull=False
    )
    return waiting.order_by("due", "pk")


def call_off(now: datetime) -> int:
    """End the games whose remote bots have not been connected for a while; return their number."""
    late = list(_waiting(now - timedelta(seconds=AWAY_S))[:CONSIDERED])
    remotes = remotes_of([block.pk for block in late])
    if not remotes:
        return 0
    there = present(places(now))
    ended = 0
    for block in late:
        away = remotes.get(block.pk, frozenset()) - there
        if away:
            slug = Version.objects.values_list("bot__slug", flat=True).get(pk=min(away))
            ended += attempts.drop(block.pk, block.attempt, BotNotConnected(slug), now)
    return ended


def orphans(owner: str) -> list[Block]:
    """Return the running games of earlier relays of this machine, which have this owner's name."""
    running = Block.objects.filter(purpose=Purpose.PLAY, state=BlockState.RUNNING)
    return list(running.filter(lease_owner__startswith=f"{owner}:"))


def take_over(block: Block, owner: str) -> bool:
    """Make this owner that of a running attempt; return False if it has ended."""
    running = Block.objects.filter(pk=block.pk, state=BlockState.RUNNING, attempt=block.attempt)
    return bool(running.update(lease_owner=owner))


def keep_tickets(block_id: int, attempt: int, tickets: Sequence[Ticket]) -> None:
    """Store the tickets of a new attempt; what the seats heard in earlier ones is void.

    If the new attempt has the same cards, the seats repeat their answers, so that it leads to the
    same position.
    """
    chairs = {chair.number: chair for chair in Chair.objects.filter(game__block=block_id)}
    has_same_cards = Block.objects.filter(pk=block_id, is_mirrored=True).exists()
    with transaction.atomic():
        for ticket in tickets:
            chair = chairs[ticket.seat]
            Chair.objects.filter(pk=chair.pk).update(
                attempt=attempt,
                ticket=ticket.ticket,
                heard=0,
                asked=None,
                question=None,
                choice=None,
                wish="",
                advice=None,
                takes_back=False,
                script=script_of(chair) if has_same_cards else {},
            )


def has_tickets(block_id: int, attempt: int) -> bool:
    """Return whether the tickets of this attempt have been stored."""
    chairs = Chair.objects.filter(game__block=block_id, is_person=True)
    return chairs.exclude(ticket="").filter(attempt=attempt).exists()


def seats_to_hold(blocks: Collection[int]) -> list[Held]:
    """Return the seats of people in these blocks, as far as their tickets are known."""
    chairs = Chair.objects.filter(
        game__block__in=list(blocks), is_person=True, has_left=False
    ).exclude(ticket="")
    rows = chairs.values_list("pk", "game__block", "attempt", "ticket", "heard", "script", "backs")
    return [Held(*row) for row in rows]


def keep(letters: Iterable[Letter]) -> None:
    """Store messages together with their effects; they are stored completely or not at all."""
    with transaction.atomic():
        letters = tuple(letters)
        Heard.objects.bulk_create(
            Heard(
                chair_id=letter.held.chair,
                attempt=letter.held.attempt,
                number=letter.number,
                data=letter.data,
                at=letter.at,
                asks=letter.asks,
                answer=letter.repeated,
            )
            for letter in letters
        )
        for letter in letters:
            _apply(letter)


def _apply(letter: Letter) -> None:
    chair = Chair.objects.filter(pk=letter.held.chair, attempt=letter.held.attempt)
    changes: dict[str, int | str | None] = {"heard": letter.number + 1}
    none: dict[str, int | str | None] = {"choice": None, "wish": "", "advice": None}
    if letter.ticket is not None:
        changes["ticket"] = letter.ticket
    if letter.is_end:
        changes |= {"asked": None, "question": None, "ticket": "", **none}
    if letter.is_refusal:
        changes["choice"] = None
    if letter.asks is not None and letter.repeated is None:
        changes |= {"asked": letter.asks, "question": letter.number}
        chair.exclude(asked=letter.asks).update(**none)
    chair.update(**changes)


def answers(chairs: Collection[int]) -> list[Answer]:
    """Return the answers that these people have given to their open questions."""
    found = Chair.objects.filter(pk__in=list(chairs))
    rows = found.values_list("pk", "attempt", "asked", "choice", "has_left", "takes_back")
    return [
        Answer(chair, attempt, asked or 0, choice or 0, has_left, takes_back)
        for chair, attempt, asked, choice, has_left, takes_back in rows
        if has_left or takes_back or (asked is not None and choice is not None)
    ]


def script_of(chair: Chair) -> dict[str, int]:
    """Return all answers of this chair so far, by decision, those of earlier attempts included."""
    rows = Heard.objects.filter(chair=chair, attempt=chair.attempt)
    answered = rows.exclude(asks=None).exclude(answer=None).values_list("asks", "answer")
    script: dict[str, int] = {
        **chair.script,
        **{str(asks): act for asks, act in answered if act is not None},
    }
    if chair.choice is None:
        script.pop(str(chair.asked), None)  # the referee has refused it
    return script


def tidy(now: datetime) -> int:
    """Forget what is no longer needed; return the number of games that ended.

    The keyed hash of the address goes with the end of the game, the messages an hour later, and
    the game with its chairs a week later. The recorded match stays.
    """
    call_off(now)
    done = Game.objects.filter(over=None, block__state__in=(BlockState.RECORDED, BlockState.DEAD))
    ended = done.update(over=now, source="")
    abandoned = Game.objects.filter(over=None, block=None, created__lt=now - EMPTY_KEPT)
    abandoned.delete()
    Heard.objects.filter(chair__game__over__lt=now - MESSAGES_KEPT).delete()
    Game.objects.filter(over__lt=now - GAMES_KEPT).delete()
    return ended


def this_host() -> str:
    """Return the name of the owner of leases of this machine's relays, without the process."""
    return f"relay@{settings.DAMRAK_HOST}"
