"""The JSON objects of API responses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from typing_extensions import TypeAliasType

from damrak_ladder.accounts.models import ApiToken
from damrak_ladder.api import types
from damrak_ladder.bots.models import Bot, Kind, Step, Version
from damrak_ladder.matches.models import Block, BlockState, Ladder, Match
from damrak_ladder.message_codes.wording import english


class Index(Schema):
    """The software and address of this site."""

    software: str
    version: str
    url: str
    local_key: str | None
    """The path of the token for this machine's own user, if the site serves this machine only."""
    local_proof: str | None
    """For a `nonce`: a proof that the site has read that file, so that clients can verify it before
    they send the token.
    """


class PublicKey(Schema):
    """The keys with which replays are signed."""

    algorithm: str
    public_key: str  # the current key
    keys: list[str]  # the current key, followed by earlier keys whose signatures are still valid


class TokenShape(Schema):
    """A token without its secret."""

    id: int
    name: str
    scopes: list[types.Scope]
    created: datetime
    expires: datetime | None
    last_used: datetime | None


Reference = TypeAliasType("Reference", Literal["anchors", "field"])


class LadderShape(Schema):
    """A permanent competition."""

    slug: str
    name: str
    summary: str
    boards: list[str]
    shares: types.Shares
    options: types.GameOptions
    control: types.TimeControl
    rotations: int
    admits: list[types.VersionKind]
    house: list[str]
    anchors: types.EloBySpec
    anchor_errors: types.EloBySpec
    """The standard deviations of the Elo of anchors; the anchor without one is fixed."""
    intervals_relative_to: Reference
    """The reference of the published intervals: the anchors, or the mean of the field without any.
    """
    is_open: bool
    created: datetime


class VersionShape(Schema):
    """A submission."""

    id: int
    bot: str
    number: int
    kind: types.VersionKind
    language: str
    sha256: str
    size: int
    note: str
    spec: str
    state: types.VersionState
    is_live: bool
    goes_live: bool
    reason: str
    created: datetime
    changed: datetime


class BotShape(Schema):
    """A bot, which is a series of versions."""

    slug: str
    name: str
    owner: str
    created: datetime
    live: int | None
    """The number of the version that plays."""


class BotInFull(BotShape):
    """A bot with its newest versions."""

    ladders: list[str]
    versions: list[VersionShape]


class StepShape(Schema):
    """An event in the lifecycle of a version."""

    id: int
    at: datetime
    kind: types.StepKind
    text: str
    detail: types.StepDetail


class Journey(Schema):
    """The state of a version, and its steps since a known one."""

    version: VersionShape
    is_over: bool
    """Whether no further step will follow automatically."""
    steps: list[StepShape]


class SeatShape(Schema):
    """A seat, its player and the result."""

    seat: int
    bot: str
    version: int
    version_id: int
    owner: str
    kind: types.VersionKind
    turn: int | None
    place: int | None
    points: int | None
    fault: str


class MatchShape(Schema):
    """A game."""

    id: int
    block: int
    number: int
    ladder: str | None
    purpose: types.Purpose
    state: types.BlockState
    board: str
    options: types.GameOptions
    control: types.TimeControl
    is_mirrored: bool
    finished: datetime | None
    replay: str | None
    seats: list[SeatShape]


class SideShape(Schema):
    """The result of a version in a block."""

    bot: str
    version: int
    version_id: int
    owner: str
    wins: float
    """The number of first places; a shared first place counts as a half, third or quarter."""
    points: int
    faults: int


class GameShape(Schema):
    """A match of a block."""

    id: int
    number: int
    replay: str | None


class BlockShape(Schema):
    """All rotations of one table, which count together."""

    id: int
    ladder: str | None
    purpose: types.Purpose
    state: types.BlockState
    board: str
    options: types.GameOptions
    control: types.TimeControl
    is_mirrored: bool
    created: datetime
    finished: datetime | None
    matches: list[GameShape]
    sides: list[SideShape]
    """The versions by their wins, once the block is recorded; before that by name."""


class LogShape(Schema):
    """The data of a seat that is not part of the replay."""

    match: int
    seat: int
    attempt: int
    name: str
    output: str
    rejections: list[str]
    traceback: str
    cpu_us: int
    memory_bytes: int
    ready_us: int


class Failure(Schema):
    """A match in which a version failed, with links to details."""

    match: int
    seat: int
    attempt: int
    reason: str
    detail: str
    log: str
    bundle: str


