"""Qualification: a new version plays a block against house bots before it plays against others.

It qualifies if none of its games ends with a fault of its own. Rejected actions are tolerated as
long as they stay below the limit that makes them a fault; after a fault of the host the block is
played again. If the connection of a remote bot breaks, the block is repeated a few times.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import transaction

from damrak_ladder.bots import journey, lifecycle
from damrak_ladder.bots.house import house_version
from damrak_ladder.bots.models import Bot, Kind, State, StepKind, Version
from damrak_ladder.matches.boards import DAILY, board_for
from damrak_ladder.matches.booking import SEED_BYTES, Table, book
from damrak_ladder.matches.flows import QUALIFICATION
from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose
from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind as Notice
from damrak_ladder.pipeline.outcome.failures import Failure, failures_of
from damrak_ladder.pipeline.outcome.promotion import bring_in
from damrak_ladder.trials import canaries

OPPONENTS: Final = ("greedy", "random", "planner")
"""The house bots to play against, unless the ladder has others."""

BOARD: Final = "amsterdam"
"""The board to use as long as there is no ladder to take one from."""

CHANCES: Final = 3
"""The maximum number of blocks if the connection of a remote bot breaks."""


def begin(
    version: Version, now: datetime, tokens: Callable[[int], bytes] = secrets.token_bytes
) -> Block:
    """Start the qualification of a version that has been checked; return its block.

    Raises:
        Overtaken: it has started already.
    """
    return _send(version, State.CHECKING, now, tokens)


def begin_again(version: Version, now: datetime) -> Block:
    """Start the qualification of a failed version again; return its block.

    Raises:
        Overtaken: the version has not failed, or has started again already.
    """
    return _send(version, State.FAILED, now, secrets.token_bytes)


def settle(block: Block, now: datetime) -> None:
    """Decide about the version that a recorded block was played for.

    Must run in the caller's transaction, in which this block is settled.
    """
    if block.subject_id is None:
        return
    version = Version.objects.select_for_update(no_key=True).get(pk=block.subject_id)
    if version.state != State.QUALIFYING:
        return  # the block was played twice, or the version has been decided already
    failures = failures_of(block, version)
    own = next((one for one in failures if one.is_own), None)
    lost = next((one for one in failures if not one.is_own), None)
    if own is None and lost is not None:
        played = version.trials.filter(purpose=Purpose.QUALIFICATION, created__gte=version.changed)
        if played.count() < CHANCES:
            _again(version, lost, now)
            return
        own = lost
    if own is not None:
        _fail(version, block, own, now)
    else:
        _pass(version, block, now)


def reconsider(block: Block, now: datetime) -> None:
    """Let a version that failed in this block qualify again, as its host was not trustworthy."""
    if block.subject_id is None:
        return
    version = Version.objects.select_for_update(no_key=True).get(pk=block.subject_id)
    if version.state != State.FAILED or version.evidence.get("block") != block.pk:
        return
    lifecycle.advance(version.pk, State.FAILED, State.QUALIFYING, now)
    message = codes.QueuedAfterUntrustedHost()
    journey.note(version, StepKind.QUEUED, message, now, {"block": block.pk})


def supersede(version: Version, now: datetime) -> list[Version]:
    """End the qualification of earlier remote versions of this bot; return them.

    Their token is void, as this version connects now. A block that is being played continues.
    """
    ended = []
    earlier = Version.objects.filter(
        bot=version.bot_id, kind=Kind.REMOTE, state=State.QUALIFYING, number__lt=version.number
    )
    for old in earlier.order_by("pk"):
        waiting = old.trials.filter(purpose=Purpose.QUALIFICATION, state=BlockState.WAITING)
        # Locked, so that no host begins one of them in between.
        keys = list(waiting.select_for_update().values_list("pk", flat=True))
        if Block.objects.filter(pk__in=keys).delete()[0]:
            reason = codes.Superseded(version.number)
            lifecycle.advance(old.pk, State.QUALIFYING, State.FAILED, now, reason)
            journey.note(old, StepKind.FAILED, codes.NotQualified(reason), now)
            ended.append(old)
    return ended


def stuck(block: Block, now: datetime) -> None:
    """Tell the author that a qualification block was given up through no fault of the version."""
    version = block.subject
    if version is None or version.state != State.QUALIFYING:
        return
    detail = {"block": block.pk, "dead": block.attempt}
    latest = version.steps.order_by("-pk").first()
    if latest is None or latest.detail != detail:
        # The reason may contain names of machines, so only organisers may read it.
        journey.note(version, StepKind.QUEUED, codes.QualificationGivenUp(block.pk), now, detail)


def _send(version: Version, before: State, now: datetime, tokens: Callable[[int], bytes]) -> Block:
    with transaction.atomic():
        lifecycle.advance(version.pk, before, State.QUALIFYING, now)
        block = _book(version, now, tokens)
        is_uploaded = version.kind == Kind.UPLOADED
        queued = codes.QueuedInSandbox if is_uploaded else codes.QueuedForConnection
        message = queued(tuple(_opponents(_ladder_for(version))), block.board)
        journey.note(version, StepKind.QUEUED, message, now, {"block": block.pk})
    return block


def _pass(version: Version, block: Block, now: datetime) -> None:
    lifecycle.advance(version.pk, State.QUALIFYING, State.QUALIFIED, now)
    version.refresh_from_db()
    message = codes.Qualified(block.matches.count(), block.pk)
    journey.note(version, StepKind.QUALIFIED, message, now, {"block": block.pk})
    bot = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
    is_live = False
    if not version.goes_live and version.kind != Kind.REMOTE:
        _let_out_canary(version, now)
    elif bot.live is not None and bot.live.number > version.number:
        newer = codes.NewerVersionLive(bot.live.number)
        journey.note(version, StepKind.QUALIFIED, newer, now)
    else:
        lifecycle.promote(bot.pk, bot.live_id, version.pk, now)
        bring_in(version, now)
        is_live = True
    said = texts.qualified(version.bot.name, version.number, is_live=is_live)
    _tell(version, Notice.QUALIFIED, said, now)


def _let_out_canary(version: Version, now: datetime) -> None:
    ladders = canaries.ladders_for(version)
    for ladder in ladders:
        canaries.begin(version, ladder, now)
    names = tuple(ladder.name for ladder in ladders)
    message = codes.CanaryBegun(names) if names else codes.CanaryWithoutLadder()
    journey.note(version, StepKind.CANARY, message, now, {"ladders": [one.slug for one in ladders]})


def _again(version: Version, lost: Failure, now: datetime) -> None:
    block = _book(version, now, secrets.token_bytes)
    message = codes.QueuedAfterConnection(lost.detail or lost.reason)
    journey.note(version, StepKind.QUEUED, message, now, {"block": block.pk})


def _fail(version: Version, block: Block, failure: Failure, now: datetime) -> None:
    evidence = failure.evidence | {"block": block.pk}
    lifecycle.advance(
        version.pk, State.QUALIFYING, State.FAILED, now, failure.public_message, evidence
    )
    journey.note(version, StepKind.FAILED, codes.NotQualified(failure.message), now, evidence)
    said = texts.failed(version.bot.name, version.number, failure.message)
    _tell(version, Notice.FAILED, said, now)


def _tell(version: Version, kind: Notice, said: texts.Said, now: datetime) -> None:
    bot = version.bot
    link = f"/bots/{bot.slug}/{version.number}/"
    block = version.trials.filter(purpose=Purpose.QUALIFICATION).order_by("-pk")[0]
    key = f"{kind}:{version.pk}:{block.pk}:{block.attempt}"  # it may fail repeatedly
    tell(bot.owner, kind, key, *said, link, now)


def _book(version: Version, now: datetime, tokens: Callable[[int], bytes]) -> Block:
    ladder = _ladder_for(version)
    table = Table(
        versions=(version, *(house_version(spec, now) for spec in _opponents(ladder))),
        board=_board(ladder, now, tokens),
        purpose=Purpose.QUALIFICATION,
        flow=QUALIFICATION,
        ladder=ladder,
        subject=version,
        options={} if ladder is None else ladder.options,
        control={} if ladder is None else ladder.control,
    )
    return book(table, tokens(SEED_BYTES), now)


def _ladder_for(version: Version) -> Ladder | None:
    """Return the ladder whose rules apply: preferably one that the bot is on, or will enter."""
    ladders = [
        ladder
        for ladder in Ladder.objects.filter(is_open=True).order_by("pk")
        if version.kind in ladder.admits
    ]
    here = set(version.bot.entries.filter(left=None).values_list("ladder_id", flat=True))
    ladders.sort(key=lambda ladder: (ladder.pk not in here, not ladder.enters_all))
    return ladders[0] if ladders else None


def _opponents(ladder: Ladder | None) -> list[str]:
    """Return specs of house bots, enough for the smallest table of the ladder."""
    if ladder is None:
        return [OPPONENTS[0]]
    smallest = min(int(seats) for seats, share in ladder.shares.items() if share > 0)
    usual = [spec for spec in OPPONENTS if spec in ladder.house]
    known = dict.fromkeys([*usual, *ladder.house, *OPPONENTS])
    return list(known)[: smallest - 1]


def _board(ladder: Ladder | None, now: datetime, tokens: Callable[[int], bytes]) -> str:
    if ladder is None:
        return BOARD
    fixed = [entry for entry in ladder.boards if not entry.startswith(DAILY)]
    if fixed:
        return fixed[0]  # available at once, and the same for all
    chance = random.Random(tokens(8)).random()  # noqa: S311 - only picks a board
    return board_for(ladder, now, chance)
