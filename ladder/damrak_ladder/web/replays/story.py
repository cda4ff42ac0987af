"""A recorded match in two sentences: how it was won, and when it turned."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from damrak_ladder.web.replays.words import DASH, signed
from damrak_ladder.web.site.fragments import percent

MOST: Final = 6  # highlights of a match


def turning_points(chances: dict[str, Any]) -> list[int]:
    """Return the moments of the largest certain changes of a seat's chance, in their order."""
    found: dict[int, float] = {}
    for seat in chances["seats"]:
        for moment, (before, after) in zip(chances["moments"][1:], pairwise(seat), strict=True):
            if after[1] > before[2] or after[2] < before[1]:  # the intervals do not overlap
                found[moment] = max(found.get(moment, 0.0), abs(after[0] - before[0]))
    return sorted(sorted(found, key=lambda moment: -found[moment])[:MOST])


def story(
    content: dict[str, Any], moments: Sequence[tuple[Any, dict[str, Any]]], names: Sequence[str]
) -> list[str]:
    """Return the sentences; `content` is an analysis and `moments` are those of its match."""
    values = moments[-1][1]
    winners = [seat for seat in range(len(names)) if values.get(f"y{seat}") == 1]
    if len(winners) != 1:
        return []
    turned = _turned(content["chances"], winners[0], names[winners[0]], moments)
    return [_won(content["points"], winners[0], names), *turned]


def _won(points: Sequence[dict[str, Any]], winner: int, names: Sequence[str]) -> str:
    """Return how much the winner was ahead of the next seat, and the largest part of that lead."""
    own = points[winner]
    rival = max((one for seat, one in enumerate(points) if seat != winner), key=_total)
    parts = {
        "routes": own["routes"] - rival["routes"],
        "contracts": sum(own[part] - rival[part] for part in ("fulfilled", "failed")),
        "goods": own["goods"] - rival["goods"],
    }
    kind = max(parts, key=lambda part: parts[part])
    if kind == "contracts" and own["contracts"] and not own["failed"]:
        kind = "every"
    score = f"{signed(own['total'])} {DASH} {signed(rival['total'])}"
    texts = {
        "routes": _("%(bot)s won %(score)s, above all by the points of routes."),
        "contracts": _("%(bot)s won %(score)s, above all by the points of contracts."),
        "every": _("%(bot)s won %(score)s and fulfilled every contract."),
        "goods": _("%(bot)s won %(score)s, above all by the points of goods cards."),
    }
    return texts[kind] % {"bot": names[winner], "score": score}


def _turned(
    chances: dict[str, Any], winner: int, name: str, moments: Sequence[tuple[Any, dict[str, Any]]]
) -> list[str]:
    """Return when the chance of the winner rose most at once, if it certainly rose."""
    rises = [
        (after[0] - before[0], at)
        for at, (before, after) in enumerate(pairwise(chances["seats"][winner]))
        if after[1] > before[2]  # the intervals do not overlap
    ]
    if not rises:
        return []
    _rise, at = max(rises)
    before, after = chances["seats"][winner][at : at + 2]
    places = {
        "bot": name,
        "turn": _turn_at(moments, chances["moments"][at + 1]),
        "before": percent(number_format(round(100 * before[0]))),
        "after": percent(number_format(round(100 * after[0]))),
    }
    text = _(
        "The turning point was turn %(turn)s: the chance of %(bot)s rose from %(before)s to "
        "%(after)s."
    )
    return [text % places]


def _turn_at(moments: Sequence[tuple[Any, dict[str, Any]]], last: int) -> int:
    turns = [int(changes["turn"]) for _event, changes in moments[: last + 1] if "turn" in changes]
    return turns[-1]


def _total(points: dict[str, Any]) -> int:
    return int(points["total"])
