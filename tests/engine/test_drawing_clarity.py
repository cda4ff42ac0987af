"""Flaws of a drawing are found, described and attributed to the right route."""

from __future__ import annotations

import pytest

from damrak_engine.boards import load_board
from damrak_engine.drawing import flaws_of
from damrak_engine.drawing.clarity import flaws
from damrak_engine.drawing.geometry import (
    Box,
    Point,
    come_near,
    cross,
    is_near,
    length_within,
    overlap,
    ribbon,
)
from damrak_engine.drawing.labels import place_labels
from damrak_engine.drawing.sheet import Span, lay_out, length_at, room_for

NAMES = ("Aak", "Boei", "Dok", "Erf")


def found(spots: list[tuple[int, int]], spans: list[tuple[int, int, int]]) -> list[str]:
    names = NAMES[: len(spots)]
    sheet = lay_out([Point(*spot) for spot in spots], [Span(*span) for span in spans])
    return [flaw.text for flaw in flaws(sheet, place_labels(sheet, names), names)]


def test_crossing_routes_are_named() -> None:
    square = [(0, 0), (300, 0), (300, 300), (0, 300)]
    assert found(square, [(0, 2, 4), (1, 3, 4)]) == ["Aak - Dok crosses Boei - Erf"]
    assert found(square, [(0, 1, 3), (1, 2, 3), (2, 3, 3), (3, 0, 3)]) == []


def test_a_route_along_a_third_location_is_named() -> None:
    assert found([(0, 0), (300, 0), (150, 5)], [(0, 1, 3)]) == ["Aak - Boei passes too near Dok"]


def test_routes_that_touch_are_named() -> None:
    texts = found([(0, 0), (300, 0), (0, 15), (300, 15)], [(0, 1, 3), (2, 3, 3)])
    assert "Aak - Boei touches Dok - Erf" in texts


def test_too_many_spaces_for_the_distance_are_named() -> None:
    spots = [(0, 0), (500, 0), (500, 500), (0, 110)]
    texts = found(spots, [(0, 1, 5), (1, 2, 5), (0, 3, 4)])
    assert "Aak - Erf has too little room for its spaces" in texts


def test_locations_on_one_another_have_colliding_names_or_marks() -> None:
    assert found([(0, 0), (300, 0), (302, 2)], [(0, 1, 3), (0, 2, 3)])


@pytest.mark.parametrize("name", ["amsterdam", "practice"])
def test_boards_of_the_package_have_no_serious_flaw(name: str) -> None:
    assert not [flaw for flaw in flaws_of(load_board(name)) if flaw.grave]


def test_practice_has_no_flaw_at_all() -> None:
    assert flaws_of(load_board("practice")) == []


@pytest.mark.parametrize("length", range(1, 7))
def test_a_length_fits_the_space_it_needs(length: int) -> None:
    assert length_at(room_for(length)) == length


# ---- geometry ----------------------------------------------------------------------------------

O, E, S = Point(0, 0), Point(100, 0), Point(0, 100)  # noqa: E741 - the origin


def test_segments_cross_when_they_share_a_point() -> None:
    assert cross((O, Point(10, 10)), (Point(0, 10), Point(10, 0)))
    assert cross((O, E), (Point(50, 0), Point(50, 9)))
    assert cross((O, E), (Point(50, 0), Point(150, 0)))
    assert not cross((O, E), (Point(0, 1), Point(100, 1)))
    assert not cross((O, E), (Point(101, 0), Point(150, 0)))


def test_near_is_measured_to_the_segment_and_not_to_its_line() -> None:
    assert is_near(Point(50, 4), (O, E), 5)
    assert not is_near(Point(50, 5), (O, E), 5)
    assert is_near(Point(-3, 0), (O, E), 5)
    assert not is_near(Point(-5, 0), (O, E), 5)
    assert come_near((O, E), (Point(50, 4), Point(50, 90)), 5)
    assert not come_near((O, E), (Point(50, 6), Point(50, 90)), 5)


def test_a_turned_rectangle_and_a_box_overlap_only_if_they_share_an_area() -> None:
    slope = ribbon((O, Point(100, 100)), 7)
    assert overlap(slope, Box(40, 40, 60, 60))
    assert overlap(slope, Box(50, 30, 70, 44))
    assert not overlap(slope, Box(60, 30, 80, 45))  # within its bounding box, but beside the slope
    assert not overlap(slope, Box(120, 0, 140, 100))


def test_length_within_a_box() -> None:
    assert length_within((O, E), Box(20, -5, 50, 5)) == 30
    assert length_within((O, E), Box(20, 5, 50, 15)) == 0
    assert length_within((O, S), Box(-5, -5, 5, 500)) == 100
