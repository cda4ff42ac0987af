"""The list of blocks that is played, and what is to come of it."""

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
from damrak_ladder.matches.models import Block, BlockState, Ladder, Match, Purpose, SeatResult
from damrak_ladder.replays.inspection import inspect
from damrak_ladder.replays.keeping import load
from damrak_ladder.standings.models import Tally
from damrak_ladder.standings.publishing import publish
from damrak_ladder.standings.tables import table

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)

SPECS: Final = ("greedy", "planner", "random", "mcts:iterations=2")
"""House bots that always play the same from the same position and the same seed."""


def book_all(count: int, seed: int) -> Ladder:
    """So many blocks on a ladder that books none itself, in an empty database."""
    chance = random.Random(seed)
    ladder = create_ladder(
        LadderPlan(
            slug="chaos",
            name="Chaos",
            boards=("practice",),
            shares={2: 0.6, 3: 0.2, 4: 0.2},
            house=SPECS,
            anchors={"greedy": 1000.0},
            is_open=False,
        ),
        NOW,
    )
    versions = [house_version(spec, NOW) for spec in SPECS]
    for _ in range(count):
        (seats,) = chance.choices([2, 3, 4], [6, 2, 2])
        players = tuple(chance.sample(versions, seats))
        seating = Table(players, "practice", Purpose.LADDER, ladder_flow(ladder), ladder)
        book(seating, chance.randbytes(32), NOW)
    return ladder


def left() -> int:
    """How many blocks are not yet played, or not yet counted."""
    return Block.objects.exclude(state=BlockState.RECORDED, settled__isnull=False).count()


def outcome() -> dict[str, Any]:
    """Everything that came of it, without the times at which it happened."""
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
    """In what two outcomes differ."""
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
    """The replay without what tells how long things took, and the seals over that."""
    replay: dict[str, Any] = json.loads(load(match.replay))
    for name in ("played", "hash", "signature"):
        del replay[name]
    for event in replay["events"]:
        event.pop("ms", None)
    return replay
