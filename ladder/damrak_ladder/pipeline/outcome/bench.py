"""Benching: a version that fails too often is taken out of play, with evidence.

The latest ladder games of a version are examined whenever one of them ends with a fault. As the
share of faults among few games is mostly luck, the lower bound of its Wilson score interval counts.
"""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime
from typing import Any, Final

from django.conf import settings

from damrak_ladder.bots import journey, lifecycle
from damrak_ladder.bots.models import Kind, State, StepKind, Version
from damrak_ladder.matches.models import Block, BlockState, Purpose, Seat
from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind as Notice
from damrak_ladder.trials import canaries

_NORMAL_95: Final = 1.6448536269514722  # one-sided
_SHOWN: Final = 10


def check(block: Block, now: datetime) -> list[Version]:
    """Bench the versions of this block that have failed too often; return those benched.

    Must run in the caller's transaction, in which this block is settled.
    """
    faulty = Seat.objects.filter(match__block=block, result__isnull=False).exclude(result__fault="")
    at_fault = Version.objects.filter(
        pk__in=faulty.values("version_id"), state=State.QUALIFIED
    ).exclude(kind=Kind.HOUSE)
    return [version for version in at_fault.order_by("pk") if _check(version, now)]


def share_at_least(faults: int, games: int) -> float:
    """Return the lower bound of the share of faults, with 95 % confidence."""
    if not games:
        return 0.0
    z, mean = _NORMAL_95, faults / games
    middle = mean + z * z / (2 * games)
    reach = z * math.sqrt(mean * (1 - mean) / games + z * z / (4 * games * games))
    return max(0.0, (middle - reach) / (1 + z * z / games))


def reconsider(block: Block, now: datetime) -> list[Version]:
    """Restore the versions that would not have been benched without this block; return them."""
    seated = Version.objects.filter(
        seats__match__block=block, seats__match__number=0, state=State.BENCHED
    )
    restored = []
    for version in seated.select_related("bot").order_by("pk"):
        games, faults = _latest(version, besides=block)
        if not _is_too_often(games, len(faults)):
            _restore(version, now)
            restored.append(version)
    return restored


def _check(version: Version, now: datetime) -> bool:
    games, faults = _latest(version)
    if not _is_too_often(games, len(faults)):
        return False
    _bench(version, games, faults, now)
    return True


def _is_too_often(games: int, faults: int) -> bool:
    limits = settings.DAMRAK_BENCHING
    return games >= limits.least and share_at_least(faults, games) > limits.percent / 100


def _latest(version: Version, besides: Block | None = None) -> tuple[int, list[tuple[int, str]]]:
    """Return the number of games examined, and those that ended with a fault, latest first."""
    seats = Seat.objects.filter(
        version=version, match__block__purpose=Purpose.LADDER, result__isnull=False
    )
    if besides is not None:
        seats = seats.exclude(match__block=besides)
    rows = seats.order_by("-pk").values_list("match_id", "result__fault")
    latest = list(rows[: settings.DAMRAK_BENCHING.games])
    return len(latest), [(match, fault) for match, fault in latest if fault]


def _restore(version: Version, now: datetime) -> None:
    lifecycle.advance(version.pk, State.BENCHED, State.QUALIFIED, now)
    journey.note(version, StepKind.RESTORED, codes.Restored(), now)
    if version.bot.live_id is None:
        lifecycle.promote(version.bot_id, None, version.pk, now)


def _bench(version: Version, games: int, faults: list[tuple[int, str]], now: datetime) -> None:
    kinds = Counter(fault for _, fault in faults)
    counted = tuple(codes.FaultCount(fault, count) for fault, count in kinds.most_common())
    reason = codes.TooManyFaults(len(faults), games, counted)
    evidence: dict[str, Any] = {
        "games": games,
        "faults": len(faults),
        "reasons": dict(kinds),
        "matches": [match for match, _ in faults[:_SHOWN]],
        "percent": settings.DAMRAK_BENCHING.percent,
    }
    lifecycle.bench(version.pk, reason, evidence, now)
    _strike_waiting(version)
    canaries.cancel(version, now)
    journey.note(version, StepKind.BENCHED, codes.Benched(reason), now, evidence)
    bot = version.bot
    tell(
        bot.owner,
        Notice.BENCHED,
        f"benched:{version.pk}:{now.isoformat()}",
        *texts.benched(bot.name, version.number, reason),
        f"/bots/{bot.slug}/{version.number}/",
        now,
    )


def _strike_waiting(version: Version) -> None:
    """Delete the version's waiting ladder blocks that are not assigned to a host yet."""
    waiting = Block.objects.filter(state=BlockState.WAITING, host=None, purpose=Purpose.LADDER)
    waiting.filter(matches__number=0, matches__seats__version=version).delete()
