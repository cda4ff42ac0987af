"""Ladders with a history, for tests: recorded blocks with chosen results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from random import Random

from damrak_ladder.bots.models import Bot, Kind, Version
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Block, Ladder, Purpose
from damrak_ladder.matches.record import MatchOutcome, Report, SeatOutcome, record
from ladder.bot_versions import some_bot, some_version
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.tables import PATIENCE


def a_ladder(slug: str = "practice", **anchors: float) -> Ladder:
    """Return a ladder on the practice board, with these anchors (by default planner at 1600)."""
    anchors = anchors or {"planner": 1600.0}
    return some_ladder(slug, house=list(anchors), anchors=anchors, shares={"2": 1, "3": 1, "4": 1})


def some_field(count: int, kind: Kind = Kind.HOUSE) -> list[Version]:
    """Return live versions, the first of which is the house bot that is an anchor."""
    versions = []
    for number in range(count):
        bot = some_bot(f"bot-{number}")
        is_anchor = number == 0
        spec = "planner" if is_anchor else f"mine:{number}"
        version = some_version(bot, spec=spec, kind=Kind.HOUSE if is_anchor else kind)
        Bot.objects.filter(pk=bot.pk).update(live=version)
        versions.append(version)
    return versions


def some_recorded(
    ladder: Ladder,
    versions: Sequence[Version],
    chance: Random,
    now: datetime = NOW,
    purpose: Purpose = Purpose.LADDER,
    subject: Version | None = None,
    fault: str = "",
) -> Block:
    """Return a recorded block in which versions further left are stronger."""
    table = Table(
        tuple(versions), "practice", purpose, f"ladder:{ladder.slug}", ladder, subject=subject
    )
    block = book(table, chance.randbytes(32), now)
    assert start(block.pk, 0, "worker", now, PATIENCE) is not None
    seats = len(versions)
    matches = []
    for number in range(seats):
        strengths = {version.pk: -0.4 * at for at, version in enumerate(versions)}
        sitting = [versions[(seat + number) % seats] for seat in range(seats)]
        points = [round(4 * (strengths[one.pk] + chance.gauss(0, 1))) for one in sitting]
        matches.append(
            MatchOutcome(
                replay=f"{block.pk:048x}{number:016x}",
                seats=tuple(
                    SeatOutcome(
                        turn=(seat + number * 2) % seats,
                        place=1 + sum(own < other for other in points),
                        points=own,
                        fault=fault if seat == 0 else "",
                    )
                    for seat, own in enumerate(points)
                ),
            )
        )
    assert record(Report(block.pk, 1, tuple(matches)), now)
    block.refresh_from_db()
    return block


def some_season(
    ladder: Ladder, versions: Sequence[Version], blocks: int, seed: int = 1
) -> list[Block]:
    """Return recorded blocks at random tables of two, three and four."""
    chance = Random(seed)
    played = []
    for number in range(blocks):
        seats = 2 + number % 3
        table = sorted(chance.sample(range(len(versions)), seats))
        played.append(some_recorded(ladder, [versions[at] for at in table], chance))
    return played