def token_shape(token: ApiToken) -> TokenShape:
    """Return a token in the form of the API."""
    return TokenShape(
        id=token.pk,
        name=token.name,
        scopes=token.scopes,
        created=token.created,
        expires=token.expires,
        last_used=token.last_used,
    )


def ladder_shape(ladder: Ladder) -> LadderShape:
    """Return a ladder in the form of the API."""
    return LadderShape(
        **{
            name: getattr(ladder, name)
            for name in LadderShape.model_fields
            if name != "intervals_relative_to"
        },
        intervals_relative_to="anchors" if ladder.anchors else "field",
    )


def bot_shape(bot: Bot) -> BotShape:
    """Return a bot with its owner and its live version in the form of the API."""
    return BotShape(
        slug=bot.slug,
        name=bot.name,
        owner=bot.owner.username,
        created=bot.created,
        live=None if bot.live is None else bot.live.number,
    )


def version_shape(version: Version) -> VersionShape:
    """Return a version with its bot in the form of the API."""
    return VersionShape(
        id=version.pk,
        bot=version.bot.slug,
        number=version.number,
        kind=version.kind,
        language=version.language,
        sha256=version.content if version.kind == Kind.UPLOADED else "",
        size=version.size,
        note=version.note,
        spec=version.spec,
        state=version.state,
        is_live=version.bot.live_id == version.pk,
        goes_live=version.goes_live,
        reason=english(version.reason),
        created=version.created,
        changed=version.changed,
    )


def step_shape(step: Step) -> StepShape:
    """Return a step in the form of the API."""
    return StepShape(
        id=step.pk, at=step.at, kind=step.kind, text=english(step.message), detail=step.detail
    )


def match_shape(match: Match) -> MatchShape:
    """Return a match with its block, its seats and their results in the form of the API."""
    block = match.block
    return MatchShape(
        id=match.pk,
        block=block.pk,
        number=match.number,
        ladder=None if block.ladder is None else block.ladder.slug,
        purpose=block.purpose,
        state=block.state,
        board=block.board,
        options=block.options,
        control=block.control,
        is_mirrored=block.is_mirrored,
        finished=block.finished,
        replay=(match.replay or None) if block.state == BlockState.RECORDED else None,
        seats=[
            _seat_shape(seat) for seat in sorted(match.seats.all(), key=lambda seat: seat.number)
        ],
    )


def block_shape(block: Block, matches: Sequence[Match]) -> BlockShape:
    """Return a block, with its matches, their seats and results, as it is sent."""
    is_recorded = block.state == BlockState.RECORDED
    return BlockShape(
        id=block.pk,
        ladder=None if block.ladder is None else block.ladder.slug,
        purpose=block.purpose,
        state=block.state,
        board=block.board,
        options=block.options,
        control=block.control,
        is_mirrored=block.is_mirrored,
        created=block.created,
        finished=block.finished,
        matches=[
            GameShape(
                id=match.pk,
                number=match.number,
                replay=(match.replay or None) if is_recorded else None,
            )
            for match in matches
        ],
        sides=_sides(matches),
    )


def _sides(matches: Sequence[Match]) -> list[SideShape]:
    sides: dict[int, SideShape] = {}
    for match in matches:
        seats = [(seat, getattr(seat, "result", None)) for seat in match.seats.all()]
        firsts = sum(result is not None and result.place == 1 for _, result in seats)
        for seat, result in seats:
            bot = seat.version.bot
            side = sides.setdefault(
                seat.version_id,
                SideShape(
                    bot=bot.slug,
                    version=seat.version.number,
                    version_id=seat.version_id,
                    owner=bot.owner.username,
                    wins=0,
                    points=0,
                    faults=0,
                ),
            )
            if result is not None:
                side.wins += (result.place == 1) / max(firsts, 1)
                side.points += result.points
                side.faults += bool(result.fault)
    return sorted(sides.values(), key=lambda one: (-one.wins, -one.points, one.bot, one.version))


def _seat_shape(seat: Any) -> SeatShape:
    result = getattr(seat, "result", None)  # missing until the match is recorded
    bot = seat.version.bot
    return SeatShape(
        seat=seat.number,
        bot=bot.slug,
        version=seat.version.number,
        version_id=seat.version_id,
        owner=bot.owner.username,
        kind=seat.version.kind,
        turn=None if result is None else result.turn,
        place=None if result is None else result.place,
        points=None if result is None else result.points,
        fault="" if result is None else result.fault,
    )
