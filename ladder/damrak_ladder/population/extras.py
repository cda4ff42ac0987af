"""Other data of a site: a queue, dead blocks, notices, logs, tests and canaries."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import numpy as np

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.attempts import Patience, give_up, start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.flows import ladder_flow
from damrak_ladder.matches.models import (
    Attempt,
    Block,
    Host,
    HostState,
    Ladder,
    Match,
    MatchTimings,
    Purpose,
    SeatLog,
)
from damrak_ladder.matches.timings import Timings, pack
from damrak_ladder.message_codes.block_codes import HostComparison, HostSlow, WorkerSilent
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.models import Notice
from damrak_ladder.population import bulk
from damrak_ladder.trials.models import Canary, Trial, TrialBlock, TrialState

WAITING: Final = 240
RUNNING: Final = 12
DEAD: Final = 60
NOTICES: Final = 400
TRIALS: Final = 20
TRIAL_BLOCKS: Final = 300
LOGGED: Final = 20_000
FULL: Final = 5000
"""The number of matches from which on the above counts apply; fewer matches scale them down."""

_PATIENCE: Final = Patience(lease=timedelta(hours=12), tries=1)


def share_of(number: int, matches: int) -> int:
    """Scale a count down to a history of this many matches; at least 2."""
    return max(2, round(number * min(1.0, matches / FULL)))


def make_hosts(now: datetime) -> list[Host]:
    """Create hosts that play, and one in quarantine."""
    common = {"first_seen": now - timedelta(days=180), "isolation": "bwrap", "software": "0.1.0"}
    hosts = [
        Host.objects.create(
            name=f"quay-{number}", capacity=32, workers=8, running=4, last_seen=now, **common
        )
        for number in range(1, 6)
    ]
    Host.objects.create(
        name="quay-6",
        state=HostState.QUARANTINED,
        reason=HostSlow(3.0, HostComparison(40, 200, 1e-7)),
        last_seen=now - timedelta(hours=2),
        **common,
    )
    return hosts


def make_queue(
    ladder: Ladder,
    versions: list[Version],
    host: Host,
    now: datetime,
    matches: int,
    chance: np.random.Generator,
) -> None:
    """Create blocks that are waiting, running or given up."""
    waiting, running, dead = (share_of(number, matches) for number in (WAITING, RUNNING, DEAD))
    for number in range(waiting + running + dead):
        pair = [versions[at] for at in chance.choice(len(versions), 2, replace=False)]
        table = Table(tuple(pair), "amsterdam", Purpose.LADDER, ladder_flow(ladder), ladder=ladder)
        at = now - timedelta(minutes=5)
        block = book(table, chance.bytes(32), at)
        if number < waiting:
            continue
        start(block.pk, 0, host.name, at, _PATIENCE)
        Block.objects.filter(pk=block.pk).update(host=host)
        Attempt.objects.filter(block=block).update(host=host)
        if number >= waiting + running:
            give_up(block.pk, 1, WorkerSilent(), (), now, _PATIENCE)


def make_notices(user: User, owners: list[User], matches: int, now: datetime) -> None:
    """Create many notices for one user and a few for the others."""
    Notice.objects.bulk_create(
        (
            Notice(
                user=who,
                kind=Kind.RANK_CHANGE.value,
                key=f"rank:{number}",
                subject=f"canal-heron-{number} has another rank",
                text="It was the 70th, and is the 55th now.",
                link="/ladders/amsterdam/",
                is_on_site=True,
                created=now - timedelta(hours=number),
            )
            for who, count in [
                (user, share_of(NOTICES, matches)),
                *((owner, 3) for owner in owners),
            ]
            for number in range(count)
        ),
        batch_size=2000,
    )


def make_logs(chance: np.random.Generator) -> None:
    """Create output and timings of the bots in the latest matches."""
    latest = Match.objects.exclude(replay="").order_by("-pk")[:LOGGED].values("pk")
    matches = Match.objects.filter(pk__in=latest).order_by("pk")
    seats = np.array(list(matches.values_list("seats__pk", flat=True)), dtype=np.int64)
    bulk.insert(
        SeatLog,
        len(seats),
        seat_id=seats,
        attempt=1,
        name="canal heron 1.0",
        output="ready\n" + "I like quays more than bridges\n" * 20,
        rejections=[],
        traceback="",
        cpu_us=chance.integers(10**5, 10**7, len(seats)),
        memory_bytes=chance.integers(10**7, 10**8, len(seats)),
        ready_us=chance.integers(10**4, 10**5, len(seats)),
    )
    keys = np.array(list(matches.values_list("pk", flat=True)), dtype=np.int64)
    whole = chance.integers(200, 40_000, 120)
    packed = pack(
        Timings(
            seats=tuple(number % 2 for number in range(120)),
            total_us=tuple(whole.tolist()),
            think_us=tuple((whole * 0.8).astype(int).tolist()),
            queue_us=tuple((whole * 0.05).astype(int).tolist()),
        )
    )
    data = np.frombuffer(packed, dtype=np.uint8)
    bulk.insert(
        MatchTimings, len(keys), match_id=keys, data=np.broadcast_to(data, (len(keys), len(data)))
    )


def make_trials(
    user: User, ladder: Ladder, now: datetime, matches: int, chance: np.random.Generator
) -> None:
    """Create tests of one owner, which reuse blocks of the ladder, and a canary."""
    trials, each = share_of(TRIALS, matches), share_of(TRIAL_BLOCKS, matches)
    versions = list(Version.objects.filter(bot__owner=user).order_by("bot", "number")[:2])
    blocks = list(
        Block.objects.filter(ladder=ladder, state="recorded", trial_block=None)
        .order_by("-pk")
        .values_list("pk", flat=True)[: trials * each]
    )
    for number in range(trials):
        trial = Trial.objects.create(
            owner=user,
            ladder=ladder,
            candidate=versions[-1],
            baseline=versions[0],
            elo0=0.0,
            elo1=30.0,
            alpha=0.05,
            beta=0.05,
            most=1000,
            state=TrialState.RUNNING if number == trials - 1 else TrialState.BETTER,
            created=now - timedelta(days=trials - number),
            ended=None if number == trials - 1 else now,
        )
        mine = blocks[number * each : (number + 1) * each]
        TrialBlock.objects.bulk_create(
            TrialBlock(trial=trial, block_id=block, score=float(score))
            for block, score in zip(mine, chance.choice([0, 0.5, 1], len(mine)), strict=True)
        )
    Canary.objects.create(version=versions[-1], ladder=ladder, most=200, created=now)
