"""A played tournament of 200 bots of a generated database, for the measurement of its pages."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Final

from django.db import transaction
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot, Kind, State
from damrak_ladder.matches.models import Block, BlockState, Seat, SeatResult
from damrak_ladder.population.population import MARK
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.desk import Request, perform
from damrak_ladder.tournaments.duties import advance
from damrak_ladder.tournaments.log.acts import Kind as ActKind
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.pairing_blocks import TournamentSource, settle_tournament

SLUG: Final = "large-cup"
ENTRANTS: Final = 200
ROUNDS: Final = 9


def large_tournament() -> Tournament:
    """Return the tournament of the generated database; it is created and played if needed."""
    found = Tournament.objects.filter(slug=SLUG).first()
    if found is not None:
        return found
    now, owner = timezone.now(), User.objects.get(username=MARK)
    with transaction.atomic():
        made = _started(owner, now)
        random = Random(1)  # noqa: S311 - made-up games
        for _ in range(ROUNDS):
            advance(made, now)
            _record(_booked(made, now), random, now)
        advance(made, now)
    return made


def _started(owner: User, now: datetime) -> Tournament:
    rules = {
        "stages": [{"format": "swiss", "rounds": ROUNDS}],
        "boards": ["amsterdam"],
        "seeding": "entry",
        "entry": {"per_owner": 1000, "most": ENTRANTS, "kinds": ["uploaded", "house"]},
    }
    made = create(owner, Plan(SLUG, "Large cup", rules), now, is_platform=True)
    perform(made, Request(ActKind.OPEN), now)
    bots = Bot.objects.filter(live__state=State.QUALIFIED).exclude(live__kind=Kind.REMOTE)
    for slug in bots.order_by("pk").values_list("slug", flat=True)[:ENTRANTS]:
        perform(made, Request(ActKind.ENTER, {"slug": slug}), now)
    perform(made, Request(ActKind.CLOSE), now)
    perform(made, Request(ActKind.START), now)
    return made


def _booked(made: Tournament, now: datetime) -> list[Block]:
    source = TournamentSource(made, (), now, secrets.token_bytes)
    found = []
    while (block := source.book_next()) is not None:
        found.append(block)
    return found


def _record(blocks: Sequence[Block], random: Random, now: datetime) -> None:
    """Record random results."""
    for block in blocks:
        seats: dict[int, list[Seat]] = {}
        for seat in Seat.objects.filter(match__block=block).order_by("match", "number"):
            seats.setdefault(seat.match_id, []).append(seat)
        results = []
        for row in seats.values():
            places = random.sample(range(1, len(row) + 1), len(row))
            results += [
                SeatResult(seat=seat, attempt=1, turn=turn, place=place, points=0, fault="")
                for turn, (seat, place) in enumerate(zip(row, places, strict=True))
            ]
        SeatResult.objects.bulk_create(results)
        Block.objects.filter(pk=block.pk).update(
            state=BlockState.RECORDED, attempt=1, finished=now, settled=now
        )
        block.refresh_from_db()
        settle_tournament(block, now)
