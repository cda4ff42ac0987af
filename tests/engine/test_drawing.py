"""The SVG of a board: well-formed, complete and legible, as parsed from the document itself."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, strategies as st

from damrak_engine.board import Board, parse_board
from damrak_engine.boards import board_names, load_board
from damrak_engine.drawing import draw
from damrak_engine.drawing.labels import LINE
from damrak_engine.generator import generate
from samples import examples

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "amsterdam.svg"
SVG = "{http://www.w3.org/2000/svg}"

made = cache(generate)


def boards() -> list[Board]:
    named = [load_board(name) for name in board_names()]
    return named + [parse_board(made(seed, size)) for seed, size in ((1, 12), (2, 26), (1, 40))]


every_board = pytest.mark.parametrize("board", boards(), ids=lambda board: board.id)


def picture(board: Board) -> Element:
    return ElementTree.fromstring(draw(board))


def changed(name: str, **changes: Any) -> Board:
    return parse_board(json.loads(json.dumps(load_board(name).source)) | changes)


def groups(root: Element, attribute: str) -> dict[str, Element]:
    found = (g for g in root.iter(f"{SVG}g") if attribute in g.attrib)
    return {g.attrib[attribute]: g for g in found}


def classes(element: Element) -> Counter[str]:
    words = (child.get("class", "").split() for child in element.iter())
    return Counter(word for names in words for word in names)


def text_boxes(root: Element) -> list[tuple[str, int, int, int, int]]:
    """Return the position of every line of a name: it is stretched to its textLength."""
    found = []
    for text in root.iter(f"{SVG}text"):
        if text.get("class") == "name":
            left, base = int(text.attrib["x"]), int(text.attrib["y"])
            top = base + LINE // 4 - LINE
            right = left + int(text.attrib["textLength"])
            found.append((text.text or "", left, top, right, top + LINE))
    return found


@every_board
def test_every_route_and_location_is_drawn(board: Board) -> None:
    root = picture(board)
    routes = groups(root, "data-route")
    assert sorted(map(int, routes)) == list(range(len(board.routes)))
    for route in board.routes:
        marks = classes(routes[str(route.id)])
        assert marks["space"] == marks[route.colour_word] == route.length
        assert marks["cart"] == route.length * route.goods
        assert marks["sign"] == route.length * (not route.is_grey)
    places = groups(root, "data-location")
    for location in board.locations:
        lines = [text.text or "" for text in places[location.id].iter(f"{SVG}text")]
        assert " ".join(lines) == location.name


@every_board
def test_names_do_not_collide_with_each_other_or_with_locations(board: Board) -> None:
    root = picture(board)
    boxes = text_boxes(root)
    for (one, *a), (two, *b) in combinations(boxes, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, f"{one} and {two}"
    for circle in root.iter(f"{SVG}circle"):
        if circle.get("class") == "place":
            x, y, r = (int(circle.attrib[key]) for key in ("cx", "cy", "r"))
            for name, left, top, right, bottom in boxes:
                dx, dy = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
                assert dx * dx + dy * dy >= r * r, name


@every_board
def test_everything_lies_on_the_sheet(board: Board) -> None:
    root = picture(board)
    left, top, width, height = map(int, root.attrib["viewBox"].split())
    for _, *box in text_boxes(root):
        assert left < box[0] < box[2] < left + width
        assert top < box[1] < box[3] < top + height


def corners(group: Element, bed: Element) -> list[tuple[float, float]]:
    """Return the corners of a route's spaces on the sheet."""
    a, b, c, d, e, f = map(float, re.findall(r"-?[\d.]+", bed.attrib["transform"]))
    found = []
    for rect in group.iter(f"{SVG}rect"):
        x, y, w, h = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        for u, v in ((x, y), (x + w, y), (x + w, y + h), (x, y + h)):
            found.append((a * u + c * v + e, b * u + d * v + f))
    return found


@every_board
def test_twins_lie_side_by_side_without_touching(board: Board) -> None:
    for bed in (g for g in picture(board).iter(f"{SVG}g") if "transform" in g.attrib):
        rows = [
            {float(rect.attrib["y"]) for rect in group.iter(f"{SVG}rect")}
            for group in bed.iter(f"{SVG}g")
            if "data-route" in group.attrib
        ]
        tops = sorted(top for row in rows for top in row)
        assert len(tops) == len(rows)
        assert all(lower - upper > 18 for upper, lower in pairwise(tops))


