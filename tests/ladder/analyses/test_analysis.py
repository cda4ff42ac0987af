"""The contents of a match analysis, and the information that it must not use."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import pytest

from damrak_engine.determinize import determinize
from damrak_engine.observation import observe
from damrak_engine.scoring import contract_points
from damrak_ladder.analyses import costs
from damrak_ladder.analyses.analysis import analyse, told
from damrak_ladder.analyses.course import course_of
from damrak_ladder.analyses.luck import luck_of
from ladder.analyses.analysed import a_replay, by_chance, by_policy


@pytest.mark.parametrize(("seats", "leaver"), [(2, None), (3, None), (4, None), (2, 1), (4, 0)])
def test_chances_sum_to_one_and_end_with_the_result(seats: int, leaver: int | None) -> None:
    replay = a_replay(seats, seats, choosers=[by_chance(i) for i in range(seats)], leaver=leaver)
    analysis = analyse(replay, effort=0.03)
    lines = analysis["chances"]["seats"]
    assert len(lines) == seats
    moments = analysis["chances"]["moments"]
    assert moments == sorted(set(moments))
    assert moments[0] == 0
    assert moments[-1] == len(replay.events) - 1
    for at in range(len(moments)):
        assert sum(line[at][0] for line in lines) == pytest.approx(1, abs=1e-3)
        assert all(line[at][1] <= line[at][0] <= line[at][2] for line in lines)
    winners = replay.result.winners
    for seat, line in enumerate(lines):
        share = 1 / len(winners) if seat in winners else 0
        assert line[-1] == [pytest.approx(share, abs=1e-4)] * 3


def test_an_analysis_is_a_function_of_the_replay() -> None:
    replay = a_replay(7, 3)
    assert analyse(replay, effort=0.02) == analyse(replay, effort=0.02)


def test_parts_of_a_lead_add_up_to_it() -> None:
    replay = a_replay(3, 3, choosers=[by_chance(i) for i in range(3)])
    analysis = analyse(replay, effort=0.03)
    for one in analysis["luck"]["seats"]:
        parts = [one[name][0] for name in ("turn", "deal", "draws", "play")]
        assert sum(parts) == pytest.approx(one["lead"], abs=0.05)
    assert sum(one["lead"] for one in analysis["luck"]["seats"]) == pytest.approx(0, abs=0.05)


def test_points_by_source_are_those_of_the_result() -> None:
    replay = a_replay(5, 4, board="amsterdam")
    analysis = analyse(replay, effort=0.02)
    end = course_of(replay)[-1].state
    for seat, (came, points) in enumerate(
        zip(replay.result.seats, analysis["points"], strict=True)
    ):
        parts = ("routes", "fulfilled", "failed", "goods")
        assert sum(points[part] for part in parts) == points["total"] == came.total
        lengths = points["lengths"]
        assert sum(int(n) * many for n, many in lengths.items()) == 16 - came.carts_left
        for contract in points["contracts"]:
            owned = end.owned[seat]
            if contract["points"] > 0:
                owned = sum(1 << route for route in contract["routes"])
                assert owned & ~end.owned[seat] == 0
                assert 0 <= contract["moment"] < len(replay.events)
            elif contract["missing"]:
                owned |= sum(1 << route for route in contract["missing"])
            else:
                continue
            assert contract_points(replay.board, owned, 1 << contract["contract"]) > 0


def test_luck_is_zero_on_average_for_any_players() -> None:
    draws, deals = [], []
    for number in range(40):
        # Seats that play very differently, so that the result is hardly luck.
        rules = course_of(a_replay(0))[0].state.rules
        replay = a_replay(number, choosers=[by_policy(rules), by_chance(number)])
        steps = course_of(replay)
        [first, _] = luck_of(replay, steps, f"luck/{number}", 4, 16)
        draws.append(first.draws.value)
        deals.append(first.deal.value)
    for values in (draws, deals):
        error = stdev(values) / math.sqrt(len(values))
        assert abs(fmean(values)) < 3.3 * error
        assert error < 3


def test_a_decision_is_judged_by_what_the_seat_could_know() -> None:
    replay = a_replay(11, 3, choosers=[by_chance(i) for i in range(3)])
    steps = [step for step in course_of(replay) if len(step.state.legal_actions()) > 3]
    for number in (0, 4, 9, -4):
        step = steps[number]
        seat = step.state.actor
        seen = observe(step.state, seat)
        # Another world, which this seat cannot distinguish from the real one.
        world = determinize(seen, random.Random(number))
        while world.hands == step.state.hands and world.contracts == step.state.contracts:
            world = determinize(seen, random.Random(number + 1000))
        again = observe(world, seat)
        better, lost = costs.first_look(seen, step.action, "seed", 8)
        assert costs.first_look(again, step.action, "seed", 8) == (better, lost)
        assert costs.judge(seen, step.action, better, "s", 8) == costs.judge(
            again, step.action, better, "s", 8
        )


def test_blunders_are_found() -> None:
    rules = course_of(a_replay(0, 2, "amsterdam"))[0].state.rules
    replay = a_replay(1, 2, "amsterdam", choosers=[by_policy(rules), by_chance(3)])
    found = costs.costs_along(course_of(replay), "seed", 0.15)
    worst = {seat: max(c.points.value for c in found if c.seat == seat) for seat in (0, 1)}
    assert worst[1] > 4
    assert worst[1] > worst[0]


def test_actions_have_the_form_of_a_replay() -> None:
    replay = a_replay(2, 2, "amsterdam")
    kinds = set()
    for step in course_of(replay)[:-1]:
        assert step.decision is not None
        said = told(step.state, step.action)
        kinds.add(said["event"])
        assert said["event"] == step.decision.kind
        assert said["seat"] == step.decision.seat
        event = replay.events[step.at]
        assert event is step.decision
    assert kinds >= {"keep", "take", "claim"}
