"""A match in two sentences."""

from __future__ import annotations

from typing import Any

from damrak_ladder.web.replays.story import story, turning_points
from damrak_ladder.web.replays.words import DASH


def _content(*chances: tuple[float, float, float]) -> dict[str, Any]:
    own = {"routes": 30, "fulfilled": 20, "failed": 0, "goods": 5, "total": 55, "contracts": [1]}
    rival = {"routes": 33, "fulfilled": 4, "failed": -6, "goods": 9, "total": 40, "contracts": [2]}
    other = [tuple(1 - value for value in (one[0], one[2], one[1])) for one in chances]
    moments = [10 * at for at in range(len(chances))]
    return {
        "points": [own, rival],
        "chances": {"moments": moments, "seats": [list(chances), other]},
    }


MOMENTS: list[Any] = [(None, {"turn": at // 10}) for at in range(40)] + [(None, {"y0": 1, "y1": 2})]


def test_tells_how_the_winner_won_and_when_the_match_turned() -> None:
    content = _content((0.5, 0.4, 0.6), (0.45, 0.35, 0.55), (0.8, 0.7, 0.9), (1.0, 0.95, 1.0))
    assert story(content, MOMENTS, ["mcts", "planner"]) == [
        f"mcts won 55 {DASH} 40 and fulfilled every contract.",
        "The turning point was turn 2: the chance of mcts rose from 45\xa0% to 80\xa0%.",
    ]
    assert turning_points(content["chances"]) == [20, 30]


def test_claims_no_turning_point_that_may_be_noise() -> None:
    content = _content((0.5, 0.2, 0.8), (0.7, 0.4, 0.9))
    content["points"][0] |= {"failed": -9, "total": 46}
    told = story(content, MOMENTS, ["mcts", "planner"])
    assert told == [f"mcts won 46 {DASH} 40, above all by the points of contracts."]
    assert turning_points(content["chances"]) == []


def test_a_shared_victory_has_no_story() -> None:
    shared: list[Any] = [(None, {"turn": 0, "y0": 1, "y1": 1})]
    assert story(_content((0.5, 0.4, 0.6)), shared, ["mcts", "planner"]) == []
