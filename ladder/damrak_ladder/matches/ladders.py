"""Creation and changes of ladders, with checks that they can be played."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from damrak_engine.errors import OptionsError
from damrak_engine.options import parse_options
from damrak_ladder.bots.house import check_spec
from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.anchors import check_anchors, stated_errors
from damrak_ladder.matches.boards import DAILY, board_of, check_pool
from damrak_ladder.matches.booking import MOST_ROTATIONS, SEATS
from damrak_ladder.matches.entries import enter_everybody, seat_house
from damrak_ladder.matches.errors import BadBoard, BadLadder, UnknownBoard
from damrak_ladder.matches.models import Ladder
from damrak_ladder.matches.time_control import control_of
from damrak_ladder.message_codes import ladder_codes as codes

_SLUG: Final = r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?"


@dataclass(frozen=True, slots=True)
class LadderPlan:
    """The specification of a ladder.

    `shares` contains the frequencies of tables of 2, 3 and 4, `anchors` the Elo of some of the
    house bots, each by its spec. `anchor_errors` contains the standard deviations of these Elo. The
    first anchor without one is fixed; others without one get `anchors.USUAL_ERROR`.
    """

    slug: str
    name: str
    boards: tuple[str, ...]
    shares: Mapping[int, float]
    summary: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    control: Mapping[str, Any] = field(default_factory=dict)
    rotations: int = 1
    admits: tuple[str, ...] = (Kind.UPLOADED, Kind.REMOTE)
    house: tuple[str, ...] = ()
    anchors: Mapping[str, float] = field(default_factory=dict)
    anchor_errors: Mapping[str, float] = field(default_factory=dict)
    weight: float = 1.0
    enters_all: bool = True
    is_open: bool = True


def plan_of(ladder: Ladder) -> LadderPlan:
    """Return the plan of an existing ladder; change it with `dataclasses.replace`."""
    return LadderPlan(
        slug=ladder.slug,
        name=ladder.name,
        boards=tuple(ladder.boards),
        shares={int(seats): share for seats, share in ladder.shares.items()},
        summary=ladder.summary,
        options=ladder.options,
        control=ladder.control,
        rotations=ladder.rotations,
        admits=tuple(ladder.admits),
        house=tuple(ladder.house),
        anchors=ladder.anchors,
        anchor_errors=ladder.anchor_errors,
        weight=ladder.weight,
        enters_all=ladder.enters_all,
        is_open=ladder.is_open,
    )


def create_ladder(plan: LadderPlan, now: datetime) -> Ladder:
    """Create a ladder with its house bots, and with all bots if it enters all.

    Raises:
        BadLadder: a field is invalid; the error names it.
    """
    check_plan(plan)
    with transaction.atomic():
        if Ladder.objects.filter(slug=plan.slug).exists():
            raise BadLadder("slug", codes.LadderExists(plan.slug))
        ladder = Ladder.objects.create(created=now, **_columns(plan))
        _fill(ladder, now)
    return ladder


def change_ladder(ladder: Ladder, plan: LadderPlan, now: datetime) -> Ladder:
    """Change a ladder to match the plan; blocks booked before are played as they were booked.

    Raises:
        BadLadder: a field is invalid; the error names it.
    """
    check_plan(plan)
    if plan.slug != ladder.slug:
        raise BadLadder("slug", codes.LadderSlugFixed())
    with transaction.atomic():
        Ladder.objects.filter(pk=ladder.pk).update(**_columns(plan))
        ladder.refresh_from_db()
        _fill(ladder, now)
    return ladder


def check_plan(plan: LadderPlan) -> None:
    """Check that a ladder with this plan can be played.

    Raises:
        BadLadder: a field is invalid; the error names it.
    """
    if not re.fullmatch(_SLUG, plan.slug):
        raise BadLadder("slug", codes.InvalidSlug(plan.slug))
    for name, most in (("name", 60), ("summary", 300)):
        if len(getattr(plan, name)) > most:
            raise BadLadder(name, codes.TextTooLong(most))
        if not getattr(plan, name).isprintable():
            raise BadLadder(name, codes.TextUnprintable())
    if not plan.name.strip():
        raise BadLadder("name", codes.TextEmpty())
    _check_shares(plan.shares)
    _check_boards(plan)
    try:
        parse_options(dict(plan.options))
    except OptionsError as problem:
        raise BadLadder("options", codes.InvalidOptions(str(problem))) from None
    _check_first_player(plan)
    control_of(plan.control)
    if not 1 <= plan.rotations <= MOST_ROTATIONS:
        raise BadLadder("rotations", codes.RotationsOutOfRange(plan.rotations, MOST_ROTATIONS))
    if not (math.isfinite(plan.weight) and plan.weight > 0):
        raise BadLadder("weight", codes.WeightNotPositive())
    _check_people(plan)


def _check_shares(shares: Mapping[int, float]) -> None:
    for seats, share in shares.items():
        if seats not in SEATS:
            raise BadLadder("shares", codes.PlayersOutOfRange(seats))
        if not (math.isfinite(share) and share >= 0):
            raise BadLadder("shares", codes.ShareNegative(seats))
    if not any(share > 0 for share in shares.values()):
        raise BadLadder("shares", codes.NoShare())


def _check_boards(plan: LadderPlan) -> None:
    pool = list(plan.boards)
    try:
        check_pool(pool)
    except (BadBoard, UnknownBoard) as problem:
        raise BadLadder("boards", problem.message) from None
    sizes = [seats for seats, share in plan.shares.items() if share > 0]
    for name in pool:
        if name.startswith(DAILY):
            continue  # valid for all sizes from two to four
        low, high = board_of(name).players
        if not (low <= min(sizes) and max(sizes) <= high):
            raise BadLadder("boards", codes.BoardPlayers(name, low, high))


def _check_first_player(plan: LadderPlan) -> None:
    """Reject a first player that rotates with the seats: it would always be the same version."""
    chosen = plan.options.get("first_player", "random")
    smallest = min(seats for seats, share in plan.shares.items() if share > 0)
    if chosen == "rotate":
        raise BadLadder("options", codes.FirstPlayerRotates())
    if chosen.startswith("seat ") and int(chosen[5:]) >= smallest:
        raise BadLadder("options", codes.FirstPlayerSeat(chosen, smallest))


def _check_people(plan: LadderPlan) -> None:
    if not plan.admits and len(plan.house) < min(SEATS):
        raise BadLadder("admits", codes.NoPlayersAdmitted())
    for kind in plan.admits:
        if kind not in Kind.values:
            raise BadLadder("admits", codes.UnknownKind(str(kind), tuple(Kind.values)))
    for spec in plan.house:
        try:
            check_spec(spec)
        except ValueError as problem:
            raise BadLadder("house", codes.InvalidHouseBot(str(problem))) from None
    if len(set(plan.house)) < len(plan.house):
        raise BadLadder("house", codes.HouseBotTwice())
    for spec in plan.anchors:
        if spec not in plan.house:
            raise BadLadder("anchors", codes.AnchorNotHouseBot(spec))
    check_anchors(plan.anchors, plan.anchor_errors)


def _fill(ladder: Ladder, now: datetime) -> None:
    seat_house(ladder, now)
    if ladder.is_open and ladder.enters_all:
        enter_everybody(ladder, now)


def _columns(plan: LadderPlan) -> dict[str, Any]:
    columns = asdict(plan)
    return columns | {
        "boards": list(plan.boards),
        "shares": {str(seats): float(share) for seats, share in sorted(plan.shares.items())},
        "admits": list(plan.admits),
        "house": list(plan.house),
        "anchor_errors": stated_errors(plan.anchors, plan.anchor_errors),
    }
