"""A site with content on every page: two ladders, various bots, faults, a dead block."""

from __future__ import annotations

import hashlib
import random
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from django.contrib.auth.hashers import make_password
from django.db import connection
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.bots.house import house_version
from damrak_ladder.bots.journey import note
from damrak_ladder.bots.lifecycle import advance, bench, promote
from damrak_ladder.bots.models import Bot, Kind, State, StepKind, Version
from damrak_ladder.bots.submission import Submission, create_bot, register
from damrak_ladder.matches.attempts import Patience, Trouble, give_up, start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.entries import enter
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
from damrak_ladder.matches.models import (
    Attempt,
    Blame,
    Block,
    Host,
    HostState,
    Ladder,
    Purpose,
    Seat,
    SeatLog,
)
from damrak_ladder.matches.record import MatchOutcome, Report, SeatOutcome, record
from damrak_ladder.message_codes.block_codes import HostComparison, HostSlow, ReportedVoid
from damrak_ladder.message_codes.journey_codes import (
    ArchiveReceived,
    FaultCount,
    GameCrash,
    GamePlace,
    NotQualified,
    Qualified,
    QueuedInSandbox,
    TooManyFaults,
)
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind as NoticeKind
from damrak_ladder.replays.storage import keep
from damrak_ladder.replays.stores import replay_store
from damrak_ladder.standings.counts.updates import absorb
from damrak_ladder.standings.fit.publication import publish
from ladder.games import replay_bytes
from ladder.passwords import PASSWORD
from ladder.snapshots import Snapshot, added_since, row_counts
from runtimes import RUNTIME

FAULTY = TooManyFaults(9, 20, (FaultCount("crash", 9),))
PATIENCE = Patience(lease=timedelta(hours=1), tries=1)

AUTHORS = ("ada", "bo", "cleo", "dov")
LONGEST = "sluicegatekeepersofthewaterwaysofholland"  # one word of the maximum length of a name
STRENGTHS = {
    "canal-rat": 420,
    "tulip": 330,
    "gable": 300,
    "herring": 180,
    LONGEST: 60,
    "barge": -90,
    "house-random": -300,
    "house-greedy": 0,
    "house-planner": 350,
}

UPLOADED = [slug for slug in STRENGTHS if not slug.startswith("house-")]


_BEGAN: Final = timezone.now()
_snapshots: dict[tuple[Any, ...], Snapshot] = {}


def fill(now: datetime, blocks: int = 48, replays: int = 1) -> None:
    """Fill empty tables with this number of blocks, the last few of which have real replays.

    A process does this once for the same arguments, and copies the rows from then on.
    """
    before = row_counts()
    where = connection.vendor, replay_store(), tuple(before.items())
    key = (*where, now, blocks, replays)
    if key not in _snapshots:
        _create(now, blocks, replays)
        if snapshot := added_since(before):
            _snapshots[key] = snapshot
    else:
        _snapshots[key].restore()


def fill_recently(blocks: int = 48, replays: int = 1) -> datetime:
    """Fill empty tables as if the tests had begun now, and return that time."""
    fill(_BEGAN, blocks, replays)
    Host.objects.filter(last_seen=_BEGAN).update(last_seen=timezone.now())
    return _BEGAN


def _create(now: datetime, blocks: int, replays: int) -> None:
    people = {name: _person(name) for name in AUTHORS}
    staff = _person("sam")
    grant(staff, Role.STAFF)
    begun = now - timedelta(days=12)
    hosts = _hosts(now)
    amsterdam = create_ladder(
        LadderPlan(
            slug="amsterdam",
            name="Amsterdam",
            summary="Two players on the board of the old city.",
            boards=("practice",),
            shares={2: 1.0},
            house=("random", "greedy", "planner"),
            anchors={"greedy": 1200.0, "random": 1100.0},
        ),
        begun,
    )
    mixed = create_ladder(
        LadderPlan(
            slug="new-boards",
            name="New boards",
            summary="Two to four players on boards that are new to every bot.",
            boards=("practice",),
            shares={2: 1.0, 3: 1.0, 4: 1.0},
            house=("greedy",),
            anchors={"greedy": 1200.0},
        ),
        begun,
    )
    versions = _bots(people, begun)
    for ladder in (amsterdam, mixed):
        for version in versions:
            enter(ladder, version.bot, begun)
    for spec in ("random", "greedy", "planner"):
        versions.append(house_version(spec, begun))
    play(now, blocks, replays)
    _odd_ends(amsterdam, versions, people, hosts, now)


