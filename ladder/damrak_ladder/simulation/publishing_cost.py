"""The cost of publishing a long history, which is loaded from a real database, fitted and written.

    python -m damrak_ladder.simulation.publishing_cost --versions 10000 --blocks 1000000

creates the history in a new database in a temporary folder, or in an empty PostgreSQL database
named by DATABASE_URL, publishes it, counts and withdraws blocks, publishes again, and prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Block, Ladder
    from damrak_ladder.ratings import History

T = TypeVar("T")

NOW: Final = datetime(2030, 1, 1, tzinfo=UTC)
_A_TIME: Final = 5000
_NEWS: Final = 60  # blocks that are counted one at a time
_ANCHORS: Final = ("random", "greedy", "planner")


def main() -> int:
    """Run the measurement and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", type=int, default=10_000)
    parser.add_argument("--blocks", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.versions < 10 * _NEWS:
        parser.error(f"--versions: at least {10 * _NEWS}")
    with tempfile.TemporaryDirectory() as home:
        os.environ["DAMRAK_HOME"] = home
        from damrak_ladder.management import load

        load()
        found = _measure(args.versions, args.blocks, args.seed)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    return 0


def _measure(versions: int, blocks: int, seed: int) -> dict[str, Any]:
    from django.core.management import call_command
    from django.db import connection

    from damrak_ladder.matches.models import Ladder
    from damrak_ladder.standings.counts.updates import absorb, withdraw
    from damrak_ladder.standings.fit.figures import figures_of
    from damrak_ladder.standings.fit.publication import publish
    from damrak_ladder.standings.fit.snapshot import load
    from damrak_ladder.standings.models import Fit, Line
    from damrak_ladder.standings.read.table import table

    call_command("migrate", verbosity=0, interactive=False)
    if Ladder.objects.exists():
        sys.exit("the database is not empty")
    ladder = _fill(versions, blocks, seed)
    found: dict[str, Any] = {"database": connection.vendor, "versions": versions, "blocks": blocks}
    before = _most_memory()
    found["load_seconds"], snapshot = _timed(lambda: load(ladder))
    found["fit_seconds"], _ = _timed(lambda: figures_of(snapshot))
    found["max_rss_mb"], found["rss_before_mb"] = _most_memory(), before
    found["first_publish_seconds"], _ = _timed(lambda: publish(ladder, NOW))
    news = [_recorded(ladder, seed) for seed in range(_NEWS)]
    took, _ = _timed(lambda: [absorb(block) for block in news])
    found["absorb_ms"] = round(took / len(news) * 1000, 2)
    took, _ = _timed(lambda: [withdraw(block) for block in news[:30]])
    found["withdraw_ms"] = round(took / 30 * 1000, 2)
    found["second_publish_seconds"], _ = _timed(
        lambda: publish(ladder, NOW + timedelta(hours=1), force=True)
    )
    found["lines"] = list(Fit.objects.order_by("number").values_list("lines", flat=True))
    found["ledger_rows"] = Line.objects.count()
    found["table_page_ms"] = round(1000 * _timed(lambda: table(ladder, limit=100))[0], 1)
    found["table_ms"] = round(1000 * _timed(lambda: table(ladder))[0], 1)
    found["past_table_ms"] = round(1000 * _timed(lambda: table(ladder, on=NOW.date()))[0], 1)
    return found


def _recorded(ladder: Ladder, seed: int) -> Block:
    """Return another block of three players, with results in the form of a referee's report."""
    from damrak_ladder.bots.models import Version
    from damrak_ladder.matches.attempts import patience, start
    from damrak_ladder.matches.booking import Table, book
    from damrak_ladder.matches.models import Purpose
    from damrak_ladder.matches.record import MatchOutcome, Report, SeatOutcome, record

    first = Version.objects.order_by("pk")[10 * seed].pk
    versions = tuple(Version.objects.filter(pk__gte=first).order_by("pk")[:3])
    table = Table(versions, "amsterdam", Purpose.LADDER, "ladder:cost", ladder)
    block = book(table, seed.to_bytes(32, "big"), NOW)
    start(block.pk, 0, "cost", NOW, patience())
    matches = tuple(
        MatchOutcome(
            f"{block.pk:048x}{number:016x}",
            tuple(SeatOutcome(seat, seat + 1, 50 - seat) for seat in range(3)),
        )
        for number in range(3)
    )
    record(Report(block.pk, 1, matches), NOW)
    return block


def _fill(versions: int, blocks: int, seed: int) -> Ladder:
    """Create a ladder with that history."""
    from django.db import connection

    from damrak_ladder.accounts.models import User
    from damrak_ladder.bots.models import Bot, Kind, State, Version
    from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose
    from damrak_ladder.standings.counts.tallies import add
    from damrak_ladder.standings.models import Counted, Progress
    from damrak_ladder.standings.packed_blocks import unpack

    user = User.objects.create(username="cost", email="cost@example.org")
    ladder = Ladder.objects.create(
        slug="cost",
        name="Cost",
        boards=["amsterdam"],
        shares={"2": 1.0, "3": 1.0, "4": 1.0},
        admits=["uploaded"],
        house=list(_ANCHORS),
        anchors={spec: 1200.0 + 300 * at for at, spec in enumerate(_ANCHORS)},
        created=NOW,
    )
    Bot.objects.bulk_create(
        [
            Bot(owner=user, slug=f"bot-{at}", name=f"Bot {at}", created=NOW)
            for at in range(versions)
        ],
        batch_size=_A_TIME,
    )
    bots = list(Bot.objects.order_by("pk"))
    Version.objects.bulk_create(
        [
            Version(
                bot=bot,
                number=1,
                kind=Kind.HOUSE if at < len(_ANCHORS) else Kind.UPLOADED,
                content=f"{at:064x}",
                spec=_ANCHORS[at] if at < len(_ANCHORS) else "",
                state=State.QUALIFIED,
                created=NOW,
                changed=NOW,
            )
            for at, bot in enumerate(bots)
        ],
        batch_size=_A_TIME,
    )
    keys = list(Version.objects.order_by("bot").values_list("pk", flat=True))
    for bot, key in zip(bots, keys, strict=True):
        bot.live_id = key
    Bot.objects.bulk_update(bots, ["live"], batch_size=500)
    first = Block.objects.create(
        ladder=ladder,
        purpose=Purpose.LADDER,
        board="amsterdam",
        is_mirrored=True,
        seed=bytes(32),
        flow="ladder:cost",
        created=NOW,
        due=NOW,
        state=BlockState.RECORDED,
        finished=NOW,
        settled=NOW,
    )
    columns = ", ".join(
        connection.ops.quote_name(str(field.column))
        for field in Block._meta.concrete_fields
        if not field.primary_key
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE numbers(i) AS "  # noqa: S608 - names of our own columns
            "(SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %s) "
            f"INSERT INTO matches_block (id, {columns}) "
            f"SELECT %s + i, {columns} FROM matches_block, numbers WHERE id = %s",
            [blocks - 1, first.pk, first.pk],
        )
    serial = 0
    recent = []
    rows = []
    for results, points in _packed(_history(versions, blocks, seed), keys):
        rows.append(
            Counted(
                block_id=first.pk + serial,
                ladder=ladder,
                serial=serial + 1,
                results=results,
                points=points,
            )
        )
        serial += 1
        if len(rows) == _A_TIME or serial == blocks:
            Counted.objects.bulk_create(rows)
            recent, rows = rows[-200:], []
    Progress.objects.create(ladder=ladder, serial=serial, blocks=serial)
    add(ladder.pk, [unpack(bytes(row.results), bytes(row.points)) for row in recent])
    return ladder


def _history(versions: int, blocks: int, seed: int) -> History:
    from damrak_ladder.ratings.history import SEATS
    from damrak_ladder.simulation.world import world_of

    world = world_of(versions, seed)
    rng = np.random.default_rng([seed, 9])
    tables = {}
    for at, seats in enumerate(SEATS):
        count = blocks // 3 + (at < blocks % 3)
        # Mostly neighbours on the ladder, as in real matchmaking.
        order = np.argsort(world.strength)
        place = rng.integers(0, versions, count)[:, None]
        steps = np.cumsum(rng.integers(1, 40, (count, seats)), axis=1)
        tables[seats] = order[(place + steps) % versions].astype(np.int32)
    return world.play(tables, rng)


def _packed(history: History, keys: list[int]) -> Iterator[tuple[bytes, bytes]]:
    """Yield blocks of all sizes in turn, as compact rows."""
    known = np.array(keys)
    sources = []
    for seats, table in history.tables.items():
        came = ((table.turns.astype(np.uint8) << 4) | table.places.astype(np.uint8)).tobytes()
        players = known[table.players].astype("<u4").tobytes()
        sources.append((seats, len(table), players, came))
    for at in range(max(count for _, count, _, _ in sources)):
        for seats, count, players, came in sources:
            if at < count:
                games = seats * seats
                yield (
                    bytes([seats])
                    + players[at * 4 * seats : (at + 1) * 4 * seats]
                    + came[at * games : (at + 1) * games],
                    struct.pack(f"<{games}i", *[50] * games),
                )


def _timed(act: Callable[[], T]) -> tuple[float, T]:
    """Return the processor seconds that a call takes, and its result."""
    begun = time.process_time()
    result = act()
    return round(time.process_time() - begun, 3), result


def _most_memory() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round((used if sys.platform == "darwin" else used * 1024) / 2**20, 1)


if __name__ == "__main__":
    sys.exit(main())
