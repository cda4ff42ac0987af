"""The analysis of a match for its page, drawn and in words; a template arranges it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format

from damrak_ladder.analyses.models import AnalysisState
from damrak_ladder.analyses.requests import analysis_of, content_of
from damrak_ladder.matches.models import Match
from damrak_ladder.web.replays.contracts import Contract, contracts_of
from damrak_ladder.web.replays.maps import outline
from damrak_ladder.web.replays.sources import document, names_of, replay_of
from damrak_ladder.web.replays.story import story, turning_points
from damrak_ladder.web.replays.viewpoints import ALL
from damrak_ladder.web.replays.words import Words, deed, signed, words
from damrak_ladder.web.site.fragments import percent

WIDTH: Final = 720
HEIGHT: Final = 190
LEFT: Final = 34  # as in the graph of scores, so that both are aligned
EDGE: Final = 8
DASHES: Final = ("", "9 4", "3 3", "12 3 3 3")
MINUS: Final = "\u2212"

Interval = Sequence[float]  # value, low, high


@dataclass(frozen=True, slots=True)
class Line:
    """The winning chance of one seat over the course of the match."""

    seat: int
    name: str
    path: str
    band: str
    dashes: str
    now: str  # chance at the beginning
    label_y: str


@dataclass(frozen=True, slots=True)
class Cost:
    """A decision that probably cost something."""

    moment: int
    seat: int
    bot: str
    played: str
    better: str
    points: str
    chance: str
    is_clear: bool


@dataclass(frozen=True, slots=True)
class Part:
    """The components of one seat's lead."""

    seat: int
    bot: str
    lead: str
    turn: str
    deal: str
    draws: str
    play: str
    is_clear: bool  # whether the effect of play differs from zero


@dataclass(frozen=True, slots=True)
class Mirror:
    """A seat in this match and in the other matches with the same cards."""

    bot: str
    lead: str
    others: str
    games: int
    difference: str
    is_clear: bool


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of a seat's points."""

    seat: int
    bot: str
    routes: str
    fulfilled: str
    failed: str
    goods: str
    total: str
    contracts: list[Contract]


def insight_of(match: Match) -> dict[str, Any]:
    """Return the context of `web/replays/_insight.html`, without queueing an analysis.

    Raises:
        Http404: the replay is lost.
    """
    found = analysis_of(match)
    if found is None:
        return {"match": match.pk, "state": "none"}
    if found.state != AnalysisState.DONE:
        return {"match": match.pk, "state": found.state, "trouble": found.trouble}
    content = content_of(found)
    said: dict[str, Any] = document(match, ALL)
    names = names_of(match)
    catalogue = words()
    board = replay_of(match).board
    return {
        "match": match.pk,
        "state": "done",
        "story": story(content, said["moments"], names),
        **_chances(content["chances"], names, len(said["moments"]) - 1),
        "names": names,
        "costs": [_cost(one, said, catalogue, names) for one in content["decisions"]],
        "luck": [_part(seat, one, names) for seat, one in enumerate(content["luck"]["seats"])],
        "mirrors": [_mirror(seat, one, names) for seat, one in enumerate(content["mirrored"])],
        "sources": [
            _sources(seat, one, names[seat], contracts_of(board, seat, one["contracts"], said))
            for seat, one in enumerate(content["points"])
        ],
        "outline": outline(board),
        "computed": found.computed,
    }


# ---- chances -----------------------------------------------------------------------------------


def _chances(chances: dict[str, Any], names: list[str], last: int) -> dict[str, Any]:
    return {
        "course": _course(chances),
        "tries": chances["tries"],
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - EDGE,
        "last": last,
        "grid": _grid(),
        "lines": _lines(chances, names, last),
        "rows": _rows(chances),
    }


def _x(moment: int, last: int) -> float:
    return LEFT + moment / max(1, last) * (WIDTH - LEFT - EDGE)


def _y(chance: float) -> float:
    return HEIGHT - EDGE - chance * (HEIGHT - 2 * EDGE)


