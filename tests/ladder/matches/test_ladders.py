"""Ladders can be played as configured, and have the right bots."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from damrak.bots import HOUSE_BOTS as SDK_BOTS, parameters
from damrak_engine.clock import TimeControl
from damrak_ladder.bots.house import HOUSE_BOTS, house_version
from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Bot, Kind, Version
from damrak_ladder.bots.submission import create_bot
from damrak_ladder.matches.entries import enter, enter_all, leave, live_versions
from damrak_ladder.matches.errors import BadLadder, NotAdmitted
from damrak_ladder.matches.ladders import LadderPlan, change_ladder, create_ladder, plan_of
from damrak_ladder.matches.time_control import control_of
from ladder.bot_versions import some_bot, some_version
from ladder.people import NOW, somebody

pytestmark = pytest.mark.usefixtures("database")

PLAN = LadderPlan(
    slug="mixed",
    name="Mixed tables",
    boards=("amsterdam", "practice"),
    shares={2: 1.0, 3: 1.0},
    house=("random", "greedy"),
    anchors={"greedy": 1200.0},
)


def live(slug: str, kind: Kind = Kind.UPLOADED) -> Bot:
    bot = some_bot(slug)
    promote(bot.pk, None, some_version(bot, slug, kind).pk, NOW)
    bot.refresh_from_db()
    return bot


def on(ladder: Any) -> list[str]:
    return [version.bot.slug for version in live_versions(ladder)]


def test_house_bots_are_those_of_the_sdk() -> None:
    assert {name: set(parameters(bot)) for name, bot in SDK_BOTS.items()} == HOUSE_BOTS


def test_house_bot_is_made_once() -> None:
    one = house_version("mcts:ms=100", NOW)
    assert house_version("mcts:ms=100", NOW) == one
    assert (one.bot.slug, one.bot.name, one.kind) == ("house-mcts-ms-100", "mcts, 100 ms", "house")
    assert not one.bot.owner.is_active
    assert Version.objects.count() == 1


def test_names_of_house_bots_are_reserved() -> None:
    with pytest.raises(ValueError, match="house bots"):
        create_bot(somebody(), "house-mine", "Mine", NOW)


def test_ladder_starts_with_its_house_bots_and_all_admitted_ones() -> None:
    live("stan"), live("rita", Kind.REMOTE)
    some_bot("no-version-yet")
    assert on(create_ladder(PLAN, NOW)) == ["stan", "rita", "house-random", "house-greedy"]
    uploads = create_ladder(
        replace(PLAN, slug="uploads", admits=(Kind.UPLOADED,), house=(), anchors={}), NOW
    )
    assert on(uploads) == ["stan"]
    invited = create_ladder(
        replace(PLAN, slug="invited", enters_all=False, house=(), anchors={}), NOW
    )
    assert on(invited) == []


def test_plan_of_a_ladder_is_what_it_was_made_of() -> None:
    assert plan_of(create_ladder(PLAN, NOW)) == PLAN


def test_changed_ladder_has_other_house_bots() -> None:
    ladder = create_ladder(PLAN, NOW)
    change_ladder(ladder, replace(PLAN, house=("greedy", "planner"), rotations=2), NOW)
    assert on(ladder) == ["house-greedy", "house-planner"]
    assert ladder.rotations == 2


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("slug", "Mixed!", "lower-case"),
        ("name", " ", "is empty"),
        ("name", "a\x1b[2Jb", "cannot be printed"),
        ("boards", (), "at least one"),
        ("boards", ("atlantis",), "no board atlantis"),
        ("boards", ("daily:90",), "from 12 to 40"),
        ("shares", {2: 0.0}, "above 0"),
        ("shares", {5: 1.0}, "2, 3 or 4"),
        ("shares", {2: -1.0}, "at least 0"),
        ("shares", {2: math.nan}, "at least 0"),
        ("options", {"all_wild": "maybe"}, "all_wild"),
        ("options", {"first_player": "rotate"}, "first_player"),
        ("options", {"first_player": "seat 2"}, "table for 2"),
        ("control", {"bank_ms": 0}, "bank_ms"),
        ("control", {"bank": 5}, "no limit bank"),
        ("control", {"strikes": True}, "whole number"),
        ("rotations", 21, "1 to 20"),
        ("weight", 0.0, "above 0"),
        ("house", ("gredy",), "no house bot"),
        ("house", ("greedy:ms=1",), "no parameter"),
        ("house", ("greedy", "greedy"), "twice"),
        ("anchors", {"mcts": 5.0}, "not among"),
        ("anchor_errors", {"greedy": 30.0}, "not an anchor"),
        ("admits", ("robots",), "no kind"),
    ],
)
def test_unplayable_orders_are_refused_and_named(field: str, value: Any, problem: str) -> None:
    changes: dict[str, Any] = {"anchors": {}, field: value}
    with pytest.raises(BadLadder, match=problem) as refused:
        create_ladder(replace(PLAN, **changes), NOW)
    assert refused.value.field == field
    assert not Bot.objects.exists()


def test_slug_is_taken_once_and_kept() -> None:
    ladder = create_ladder(PLAN, NOW)
    with pytest.raises(BadLadder, match="already"):
        create_ladder(PLAN, NOW)
    with pytest.raises(BadLadder, match="cannot be changed"):
        change_ladder(ladder, replace(PLAN, slug="other"), NOW)


def test_control_left_out_is_the_engines() -> None:
    assert control_of({}) == TimeControl()
    assert control_of({"decision_ms": None, "strikes": 1}).decision_ms is None


def test_bot_that_left_is_not_re_entered_but_may_return() -> None:
    ladder = create_ladder(PLAN, NOW)
    stan = live("stan")
    assert enter_all(stan, NOW) == [ladder]
    assert enter_all(stan, NOW) == []
    assert leave(ladder, stan, NOW)
    assert not leave(ladder, stan, NOW)
    assert enter_all(stan, NOW) == []
    assert "stan" not in on(ladder)
    enter(ladder, stan, NOW)
    assert "stan" in on(ladder)


def test_refused_bot_gets_the_reason() -> None:
    ladder = create_ladder(replace(PLAN, admits=(Kind.REMOTE,)), NOW)
    with pytest.raises(NotAdmitted, match="does not admit bots of this kind: uploaded"):
        enter(ladder, live("stan"), NOW)
    with pytest.raises(NotAdmitted, match="Submit one first"):
        enter(ladder, some_bot("new"), NOW)
