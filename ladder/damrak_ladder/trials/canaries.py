"""Canaries: versions that play shadow blocks before they replace the live one."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import models, transaction
from django.db.models import Count

from damrak_ladder.bots import journey
from damrak_ladder.bots.models import Kind, State, StepKind, Version
from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose
from damrak_ladder.message_codes import journey_codes, trial_codes as codes
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind as Notice
from damrak_ladder.standings.read.shadow_games import canary_estimate
from damrak_ladder.trials.errors import NotPlayable
from damrak_ladder.trials.models import Canary, CanaryState

BLOCKS: Final = 24
"""The default number of blocks that a canary plays on each ladder."""


def begin(version: Version, ladder: Ladder, now: datetime, blocks: int = BLOCKS) -> Canary:
    """Start a canary of a version on a ladder with this number of blocks, or restart it.

    Raises:
        NotPlayable: it has not qualified, only one version of its kind can be connected, or the
            ladder is not open to it.
    """
    if version.state != State.QUALIFIED:
        raise NotPlayable(codes.VersionNotQualified(str(version), version.state))
    if version.kind == Kind.REMOTE:
        raise NotPlayable(codes.RemoteMeetsItself())
    if not ladder.is_open:
        raise NotPlayable(codes.LadderClosed(ladder.name))
    if version.kind not in ladder.admits:
        raise NotPlayable(codes.LadderNotForKind(ladder.name, version.kind))
    with transaction.atomic():
        canary, is_new = Canary.objects.get_or_create(
            version=version, ladder=ladder, defaults={"most": blocks, "created": now}
        )
        if not is_new:
            canary = Canary.objects.select_for_update(no_key=True).get(pk=canary.pk)
            is_running = canary.state == CanaryState.RUNNING
            most = sum(blocks_of(canary).values()) + blocks
            canary.most = max(canary.most, most) if is_running else most
            canary.state, canary.ended = CanaryState.RUNNING, None
            canary.save(update_fields=["most", "state", "ended"])
    return canary


def ladders_for(version: Version) -> list[Ladder]:
    """Return the ladders of a canary: those of its bot, or those the bot would be entered in."""
    open_to_it = [
        ladder
        for ladder in Ladder.objects.filter(is_open=True).order_by("pk")
        if version.kind in ladder.admits
    ]
    here = set(version.bot.entries.filter(left=None).values_list("ladder_id", flat=True))
    return [ladder for ladder in open_to_it if ladder.pk in here] or [
        ladder for ladder in open_to_it if ladder.enters_all
    ]


def cancel(version: Version, now: datetime) -> int:
    """Cancel all canaries of a version and return their number."""
    with transaction.atomic():
        running = Canary.objects.filter(version=version, state=CanaryState.RUNNING)
        ended = running.update(state=CanaryState.CANCELLED, ended=now)
        _drop_waiting(version)
    return ended


def blocks_of(canary: Canary) -> dict[int, int]:
    """Return the number of blocks of a canary, played or booked, by table size."""
    counts = (
        _blocks(canary.version, canary.ladder_id)
        .annotate(games=Count("matches"))
        .values_list("games", "rotations")
    )
    found: dict[int, int] = {}
    for games, rotations in counts:
        seats = games // rotations
        found[seats] = found.get(seats, 0) + 1
    return found


def played(canary: Canary) -> int:
    """Return the number of its blocks that have been played."""
    return _blocks(canary.version, canary.ladder_id).filter(state=BlockState.RECORDED).count()


def dead(canary: Canary) -> int:
    """Return the number of its blocks that failed on every attempt."""
    shadows = Block.objects.filter(
        subject=canary.version, ladder=canary.ladder_id, purpose=Purpose.CANARY
    )
    return shadows.filter(state=BlockState.DEAD).count()


def settle_canary(block: Block, now: datetime) -> None:
    """Count a recorded shadow block, and end the canary if it was the last one.

    This is part of the caller's transaction, in which the block is settled.
    """
    canary = (
        Canary.objects.select_for_update(no_key=True)
        .filter(version=block.subject_id, ladder=block.ladder_id, state=CanaryState.RUNNING)
        .first()
    )
    if canary is None or played(canary) < canary.most:
        return
    canary.state, canary.ended = CanaryState.FINISHED, now
    canary.save(update_fields=["state", "ended"])
    _tell(canary, now)


def _tell(canary: Canary, now: datetime) -> None:
    version = canary.version
    estimate = canary_estimate(version, canary.ladder)
    if estimate is None:
        return
    elo, low, high = (round(one) for one in (estimate.elo, estimate.low, estimate.high))
    journey.note(
        version,
        StepKind.CANARY,
        journey_codes.CanaryEstimate(canary.ladder.name, elo, low, high),
        now,
        {"ladder": canary.ladder.slug, "elo": elo, "low": low, "high": high},
    )
    tell(
        version.bot.owner,
        Notice.CANARY_FINISHED,
        f"canary:{canary.pk}:{canary.most}",
        *texts.canary_finished(version.bot.name, version.number, elo, low, high),
        f"/bots/{version.bot.slug}/{version.number}/",
        now,
    )


def _blocks(version: Version, ladder_id: int) -> models.QuerySet[Block]:
    return Block.objects.filter(
        subject=version, ladder_id=ladder_id, purpose=Purpose.CANARY
    ).exclude(state=BlockState.DEAD)


def _drop_waiting(version: Version) -> None:
    Block.objects.filter(
        subject=version, purpose=Purpose.CANARY, state=BlockState.WAITING, host=None
    ).delete()