def play(now: datetime, blocks: int, replays: int = 0) -> None:
    """Let live versions play further blocks, spread over the last days."""
    ladders = list(Ladder.objects.order_by("slug"))
    live = Version.objects.filter(live_in__isnull=False)
    versions = list(live.select_related("bot").order_by("bot__slug"))
    host = Host.objects.get(name="quay-1")
    chance = random.Random(blocks)
    span = timedelta(days=12)
    for number in range(blocks):
        at = now - span + span * (number + 1) / (blocks + 1)
        ladder = ladders[number % 3 == 0]
        seats = 2 if ladder.slug == "amsterdam" else 2 + number // 3 % 3
        drawn = chance.sample(versions, seats)
        _play(ladder, drawn, host, at, chance, with_replays=number >= blocks - replays)
        if number % 6 == 5 or number == blocks - 1:
            for one in ladders:
                publish(one, at, force=True)


def _person(name: str) -> User:
    user = User.objects.create(
        username=name, email=f"{name}@example.org", password=_hashed_password()
    )
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    return user


@cache
def _hashed_password() -> str:
    return make_password(PASSWORD)  # hashing is slow by design


def _hosts(now: datetime) -> list[Host]:
    common = {"first_seen": now - timedelta(days=30), "isolation": "bwrap", "software": "0.1.0"}
    return [
        Host.objects.create(
            name="quay-1",
            capacity=8,
            running=4,
            last_seen=now,
            runtime=RUNTIME.to_json(),
            **common,
        ),
        Host.objects.create(
            name="quay-2",
            state=HostState.QUARANTINED,
            reason=HostSlow(3.0, HostComparison(40, 200, 1e-7)),
            last_seen=now - timedelta(hours=2),
            **common,
        ),
    ]


def _bots(people: dict[str, User], at: datetime) -> list[Version]:
    live = []
    for number, slug in enumerate(UPLOADED):
        owner = people[AUTHORS[number % len(AUTHORS)]]
        kind = Kind.REMOTE if slug == "tulip" else Kind.UPLOADED
        bot = create_bot(owner, slug, slug, at)
        version = _qualified(bot, kind, at)
        promote(bot.pk, None, version.pk, at)
        live.append(version)
    return live


def _qualified(bot: Bot, kind: Kind, at: datetime) -> Version:
    count = bot.versions.count() + 1
    submission = Submission(
        kind, spec=f"{bot.slug} {count}", language="Python", note=f"Version {count} of {bot.slug}"
    )
    version = register(bot, submission, at)
    note(version, StepKind.RECEIVED, ArchiveReceived(1024, "0123456789ab"), at)
    advance(version.pk, State.CHECKING, State.QUALIFYING, at)
    note(version, StepKind.QUEUED, QueuedInSandbox(("greedy",), "amsterdam"), at)
    advance(version.pk, State.QUALIFYING, State.QUALIFIED, at)
    note(version, StepKind.QUALIFIED, Qualified(2, 1), at)
    version.refresh_from_db()
    return version


