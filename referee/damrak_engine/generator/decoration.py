"""Colours and goods of the routes of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from damrak_engine.cards import COLOURS, GREY
from damrak_engine.drawing.geometry import Point, hull
from damrak_engine.generator.draws import Draws
from damrak_engine.generator.plan import Plan

GREY_PERCENT: Final = 31  # of the routes, as on amsterdam
GOODS_PERCENT: Final = 36
MOST_GOODS: Final = 16


class Track(NamedTuple):
    """A planned route; `twin` is the index of its twin."""

    a: int
    b: int
    length: int
    colour: int
    goods: bool
    twin: int | None


def lay_tracks(draws: Draws, plan: Plan) -> list[Track]:
    """Return the routes, with about equally many spaces of every colour, some with goods."""
    tracks: list[Track] = []
    for a, b in plan.pairs:
        double = (a, b) in plan.doubles
        for k in range(1 + double):
            twin = len(tracks) + 1 - 2 * k if double else None
            tracks.append(Track(a, b, plan.lengths[a, b], GREY, False, twin))
    colours = _colours(draws, tracks)
    goods = _goods(draws, plan.spots, tracks)
    return [track._replace(colour=colours[i], goods=i in goods) for i, track in enumerate(tracks)]


def _colours(draws: Draws, tracks: Sequence[Track]) -> list[int]:
    """Return a colour per route: grey for some long ones, the others balanced and varied."""
    order = sorted(range(len(tracks)), key=lambda i: (-tracks[i].length * draws.between(1, 6), i))
    colours = [-1] * len(tracks)
    left = (len(tracks) * GREY_PERCENT + 50) // 100
    for i in order:
        twin = tracks[i].twin
        if left and (twin is None or colours[twin] != GREY):
            colours[i] = GREY
            left -= 1
    spaces = [0] * COLOURS
    for i in sorted(range(len(tracks)), key=lambda i: (-tracks[i].length, order.index(i))):
        if colours[i] == GREY:
            continue
        beside = _colours_beside(tracks, colours, i)
        twin = tracks[i].twin
        free = [c for c in range(COLOURS) if twin is None or colours[twin] != c]
        luck = draws.shuffled(range(COLOURS))
        colours[i] = min(free, key=lambda c: (spaces[c] + 2 * beside[c], luck[c]))
        spaces[colours[i]] += tracks[i].length
    return colours


def _colours_beside(tracks: Sequence[Track], colours: Sequence[int], own: int) -> list[int]:
    """Return how many routes of each colour begin at one of the ends of this one."""
    found = [0] * COLOURS
    for i, track in enumerate(tracks):
        if 0 <= colours[i] < COLOURS and {track.a, track.b} & {tracks[own].a, tracks[own].b}:
            found[colours[i]] += 1
    return found


def _goods(draws: Draws, spots: Sequence[Point], tracks: Sequence[Track]) -> set[int]:
    """Return the routes with goods: mostly at the rim, where the ships lie.

    They are never more than the goods cards, so that no number of players can use these up.
    """
    rim = set(hull(spots))
    wanted = goods_cards(len(tracks))
    at_rim = [(spots[track.a] in rim) + (spots[track.b] in rim) for track in tracks]
    weight = [draws.between(1, 6) + 3 * at_rim[i] for i in range(len(tracks))]
    chosen: set[int] = set()
    for i in sorted(range(len(tracks)), key=lambda i: (-weight[i], i)):
        twin = tracks[i].twin
        both = {i} if twin is None else {i, twin}
        if i not in chosen and len(chosen) + len(both) <= wanted:
            chosen |= both
    return chosen


def goods_cards(routes: int) -> int:
    """Return the number of goods cards, and of routes that give one, for this many routes."""
    return min(MOST_GOODS, (routes * GOODS_PERCENT + 50) // 100)
