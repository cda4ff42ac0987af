"""The list of blocks that is played, and the comparison of results."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from damrak_ladder.bots.house import house_version
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.flows import ladder_flow
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
from damrak_ladder.matches.models import (
    Block,
    BlockState,
    Host,
    Ladder,
    Match,
    Outcome,
    Purpose,
    SeatResult,
)
from damrak_ladder.replays.inspection import inspect
from damrak_ladder.replays.storage import load
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Counted, Progress, Tally
from damrak_ladder.standings.read.table import table
from ladder.bot_versions import some_bot, some_version

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)

NEVER: Final = datetime(2999, 1, 1, tzinfo=UTC)

SPECS: Final = ("greedy", "random")
"""Fast house bots that are deterministic given the position and the seed."""

_TWINS: Final = 2  # of each, so that there are enough for a table of four
_BLOCK_SEATS: Final = ([2, 3, 4], [8, 1, 1])


def book_all(count: int, seed: int) -> Ladder:
    """Book blocks on a ladder that books none itself, in an empty database."""
    chance = random.Random(seed)
    ladder = create_ladder(
        LadderPlan(
            slug="chaos",
            name="Chaos",
            boards=("practice",),
            shares={2: 0.8, 3: 0.1, 4: 0.1},
            house=SPECS,
            anchors={"greedy": 1000.0},
            is_open=False,
        ),
        NOW,
    )
    versions = [house_version(spec, NOW) for spec in SPECS]
    versions += [
        some_version(some_bot(f"{spec}-{number}"), spec)
        for spec in SPECS
        for number in range(_TWINS)
    ]
    for _ in range(count):
        (seats,) = chance.choices(*_BLOCK_SEATS)
        players = tuple(chance.sample(versions, seats))
        seating = Table(players, "practice", Purpose.LADDER, ladder_flow(ladder), ladder)
        book(seating, chance.randbytes(32), NOW)
    return ladder


def hold_back(count: int) -> list[int]:
    """Keep the last `count` blocks from being played until they are released; return them."""
    held = list(Block.objects.order_by("-pk").values_list("pk", flat=True)[:count])
    Block.objects.filter(pk__in=held).update(due=NEVER)
    return held


def release(held: list[int]) -> None:
    """Allow these blocks to be played."""
    Block.objects.filter(pk__in=held, due=NEVER).update(due=NOW)


def left() -> int:
    """Return the number of blocks that are not yet played, or not yet counted."""
    return Block.objects.exclude(state=BlockState.RECORDED, settled__isnull=False).count()


def waiting() -> str:
    """Return the state of hosts and unfinished blocks, for error messages."""
    blocks = Block.objects.exclude(state=BlockState.RECORDED, settled__isnull=False)
    names = ("pk", "state", "attempt", "tries", "due", "host", "sent", "lease_until", "trouble")
    hosts = Host.objects.values("name", "state", "capacity", "workers", "last_seen")
    rows = [*hosts, *blocks.order_by("pk").values(*names)[:20]]
    return "\n".join(map(str, rows))


def lost() -> list[int]:
    """Return the blocks that do not count."""
    counted = Block.objects.filter(state=BlockState.RECORDED, settled__isnull=False)
    return list(
        Block.objects.exclude(
            pk__in=counted.filter(pk__in=Counted.objects.values("pk")).values("pk")
        )
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def double() -> list[int]:
    """Return the blocks that count more than once, or have several recorded attempts."""
    progress = Progress.objects.get()
    assert progress.blocks == progress.serial == Counted.objects.count(), progress.serial
    found = set()
    for block in Block.objects.prefetch_related("attempts", "matches__seats__result"):
        recorded = [it.number for it in block.attempts.all() if it.outcome == Outcome.RECORDED]
        numbers = {
            seat.result.attempt for match in block.matches.all() for seat in match.seats.all()
        }
        if recorded != [block.attempt] or numbers != {block.attempt}:
            found.add(block.pk)
    return sorted(found)


def outcome() -> dict[str, Any]:
    """Return all results, without times."""
    ladder = Ladder.objects.get()
    publish(ladder, datetime.now(UTC), force=True)
    matches = list(Match.objects.order_by("pk"))
    findings = [finding for match in matches if (finding := inspect(match)) is not None]
    assert not findings, findings
    return {
        "replays": {match.pk: _replay(match) for match in matches},
        "results": list(
            SeatResult.objects.order_by("seat").values_list(
                "seat", "turn", "place", "points", "fault"
            )
        ),
        "tallies": [
            {name: value for name, value in row.items() if name != "id"}
            for row in Tally.objects.order_by("version", "seats", "turn").values()
        ],
        "ratings": {
            seats: [
                {name: value for name, value in asdict(row).items() if name not in {"day", "week"}}
                for row in table(ladder, seats or None, everyone=True)
            ]
            for seats in (0, 2, 3, 4)
        },
    }


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the differences between two outcomes."""
    found = []
    for part in one:
        if isinstance(one[part], dict):
            keys = one[part].keys() | other[part].keys()
            wrong = [key for key in sorted(keys) if one[part].get(key) != other[part].get(key)]
            found += [f"{part} {key}" for key in wrong]
        elif one[part] != other[part]:
            found.append(part)
    return found


def _replay(match: Match) -> dict[str, Any]:
    """Return the replay without durations, and without the hash and signature over them."""
    replay: dict[str, Any] = json.loads(load(match.replay))
    for name in ("played", "hash", "signature"):
        del replay[name]
    for event in replay["events"]:
        event.pop("ms", None)
    return replay
