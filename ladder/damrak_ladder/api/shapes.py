"""What is sent, as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema

from damrak_ladder.accounts.models import ApiToken
from damrak_ladder.bots.models import Bot, Kind, Step, Version
from damrak_ladder.matches.models import BlockState, Ladder, Match


class Index(Schema):
    """What this is."""

    software: str
    version: str
    url: str
    local_key: str | None
    """Where a token for this machine's own user is, if the site serves this machine only."""
    local_proof: str | None
    """For a `nonce`: that the site has read that file, so that nobody shows it to another."""


class PublicKey(Schema):
    """The keys with which replays are signed."""

    algorithm: str
    public_key: str  # the one in use
    keys: list[str]  # that one, then those used earlier whose signatures still count


class TokenShape(Schema):
    """A token, without what makes it one."""

    id: int
    name: str
    scopes: list[str]
    created: datetime
    expires: datetime | None
    last_used: datetime | None


class Me(Schema):
    """Whose token it is."""

    username: str
    role: str
    token: TokenShape


class LadderShape(Schema):
    """A standing competition."""

    slug: str
    name: str
    summary: str
    boards: list[str]
    shares: dict[str, float]
    options: dict[str, Any]
    control: dict[str, Any]
    rotations: int
    admits: list[str]
    house: list[str]
    anchors: dict[str, float]
    anchor_errors: dict[str, float]
    """The standard deviations of the Elo of anchors; the one without is fixed."""
    intervals_relative_to: Literal["anchors", "field"]
    """What the published intervals are distances to: the anchors, or the mean of the field if the
    ladder has none."""
    is_open: bool
    created: datetime


class VersionShape(Schema):
    """A submission."""

    id: int
    bot: str
    number: int
    kind: str
    language: str
    sha256: str
    size: int
    note: str
    spec: str
    state: str
    is_live: bool
    goes_live: bool
    reason: str
    created: datetime
    changed: datetime


class BotShape(Schema):
    """A line of versions."""

    slug: str
    name: str
    owner: str
    created: datetime
    live: int | None
    """The number of the version that plays."""


class BotInFull(BotShape):
    """A line of versions, with the newest of them."""

    ladders: list[str]
    versions: list[VersionShape]


class StepShape(Schema):
    """Something that happened to a version."""

    id: int
    at: datetime
    kind: str
    text: str
    detail: dict[str, Any]


class Journey(Schema):
    """How far a version is, and what happened to it since a step that is known."""

    version: VersionShape
    is_over: bool
    """Whether nothing more happens by itself."""
    steps: list[StepShape]


class SeatShape(Schema):
    """Who sat there, and how it came out."""

    seat: int
    bot: str
    version: int
    version_id: int
    owner: str
    kind: str
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
    purpose: str
    state: str
    board: str
    options: dict[str, Any]
    control: dict[str, Any]
    is_mirrored: bool
    finished: datetime | None
    replay: str | None
    seats: list[SeatShape]


class LogShape(Schema):
    """What is known of a seat beside the replay."""

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
    """A match in which a version failed, and where more about it is."""

    match: int
    seat: int
    attempt: int
    reason: str
    detail: str
    log: str
    bundle: str


def token_shape(token: ApiToken) -> TokenShape:
    """A token as it is sent."""
    return TokenShape(
        id=token.pk,
        name=token.name,
        scopes=token.scopes,
        created=token.created,
        expires=token.expires,
        last_used=token.last_used,
    )


def ladder_shape(ladder: Ladder) -> LadderShape:
    """A ladder as it is sent."""
    return LadderShape(
        **{
            name: getattr(ladder, name)
            for name in LadderShape.model_fields
            if name != "intervals_relative_to"
        },
        intervals_relative_to="anchors" if ladder.anchors else "field",
    )


def bot_shape(bot: Bot) -> BotShape:
    """A bot with its owner and its live version as it is sent."""
    return BotShape(
        slug=bot.slug,
        name=bot.name,
        owner=bot.owner.username,
        created=bot.created,
        live=None if bot.live is None else bot.live.number,
    )


def version_shape(version: Version) -> VersionShape:
    """A version with its bot as it is sent."""
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
        reason=version.reason,
        created=version.created,
        changed=version.changed,
    )


def step_shape(step: Step) -> StepShape:
    """A step as it is sent."""
    return StepShape(id=step.pk, at=step.at, kind=step.kind, text=step.text, detail=step.detail)


def match_shape(match: Match) -> MatchShape:
    """A match with its block, its seats and their results as it is sent."""
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


def _seat_shape(seat: Any) -> SeatShape:
    result = getattr(seat, "result", None)  # there is none before the match is recorded
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