def _play(
    ladder: Ladder,
    versions: list[Version],
    host: Host,
    at: datetime,
    chance: random.Random,
    *,
    with_replays: bool,
) -> Block:
    table = Table(
        tuple(versions), "practice", Purpose.LADDER, f"ladder:{ladder.slug}", ladder=ladder
    )
    block = book(table, chance.randbytes(32), at)
    assert start(block.pk, 0, host.name, at, PATIENCE)
    Block.objects.filter(pk=block.pk).update(host=host)
    Attempt.objects.filter(block=block).update(host=host)
    outcomes = []
    matches = block.matches.order_by("number").prefetch_related("seats__version__bot")
    for match in matches:
        seats = sorted(match.seats.all(), key=lambda seat: seat.number)
        if with_replays:
            count, cards = len(seats), block.pk  # equal in all matches of the block
            data = replay_bytes(str(match.pk), str(block.pk), count, cards, play=match.number)
            outcomes.append(keep(data))
            continue
        points = [
            round(STRENGTHS[seat.version.bot.slug] / 10 + chance.gauss(60, 9)) for seat in seats
        ]
        ranked = sorted(points, reverse=True)
        outcomes.append(
            MatchOutcome(
                replay=hashlib.sha256(f"{match.pk}".encode()).hexdigest(),
                seats=tuple(
                    SeatOutcome(turn=turn, place=ranked.index(score) + 1, points=score)
                    for turn, score in enumerate(points)
                ),
            )
        )
    faults = ()
    if chance.random() < 0.2:
        faults = (Trouble(Blame.BOT, "timeout", "thought 2.1 s of 2 s", match=0, seat=0),)
    record(Report(block.pk, 1, tuple(outcomes), faults), at)
    SeatLog.objects.bulk_create(
        SeatLog(
            seat=seat,
            attempt=1,
            name="canal-rat 1.0",
            output="ready\nI like quays\n",
            cpu_us=1_234_567,
            memory_bytes=24_000_000,
            ready_us=41_000,
        )
        for seat in Seat.objects.filter(match__block=block)
    )
    block.refresh_from_db()
    absorb(block)
    return block


def _odd_ends(
    ladder: Ladder,
    versions: list[Version],
    people: dict[str, User],
    hosts: list[Host],
    now: datetime,
) -> None:
    """Add unusual states: waiting, running and dead blocks, and other versions."""
    flow = f"ladder:{ladder.slug}"
    table = Table(tuple(versions[:2]), "practice", Purpose.LADDER, flow, ladder=ladder)
    book(table, bytes(32), now)
    running = book(table, bytes(32), now - timedelta(minutes=1))
    assert start(running.pk, 0, "quay-1", now - timedelta(minutes=1), PATIENCE)
    Block.objects.filter(pk=running.pk).update(host=hosts[0])
    dead = book(table, bytes(32), now - timedelta(hours=3))
    assert start(dead.pk, 0, "quay-1", now - timedelta(hours=3), PATIENCE)
    give_up(
        dead.pk, 1, ReportedVoid("the referee went away"), (), now - timedelta(hours=2), PATIENCE
    )
    rat = Bot.objects.get(slug="canal-rat")
    _qualified(rat, Kind.UPLOADED, now - timedelta(days=1))
    crash = GameCrash(GamePlace(1, 1, 1))
    failed = register(rat, Submission(Kind.UPLOADED, spec="broken"), now - timedelta(hours=5))
    advance(failed.pk, State.CHECKING, State.FAILED, now, crash)
    note(failed, StepKind.FAILED, NotQualified(crash), now)
    waiting = register(rat, Submission(Kind.UPLOADED, spec="newest"), now)
    note(waiting, StepKind.RECEIVED, ArchiveReceived(2048, "0123456789ab"), now)
    advance(waiting.pk, State.CHECKING, State.QUALIFYING, now)
    note(waiting, StepKind.QUEUED, QueuedInSandbox(("greedy",), "amsterdam"), now)
    barge = Bot.objects.get(slug="barge")
    assert barge.live_id is not None
    bench(barge.live_id, FAULTY, {"faults": 9}, now)
    tell(
        people["ada"],
        NoticeKind.FAILED,
        f"failed:{failed.pk}",
        "canal-rat v3 has failed to qualify",
        "It ended before it said hello.",
        f"/bots/canal-rat/{failed.number}/",
        now,
    )