@pytest.mark.parametrize(("seed", "size"), [(1, 12), (2, 26), (1, 40)])
def test_no_name_of_a_new_board_lies_on_a_route(seed: int, size: int) -> None:
    root = picture(parse_board(made(seed, size)))
    boxes = text_boxes(root)
    for bed in (g for g in root.iter(f"{SVG}g") if "transform" in g.attrib):
        points = corners(bed, bed)
        ring = points[:4]  # the first rectangle is the bed itself
        for name, left, top, right, bottom in boxes:
            box = [(left, top), (right, top), (right, bottom), (left, bottom)]
            assert separated(ring, box), name


def separated(one: list[tuple[float, float]], two: list[tuple[float, float]]) -> bool:
    """Return whether a line separates two convex shapes, up to a bed's rim of 3 pixels."""
    for shape in (one, two):
        for (ax, ay), (bx, by) in zip(shape, shape[1:] + shape[:1], strict=True):
            nx, ny = ay - by, bx - ax
            length = (nx * nx + ny * ny) ** 0.5 or 1.0
            first = [(x * nx + y * ny) / length for x, y in one]
            second = [(x * nx + y * ny) / length for x, y in two]
            if max(first) <= min(second) + 4 or max(second) <= min(first) + 4:
                return True
    return False


def test_stored_sides_are_kept() -> None:
    source = json.loads(json.dumps(load_board("practice").source))
    for location in source["locations"]:
        location["label"] = "s"
    root = picture(parse_board(source))
    for group in groups(root, "data-location").values():
        circle, text = group.find(f"{SVG}circle"), group.find(f"{SVG}text")
        assert circle is not None
        assert text is not None
        assert int(text.attrib["y"]) > int(circle.attrib["cy"])


def test_an_unknown_side_is_ignored() -> None:
    source = json.loads(json.dumps(load_board("practice").source))
    for location, label in zip(source["locations"], ("up", 7, None, ["e"], {}, ""), strict=False):
        location["label"] = label
    assert draw(parse_board(source)) == draw(load_board("practice"))


def test_names_cannot_break_out_of_the_document() -> None:
    nasty = "<script>\"&'</svg>]]>\x07"
    source = json.loads(json.dumps(load_board("practice").source)) | {"name": nasty}
    for location in source["locations"]:
        location["name"] = nasty
    root = picture(parse_board(source))
    assert not list(root.iter("script"))
    assert not list(root.iter(f"{SVG}script"))


@examples(30)
@given(name=st.text(min_size=1).filter(str.strip))
def test_any_name_gives_a_well_formed_document(name: str) -> None:
    source = json.loads(json.dumps(load_board("practice").source)) | {"name": name}
    source["locations"][0]["name"] = name
    ElementTree.fromstring(draw(parse_board(source)).encode())


@every_board
def test_documents_need_nothing_from_elsewhere(board: Board) -> None:
    text = draw(board).replace('xmlns="http://www.w3.org/2000/svg"', "")
    for reference in ("http", "href", "url(", "@import", "<image", "<script"):
        assert reference not in text


def test_dark_pages_get_their_own_colours() -> None:
    text = draw(load_board("amsterdam"))
    light, dark = text.split("@media (prefers-color-scheme: dark)")
    names = set(re.findall(r"(--[a-z]+):", light))
    assert names == set(re.findall(r"(--[a-z]+):", dark))
    assert set(re.findall(r"var\((--[a-z]+)\)", text)) <= names


def test_drawing_twice_gives_the_same_bytes() -> None:
    assert draw(load_board("amsterdam")) == draw(changed("amsterdam"))


def test_picture_in_the_documents_is_up_to_date() -> None:
    assert PICTURE.read_text("utf-8") == draw(load_board("amsterdam")), (
        "damrak board draw amsterdam -o docs/images/amsterdam.svg"
    )


@pytest.mark.parametrize(
    "spots",
    [
        [(5, 5)] * 9,
        [(i, 0) for i in range(9)],
        [(0, 100 * i) for i in range(9)],
        [(100_000 * (i % 2), i) for i in range(9)],
    ],
    ids=["one spot", "tiny line", "column", "far apart"],
)
def test_odd_places_can_be_drawn(spots: list[tuple[int, int]]) -> None:
    source = json.loads(json.dumps(load_board("practice").source))
    for location, (x, y) in zip(source["locations"], spots, strict=True):
        location |= {"x": x, "y": y}
    picture(parse_board(source))
