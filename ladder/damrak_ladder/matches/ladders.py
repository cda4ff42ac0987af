"""Ladders: made and changed, if what is asked for can be played."""

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
from damrak_ladder.matches.controls import control_of
from damrak_ladder.matches.entries import enter_everybody, seat_house
from damrak_ladder.matches.errors import BadBoard, BadLadder, UnknownBoard
from damrak_ladder.matches.models import Ladder

_SLUG: Final = r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?"


@dataclass(frozen=True, slots=True)
class LadderPlan:
    """What a ladder is to be.

    `shares` says how often tables of 2, 3 and 4 are played, `anchors` the Elo of some of the house
    bots, each by its spec. `anchor_errors` has the standard deviations of these Elo. The first
    anchor without one is fixed; others without one get `anchors.USUAL_ERROR`.
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
    """What a ladder is; changed with `dataclasses.replace`, it says what it is to be."""
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
    """A new ladder with its house bots, and with all bots if it enters all.

    Raises:
        BadLadder: naming the field that is no good.
    """
    check_plan(plan)
    with transaction.atomic():
        if Ladder.objects.filter(slug=plan.slug).exists():
            raise BadLadder("slug", f"there is a ladder {plan.slug} already")
        ladder = Ladder.objects.create(created=now, **_columns(plan))
        _fill(ladder, now)
    return ladder


def change_ladder(ladder: Ladder, plan: LadderPlan, now: datetime) -> Ladder:
    """Make the ladder what the plan says; blocks booked before are played as they were booked.

    Raises:
        BadLadder: naming the field that is no good.
    """
    check_plan(plan)
    if plan.slug != ladder.slug:
        raise BadLadder("slug", "a ladder keeps its slug, since addresses lead there")
    with transaction.atomic():
        Ladder.objects.filter(pk=ladder.pk).update(**_columns(plan))
        ladder.refresh_from_db()
        _fill(ladder, now)
    return ladder


def check_plan(plan: LadderPlan) -> None:
    """See to it that such a ladder can be played.

    Raises:
        BadLadder: naming the field that is no good.
    """
    if not re.fullmatch(_SLUG, plan.slug):
        raise BadLadder("slug", "is not made of lower-case letters, digits and inner hyphens")
    for name, most in (("name", 60), ("summary", 300)):
        if len(getattr(plan, name)) > most:
            raise BadLadder(name, f"has more than {most} characters")
        if not getattr(plan, name).isprintable():
            raise BadLadder(name, "has characters that cannot be printed")
    if not plan.name.strip():
        raise BadLadder("name", "is empty")
    _check_shares(plan.shares)
    _check_boards(plan)
    try:
        parse_options(dict(plan.options))
    except OptionsError as problem:
        raise BadLadder("options", str(problem)) from None
    _check_first_player(plan)
    control_of(plan.control)
    if not 1 <= plan.rotations <= MOST_ROTATIONS:
        raise BadLadder("rotations", f"{plan.rotations} is not from 1 to {MOST_ROTATIONS}")
    if not (math.isfinite(plan.weight) and plan.weight > 0):
        raise BadLadder("weight", f"{plan.weight:g} is no number above 0")
    _check_people(plan)


def _check_shares(shares: Mapping[int, float]) -> None:
    for seats, share in shares.items():
        if seats not in SEATS:
            raise BadLadder("shares", f"{seats} is no number of players: 2, 3 or 4")
        if not (math.isfinite(share) and share >= 0):
            raise BadLadder("shares", f"{share:g} for {seats} players is no share from 0 on")
    if not any(share > 0 for share in shares.values()):
        raise BadLadder("shares", "no number of players has a share above 0")


def _check_boards(plan: LadderPlan) -> None:
    pool = list(plan.boards)
    try:
        check_pool(pool)
    except (BadBoard, UnknownBoard) as problem:
        raise BadLadder("boards", str(problem)) from None
    sizes = [seats for seats, share in plan.shares.items() if share > 0]
    for name in pool:
        if name.startswith(DAILY):
            continue  # they are all for two to four
        low, high = board_of(name).players
        if not (low <= min(sizes) and max(sizes) <= high):
            raise BadLadder("boards", f"{name} is for {low} to {high} players")


def _check_first_player(plan: LadderPlan) -> None:
    """A first player that goes round with the seats would always be the same version."""
    chosen = plan.options.get("first_player", "random")
    smallest = min(seats for seats, share in plan.shares.items() if share > 0)
    if chosen == "rotate":
        raise BadLadder("options", "first_player: seats rotate within a block; say random")
    if chosen.startswith("seat ") and int(chosen[5:]) >= smallest:
        raise BadLadder("options", f"first_player: no {chosen} at a table for {smallest}")


def _check_people(plan: LadderPlan) -> None:
    if not plan.admits and len(plan.house) < min(SEATS):
        raise BadLadder("admits", "names nobody, and there are fewer than two house bots")
    for kind in plan.admits:
        if kind not in Kind.values:
            raise BadLadder("admits", f"no kind {kind!r}; there are: {', '.join(Kind.values)}")
    for spec in plan.house:
        try:
            check_spec(spec)
        except ValueError as problem:
            raise BadLadder("house", str(problem)) from None
    if len(set(plan.house)) < len(plan.house):
        raise BadLadder("house", "a bot stands there twice")
    for spec in plan.anchors:
        if spec not in plan.house:
            raise BadLadder("anchors", f"{spec} is not among the house bots of the ladder")
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
