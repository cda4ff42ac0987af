"""The database rows of a generated field: owners, bots, versions, their steps, and entries."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

import numpy as np
from django.db.models import OuterRef, Subquery

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot, Kind, Promotion, State, Step, StepKind, Version
from damrak_ladder.matches.models import Entry, Ladder
from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.population import bulk
from damrak_ladder.population.field import Field, Whole

LANGUAGES: Final = ("Python", "Python", "Python", "Rust", "Java", "Go", "JavaScript")
WORDS: Final = (
    *("canal", "gable", "herring", "tulip", "sluice", "barge", "quay", "bridge", "market", "lamp"),
    *(
        "rudder",
        "anchor",
        "ferry",
        "polder",
        "windmill",
        "heron",
        "otter",
        "pike",
        "willow",
        "rope",
    ),
)
REMOTE: Final = 0.1
FAILED: Final = 0.04
BENCHED: Final = 0.01
_FAULTS: Final = codes.TooManyFaults(9, 20, (codes.FaultCount("timeout", 9),))
_FAILURE: Final = codes.GameCrash(codes.GamePlace(1, 1, 1))
_A_TIME: Final = 2000
_STEPS: Final = (
    (StepKind.RECEIVED, codes.ArchiveReceived(123_456, "0123456789ab")),
    (StepKind.CHECKED, codes.PythonBotFound(3)),
    (StepKind.QUEUED, codes.QueuedInSandbox(("greedy",), "amsterdam")),
    (StepKind.QUALIFIED, codes.Qualified(4, 1)),
    (StepKind.LIVE, codes.Live()),
)


def slug_of(number: int) -> str:
    """Return the slug of the bot with this number, such as canal-heron-7."""
    first, second = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
    return f"{first}-{second}-{number}"


def owner_name(number: int) -> str:
    """Return the name of the author with this number."""
    return f"{WORDS[number % len(WORDS)]}{number}"


def write_crowd(
    field: Field,
    house: list[Version],
    mine: User,
    moment: Callable[[float], datetime],
    chance: np.random.Generator,
) -> Whole:
    """Write all rows of authors, bots and versions; return the key of each version of the field.

    The bot with the most versions and a few more belong to `mine`.
    """
    count = field.bots - len(house)
    owners = User.objects.bulk_create(
        (
            User(
                username=owner_name(number),
                email=f"{owner_name(number)}@example.org",
                password="!",  # noqa: S106 - nobody can log in with it
                date_joined=moment(0),
            )
            for number in range(int(field.owner.max()) + 1)
        ),
        batch_size=_A_TIME,
    )
    busiest = int(np.argmax(np.diff(field.first_version)[:count]))
    own = {busiest, *range(min(8, count))}
    begin = bulk.next_key(Bot)
    bots = [
        Bot(
            pk=begin + number,
            owner=mine if number in own else owners[field.owner[number]],
            slug=slug_of(number),
            name=slug_of(number).replace("-", " ").title(),
            created=moment(field.started[number]),
        )
        for number in range(count)
    ]
    Bot.objects.bulk_create(bots, batch_size=_A_TIME)
    keys = _versions(field, bots, moment, chance)
    known = np.concatenate([keys, [version.pk for version in house]])
    live = Version.objects.filter(bot=OuterRef("pk"), state=State.QUALIFIED).order_by("-number")
    Bot.objects.filter(pk__gte=begin).update(live=Subquery(live.values("pk")[:1]))
    _journeys(field, keys, begin, moment)
    return known


def enter_crowd(field: Field, ladders: tuple[Ladder, ...], start: datetime, seconds: float) -> None:
    """Enter every bot of an author on every ladder."""
    bots = np.array(Bot.objects.exclude(slug__startswith="house-").order_by("pk").values_list("pk"))
    entered = bulk.moments(field.started[: len(bots)] * seconds, start)
    for ladder in ladders:
        bulk.insert(
            Entry,
            len(bots),
            ladder_id=ladder.pk,
            bot_id=bots[:, 0],
            entered=entered,
            left=None,
            since=None,
            waited=0.0,
        )


def _versions(
    field: Field, bots: list[Bot], moment: Callable[[float], datetime], chance: np.random.Generator
) -> Whole:
    begin = bulk.next_key(Version)
    places = np.flatnonzero(field.version_bot < len(bots))
    last = field.first_version[1:] - 1
    is_last = np.isin(places, last) & (field.version_number[places] > 1)
    luck = chance.random(len(places))
    remote = chance.random(len(bots)) < REMOTE
    language = chance.integers(0, len(LANGUAGES), len(bots))

    def made() -> Iterator[Version]:
        for place in places.tolist():
            bot = bots[field.version_bot[place]]
            number = int(field.version_number[place])
            state = State.QUALIFIED
            if is_last[place] and luck[place] < BENCHED:
                state = State.BENCHED
            at = moment(field.version_start[place])
            yield Version(
                pk=begin + place,
                bot=bot,
                number=number,
                kind=Kind.REMOTE if remote[bot.pk - bots[0].pk] else Kind.UPLOADED,
                content=hashlib.sha256(f"{bot.slug} {number}".encode()).hexdigest(),
                language=LANGUAGES[language[bot.pk - bots[0].pk]],
                size=int(20_000 + 900_000 * luck[place]),
                note=f"Version {number}: looks further ahead",
                created=at,
                changed=at,
                state=state,
                reason=_FAULTS if state == State.BENCHED else None,
            )

    every = made()
    while some := list(islice(every, _A_TIME)):
        Version.objects.bulk_create(some)
    bulk.set_counters([Bot, Version])
    _failed(bots, moment(1.0), chance)
    return begin + places


def _failed(bots: list[Bot], now: datetime, chance: np.random.Generator) -> None:
    """Add new versions that failed before they ever played."""
    drawn = [bots[at] for at in np.flatnonzero(chance.random(len(bots)) < FAILED).tolist()]
    Version.objects.bulk_create(
        (
            Version(
                bot=bot,
                number=1000,
                kind=Kind.UPLOADED,
                content=hashlib.sha256(f"{bot.slug} failed".encode()).hexdigest(),
                language="Python",
                size=12_345,
                note="",
                created=now - timedelta(hours=5),
                changed=now - timedelta(hours=4),
                state=State.FAILED,
                reason=_FAILURE,
            )
            for bot in drawn
        ),
        batch_size=_A_TIME,
    )


def _journeys(
    field: Field, keys: Whole, first_bot: int, moment: Callable[[float], datetime]
) -> None:
    start = moment(0.0)
    seconds = (moment(1.0) - start).total_seconds()
    begun = bulk.moments(field.version_start[: len(keys)] * seconds, start)
    for minute, (kind, message) in enumerate(_STEPS):
        at = begun + np.timedelta64(60 * minute, "s")
        bulk.insert(
            Step,
            len(keys),
            version_id=keys,
            at=at,
            kind=kind.value,
            message=message.to_json(),
            detail={},
        )
    bot = first_bot + field.version_bot[: len(keys)]
    is_first = field.version_number[: len(keys)] == 1
    bulk.insert(
        Promotion,
        int(is_first.sum()),
        bot_id=bot[is_first],
        before_id=None,
        after_id=keys[is_first],
        by_id=None,
        at=begun[is_first],
    )
    bulk.insert(
        Promotion,
        int((~is_first).sum()),
        bot_id=bot[~is_first],
        before_id=keys[~is_first] - 1,
        after_id=keys[~is_first],
        by_id=None,
        at=begun[~is_first],
    )
