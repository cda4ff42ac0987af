"""Fill a whole site with generated history in one call."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from allauth.account.models import EmailAddress
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import grant
from damrak_ladder.bots.house import OWNER, house_version
from damrak_ladder.bots.models import State, Version
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
from damrak_ladder.matches.models import Attempt, Block, Fault, Ladder, Match, Seat, SeatResult
from damrak_ladder.matches.standard_summaries import CLASSIC
from damrak_ladder.population import bulk, extras
from damrak_ladder.population.crowd import enter_crowd, write_crowd
from damrak_ladder.population.field import make_field
from damrak_ladder.population.films import keep_films
from damrak_ladder.population.outcomes import failing, play
from damrak_ladder.population.past import Past
from damrak_ladder.population.records import Records
from damrak_ladder.population.season import make_season
from damrak_ladder.population.sums import Sums
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Counted, Line, Meeting, Tally

MARK: Final = "made-up"
"""The account that identifies a generated database. Its password is random and not kept."""

FEWEST_BOTS: Final = 12
FEWEST_MATCHES: Final = 100
DAYS: Final = 180
_A_TIME: Final = 20_000  # blocks per batch
_ANCHORS: Final = {"planner": 1500.0, "greedy": 725.0, "random": 140.0}
_HOUSE: Final = {**_ANCHORS, "mcts:iterations=20": 1250.0}
_LADDERS: Final = (
    LadderPlan(
        slug="amsterdam",
        name="Amsterdam",
        summary=CLASSIC,
        boards=("amsterdam",),
        shares={2: 1.0},
        house=tuple(_HOUSE),
        anchors=_ANCHORS,
    ),
    LadderPlan(
        slug="mixed",
        name="Mixed tables",
        summary="Two, three and four players on the board Amsterdam.",
        boards=("amsterdam",),
        shares={2: 1.0, 3: 1.0, 4: 1.0},
        house=tuple(_HOUSE),
        anchors=_ANCHORS,
    ),
)

Tell = Callable[[str, float], None]
"""A progress callback: what is being done, and the share of the work that is complete."""


@dataclass(frozen=True, slots=True)
class Size:
    """The amount of data to generate."""

    bots: int
    matches: int
    replays: int = 300
    seed: int = 1


def is_empty() -> bool:
    """Return whether this database has no users, ladders or blocks."""
    return not (User.objects.exists() or Ladder.objects.exists() or Block.objects.exists())


def is_made_up() -> bool:
    """Return whether the data in this database was generated here."""
    return User.objects.filter(username=MARK).exists()


def erase() -> None:
    """Delete every row of every table."""
    call_command("flush", verbosity=0, interactive=False)


def populate(size: Size, now: datetime, tell: Tell) -> None:
    """Fill an empty database. The seed determines all numbers; the dates depend on `now`."""
    chance = np.random.default_rng(size.seed)
    start = now - timedelta(days=DAYS)
    seconds = DAYS * 86400.0

    def moment(share: float) -> datetime:
        return start + timedelta(seconds=float(share) * seconds)

    tell("people and bots", 0.0)
    mine = _mark(now)
    ladders = tuple(create_ladder(plan, start) for plan in _LADDERS)
    house = [house_version(spec, start) for spec in _HOUSE]
    field = make_field(chance, size.bots, dict(enumerate(_HOUSE.values())))
    with transaction.atomic():
        _hurry()
        versions = write_crowd(field, house, mine, moment, chance)
        enter_crowd(field, ladders, start, seconds)
    hosts = extras.make_hosts(now)
    tell("replays", 0.03)
    replays = keep_films(chance, size.replays, now)
    tell("who plays whom", 0.08)
    season = make_season(chance, field, size.matches)
    records = Records(
        season=season,
        ladders=ladders,
        versions=versions,
        hosts=np.array([host.pk for host in hosts]),
        replays=replays,
        start=start,
        seconds=seconds,
        chance=chance,
        first_block=bulk.next_key(Block),
        first_match=bulk.next_key(Match),
        first_seat=bulk.next_key(Seat),
        first_attempt=bulk.next_key(Attempt),
    )
    sums, fails = Sums(season), failing(chance, field)
    with bulk.loading(Block, Attempt, Match, Seat, SeatResult, Fault, Counted):
        _hurry()
        for begin in range(0, season.blocks, _A_TIME):
            end = min(begin + _A_TIME, season.blocks)
            outcomes = list(play(chance, season, field.version_elo, fails, begin, end))
            records.write(begin, end, outcomes)
            for one in outcomes:
                sums.add(one)
            tell("matches", 0.1 + 0.4 * end / season.blocks)
        tell("indexes of matches", 0.5)
    bulk.set_counters([Seat, Attempt])
    tell("tallies", 0.6)
    with bulk.loading(Tally, Meeting):
        _hurry()
        sums.write(ladders, versions)
    tell("months of ratings", 0.68)
    past = Past(season, field, versions, start, DAYS, chance)
    with bulk.loading(Line):
        _hurry()
        for place, ladder in enumerate(ladders):
            past.write(ladder, place)
    bulk.set_counters([Line])
    for place, ladder in enumerate(ladders):
        tell(f"the ratings of {ladder.name}", 0.78 + 0.08 * place)
        publish(ladder, now, force=True)
    tell("the rest", 0.94)
    _rest(mine, ladders[0], size.matches, now, chance)
    if connection.vendor == "postgresql":
        tell("statistics for the planner", 0.96)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    tell("done", 1.0)


def _rest(
    mine: User, ladder: Ladder, matches: int, now: datetime, chance: np.random.Generator
) -> None:
    live = Version.objects.filter(live_in__isnull=False, state=State.QUALIFIED)
    host = ladder.blocks.exclude(host=None).select_related("host")[0].host
    assert host is not None
    with transaction.atomic():
        extras.make_queue(ladder, list(live.order_by("pk")[:200]), host, now, matches, chance)
        owners = User.objects.exclude(username__in=(MARK, OWNER)).order_by("pk")
        extras.make_notices(mine, list(owners), matches, now)
    with transaction.atomic():
        _hurry()
        extras.make_logs(chance)
    extras.make_trials(mine, ladder, now, matches, chance)


def _mark(now: datetime) -> User:
    user = User(username=MARK, email=f"{MARK}@example.org", date_joined=now)
    user.set_password(secrets.token_urlsafe(16))
    user.save()
    grant(user, Role.STAFF)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def _hurry() -> None:
    """Skip foreign-key checks and synchronous commits in this transaction.

    Generated keys are valid by construction.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
    except DatabaseError:
        return  # only the owner of the server may do this; without it, loading takes longer
