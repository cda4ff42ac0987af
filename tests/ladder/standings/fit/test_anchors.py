"""Anchors with a standard deviation: configured, migrated, published, verified and followed."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps

from damrak_ladder.command_line import main
from damrak_ladder.matches.errors import BadLadder
from damrak_ladder.matches.ladders import LadderPlan, change_ladder, create_ladder, plan_of
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.audit.comparison import Rebuilt, compare_fit
from damrak_ladder.standings.counts.updates import absorb
from damrak_ladder.standings.fit.anchor_checks import AnchorCheck, Verdict
from damrak_ladder.standings.fit.anchors import anchors_of
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.fit.snapshot import rows_of
from damrak_ladder.standings.models import Fit, Progress, Running, Standing
from damrak_ladder.standings.read.estimates import estimates
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.seasons import some_field, some_season
from ladder.visitors import page, queries_of, visitor

pytestmark = pytest.mark.usefixtures("database")

LATER = NOW + timedelta(minutes=2)
PLAN = LadderPlan(
    slug="held",
    name="Held",
    boards=("practice",),
    shares={2: 1.0},
    house=("random", "greedy", "planner"),
    anchors={"planner": 1500.0, "greedy": 725.0, "random": 140.0},
    anchor_errors={"random": 45.0},
)


def held(**values):
    """Return a ladder with a fixed anchor, an uncertain one, and blocks."""
    given = {
        "shares": {"2": 1, "3": 1, "4": 1},
        "anchors": {"planner": 1600.0, "mine:1": 1500.0},
        "anchor_errors": {"mine:1": 40.0},
    }
    ladder, versions = some_ladder("held", **(given | values)), some_field(5)
    for block in some_season(ladder, versions, 60):
        absorb(block)
    return ladder, versions


def published(ladder, now=NOW):
    fit = publish(ladder, now)
    assert fit is not None
    return fit


def verified(ladder, fit):
    result = Rebuilt(ladder.slug)
    standings = list(Standing.objects.filter(ladder=ladder))
    progress = Progress.objects.get(ladder=ladder)
    compare_fit(ladder, progress, fit, standings, rows_of(ladder, fit.serial), result)
    return result.differences


def test_the_first_anchor_without_a_deviation_is_fixed() -> None:
    ladder = create_ladder(PLAN, NOW)
    assert ladder.anchor_errors == {"greedy": 30.0, "random": 45.0}
    assert plan_of(ladder).anchor_errors == ladder.anchor_errors
    changed = change_ladder(ladder, replace(plan_of(ladder), weight=2.0), NOW)
    assert changed.anchor_errors == {"greedy": 30.0, "random": 45.0}
    other = replace(PLAN, anchor_errors={"planner": 20.0})
    assert change_ladder(ladder, other, NOW).anchor_errors == {"planner": 20.0, "random": 30.0}


@pytest.mark.parametrize(
    ("errors", "problem"),
    [
        ({"planner": 1.0, "greedy": 1.0, "random": 1.0}, "One anchor must be fixed"),
        ({"greedy": 0.0}, "must be above 0"),
        ({"greedy": float("nan")}, "must be above 0"),
        ({"greedy": 2000.0}, "at most"),
        ({"mcts": 30.0}, "not an anchor"),
    ],
)
def test_invalid_deviations_are_refused(errors, problem) -> None:
    with pytest.raises(BadLadder, match=problem):
        create_ladder(replace(PLAN, anchor_errors=errors), NOW)


def test_ladders_of_an_earlier_release_get_deviations() -> None:
    for slug, anchors in (
        ("usual", {"greedy": 725.0, "random": 140.0, "planner": 1500.0}),
        ("other", {"greedy": 725.0, "random": 140.0}),
        ("single", {"greedy": 725.0}),
        ("free", {}),
    ):
        some_ladder(slug, anchors=anchors)
    import_module("damrak_ladder.matches.migrations.0004_anchor_errors").state_errors(apps, None)
    assert {ladder.slug: ladder.anchor_errors for ladder in Ladder.objects.all()} == {
        "usual": {"greedy": 30.0, "random": 30.0},
        "other": {"random": 30.0},
        "single": {},
        "free": {},
    }


def test_ratings_with_fixed_anchors_are_verified_and_published_again() -> None:
    ladder, _ = held(anchor_errors={})
    fit = published(ladder)
    assert (fit.anchor_errors, fit.anchor_checks) == ({}, [])
    ladder.anchor_errors = {"mine:1": 30.0}  # as after the migration
    ladder.save()
    assert verified(ladder, fit) == []
    again = published(ladder, LATER)
    assert list(again.anchor_errors.values()) == [30.0]
    assert again.digest != fit.digest


def test_uncertain_anchors_have_an_interval_and_are_checked() -> None:
    ladder, versions = held()
    fit = published(ladder)
    fixed, uncertain = (
        Standing.objects.get(ladder=ladder, version=version, seats=0) for version in versions[:2]
    )
    assert fixed.low == fixed.elo == fixed.high == 1600
    assert uncertain.low < uncertain.elo < uncertain.high
    (check,) = map(AnchorCheck.parse, fit.anchor_checks)
    assert (check.version, check.stated, check.stated_error) == (versions[1].pk, 1500.0, 40.0)
    assert check.found is not None
    assert min(1500, check.found) <= uncertain.elo <= max(1500, check.found)


def test_the_check_is_what_the_games_alone_say() -> None:
    ladder, versions = held(anchors={"planner": 1600.0}, anchor_errors={})
    alone = published(ladder)
    row = Standing.objects.get(ladder=ladder, version=versions[1], seats=0)
    ladder.anchors = {"planner": 1600.0, "mine:1": 400.0}
    ladder.anchor_errors = {"mine:1": 20.0}
    ladder.save()
    (check,) = map(AnchorCheck.parse, published(ladder, LATER).anchor_checks)
    assert alone.anchor_checks == []
    assert check.found == row.elo
    assert check.verdict == Verdict.WRONG


def test_verification_compares_errors_and_checks() -> None:
    ladder, _ = held()
    fit = published(ladder)
    assert verified(ladder, fit) == []
    fit.anchor_checks[0]["found"] += 1
    assert "checks" in verified(ladder, fit)[0]
    fit = Fit.objects.get(pk=fit.pk)
    fit.anchor_errors = dict.fromkeys(fit.anchor_errors, 5.0)
    assert "other blocks, anchors or lists" in verified(ladder, fit)[0]


def test_estimates_between_fits_follow_the_same_model() -> None:
    ladder, versions = held()
    before = {row.version_id: row for row in Running.objects.filter(ladder=ladder)}
    assert before[versions[0].pk].elo == pytest.approx(1600, abs=0.01)
    assert abs(before[versions[1].pk].elo - 1500) > 0.5  # also before the first fit
    assert before[versions[1].pk].error <= 40
    published(ladder)
    row = Standing.objects.get(ladder=ladder, version=versions[1], seats=0)
    known = estimates(ladder, [version.pk for version in versions])
    assert [known[version.pk].is_anchor for version in versions[:3]] == [True, True, False]
    assert known[versions[0].pk].error == 0
    assert known[versions[1].pk].elo == pytest.approx(row.elo, abs=0.6)
    assert 0 < known[versions[1].pk].error <= 40


def test_an_anchor_that_has_not_played_is_known_as_configured() -> None:
    ladder, versions = some_ladder(anchors={"planner": 1600.0}), some_field(2)
    ladder.anchors |= {"mine:1": 1500.0}
    ladder.anchor_errors = {"mine:1": 25.0}
    ladder.save()
    known = estimates(ladder, [version.pk for version in versions])[versions[1].pk]
    assert (known.elo, known.error, known.is_anchor) == (1500.0, 25.0, True)
    assert anchors_of(ladder, [versions[1].pk]).errors == {versions[1].pk: 25.0}


@pytest.mark.parametrize(
    ("found", "error", "verdict"),
    [
        (1540, 30, "fits"),
        (1620, 30, "doubtful"),
        (1300, 5, "wrong"),
        (1540, 200, "few"),
        (None, None, "none"),
    ],
)
def test_verdicts(found, error, verdict) -> None:
    check = AnchorCheck(1, 1500.0, 40.0, found, error)
    assert check.verdict == verdict
    assert AnchorCheck.parse(asdict(check)) == check


def test_the_page_compares_uncertain_anchors_with_the_games() -> None:
    ladder, _ = held(anchor_errors={"mine:1": 4.0}, anchors={"planner": 1600.0, "mine:1": 400.0})
    client = visitor()
    before = page(client, "/ladders/held/")
    assert "No games of these anchors have been counted yet" in before
    assert "no games yet" in before
    (check,) = map(AnchorCheck.parse, published(ladder).anchor_checks)
    shown = page(client, "/ladders/held/")
    assert "No games of these anchors" not in shown
    assert "The Elo of planner is fixed and defines the scale." in shown
    (row,) = re.findall(r'<th scope="row">mine.*?</tr>', shown, re.S)
    assert "400 ± 4" in row
    assert check.found is not None
    assert f"{check.found_error}</td>" in row
    assert "does not fit the games" in row
    # The table marks it as an anchor although it has an interval.
    assert re.search(r'bots/bot-1/.*?<span class="tag">anchor</span>', shown, re.S)
    for language, verdict in (("nl", "past niet bij de partijen"), ("fi", "ei sovi peleihin")):
        assert verdict in client.get(f"/{language}/ladders/held/").content.decode()


def test_the_page_costs_the_same_however_much_was_played() -> None:
    ladder, versions = held()
    published(ladder)
    client = visitor()
    before = queries_of(client, "/ladders/held/")
    for block in some_season(ladder, versions, 30, seed=2):
        absorb(block)
    published(ladder, LATER)
    assert queries_of(client, "/ladders/held/") == before


def test_a_single_anchor_needs_no_table() -> None:
    held(anchors={"planner": 1600.0}, anchor_errors={})
    shown = page(visitor(), "/ladders/held/")
    assert "The Elo of planner is fixed" in shown
    assert "Verdict" not in shown


def run(line: str) -> int:
    """Run `damrak-ladder` with these arguments."""
    return main(line.split())


class TestCommand:
    def test_anchors_are_configured_with_deviations(self, capsys) -> None:
        given = "planner=1500 greedy=725:28 random=140"
        arguments = "ladders add duel --boards practice --seats 2:1 --house random greedy planner"
        assert run(f"{arguments} --anchors {given}") == 0
        ladder = Ladder.objects.get(slug="duel")
        assert ladder.anchors == {"planner": 1500.0, "greedy": 725.0, "random": 140.0}
        assert ladder.anchor_errors == {"greedy": 28.0, "random": 30.0}
        assert run("ladders change duel --anchors greedy=700 planner=1480:12.5") == 0
        ladder.refresh_from_db()
        assert (ladder.anchors["planner"], ladder.anchor_errors) == (1480.0, {"planner": 12.5})
        assert run("ladders change duel --anchors greedy=700:x") == 2
        assert "--anchors" in capsys.readouterr().err

    @pytest.mark.process
    def test_measured_anchors_can_be_configured(self, capsys) -> None:
        create_ladder(replace(PLAN, shares={2: 1.0, 3: 1.0}), NOW)
        assert run("anchors measure held --games 12 --seed test --jobs 1 --json") == 0
        found = json.loads(capsys.readouterr().out)
        fixed, *others = found["anchors"]
        assert (fixed["bot"], fixed["elo"], fixed["sd"]) == ("planner", 1500, 0)
        assert [one["bot"] for one in others] == ["greedy", "random"]
        for one in others:
            assert one["elo"] < 1500
            assert one["sd"] > 10
            assert (one["games"], set(one["by_size"])) == (36, {"2", "3"})
        assert main(found["command"].split()[1:]) == 0
        ladder = Ladder.objects.get(slug="held")
        assert ladder.anchor_errors == {one["bot"]: one["sd"] for one in others}
        assert run("anchors show held") == 0
        assert "planner  1500.0  -" in capsys.readouterr().out

    def test_checks_are_printed(self, capsys) -> None:
        ladder, _ = held()
        (check,) = map(AnchorCheck.parse, published(ladder).anchor_checks)
        assert run("anchors show held --json") == 0
        fixed, uncertain = json.loads(capsys.readouterr().out)
        assert (fixed["bot"], fixed["verdict"]) == ("planner", "fixed")
        assert (uncertain["games_elo"], uncertain["verdict"]) == (check.found, check.verdict)

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ("nowhere", "no ladder"),
            ("held --games 1", "--games"),
            ("held --jobs 0", "--jobs"),
            ("held --bots planner", "fewer than two"),
            ("held --bots planner planner", "twice"),
            ("held --bots planner nonsense", "no house bot"),
        ],
    )
    def test_misuse_is_named(self, arguments, problem, capsys) -> None:
        create_ladder(PLAN, NOW)
        assert run(f"anchors measure {arguments}") == 2
        assert problem in capsys.readouterr().err