def _grid() -> list[dict[str, str]]:
    marks = (0.0, 0.25, 0.5, 0.75, 1.0)
    return [
        {"y": f"{_y(at):.1f}", "text_y": f"{_y(at) + 4:.1f}", "text": f"{100 * at:.0f}"}
        for at in marks
    ]


def _lines(chances: dict[str, Any], names: list[str], last: int) -> list[Line]:
    places = [_x(moment, last) for moment in chances["moments"]]
    lines = []
    for seat, found in enumerate(chances["seats"]):
        points = [f"{x:.1f} {_y(one[0]):.1f}" for x, one in zip(places, found, strict=True)]
        upper = [f"{x:.1f} {_y(one[2]):.1f}" for x, one in zip(places, found, strict=True)]
        lower = [f"{x:.1f} {_y(one[1]):.1f}" for x, one in zip(places, found, strict=True)]
        lines.append(
            Line(
                seat,
                names[seat],
                "M" + "L".join(points),
                "M" + "L".join([*upper, *reversed(lower)]) + "Z",
                DASHES[seat],
                _percent(found[0][0]),
                f"{_y(found[0][0]):.1f}",
            )
        )
    return lines


def _course(chances: dict[str, Any]) -> str:
    """Return the chances for the script that shows them beside the board, as JSON."""
    seats = [[round(one[0], 3) for one in line] for line in chances["seats"]]
    shown = {"moments": chances["moments"], "seats": seats, "turns": turning_points(chances)}
    return json.dumps(shown, separators=(",", ":"))


def _rows(chances: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the same as a table: per moment, the chance of each seat."""
    return [
        {"moment": moment, "chances": [_percent(line[at][0]) for line in chances["seats"]]}
        for at, moment in enumerate(chances["moments"])
    ]


# ---- tables ------------------------------------------------------------------------------------


def _cost(one: dict[str, Any], said: dict[str, Any], catalogue: Words, names: list[str]) -> Cost:
    return Cost(
        one["moment"],
        one["seat"],
        names[one["seat"]],
        deed(catalogue, said, one["played"]),
        deed(catalogue, said, one["better"]),
        _plain(one["points"]),
        _plain([100 * number for number in one["chance"]], 0),
        one["is_clear"],
    )


def _part(seat: int, one: dict[str, Any], names: list[str]) -> Part:
    return Part(
        seat,
        names[seat],
        _signed(one["lead"]),
        _with_reach(one["turn"]),
        _with_reach(one["deal"]),
        _with_reach(one["draws"]),
        _with_reach(one["play"]),
        _is_clear(one["play"]),
    )


def _mirror(seat: int, one: dict[str, Any], names: list[str]) -> Mirror:
    return Mirror(
        names[seat],
        _signed(one["lead"]),
        _signed(one["others"]),
        one["games"],
        _with_reach(one["difference"]),
        _is_clear(one["difference"]),
    )


def _sources(seat: int, one: dict[str, Any], name: str, shown: list[Contract]) -> Sources:
    return Sources(
        seat,
        name,
        str(one["routes"]),
        str(one["fulfilled"]),
        signed(one["failed"]),
        str(one["goods"]),
        signed(one["total"]),
        shown,
    )


# ---- numbers -----------------------------------------------------------------------------------


def _is_clear(found: Interval) -> bool:
    return not found[1] <= 0 <= found[2]


def _percent(share: float) -> str:
    return percent(number_format(round(100 * share)))


def _signed(number: float) -> str:
    shown = round(number, 1)
    sign = "+" if shown > 0 else MINUS if shown < 0 else ""
    return sign + number_format(abs(shown), 1)


def _with_reach(found: Interval) -> str:
    """Return a number with its sign and its margin of error (95 %)."""
    return f"{_signed(found[0])} ± {number_format(round((found[2] - found[1]) / 2, 1), 1)}"


def _plain(found: Interval, digits: int = 1) -> str:
    """Return a loss and its margin of error (95 %)."""
    value, reach = round(found[0], digits), round((found[2] - found[1]) / 2, digits)
    sign = MINUS if value < 0 else ""
    return f"{sign}{number_format(abs(value), digits)} ± {number_format(reach, digits)}"
