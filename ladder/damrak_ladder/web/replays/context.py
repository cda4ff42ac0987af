"""What the templates of the viewer need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext as _

from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.web.replays.eyes import ALL, TABLE, eyes_of
from damrak_ladder.web.replays.moments import FORMAT
from damrak_ladder.web.replays.sketch import owners_at, town
from damrak_ladder.web.replays.sources import document, is_over, names_of, replay_of
from damrak_ladder.web.replays.words import sentence, words

_ASIDE = frozenset({"refill", "reshuffle", "flush"})


@dataclass(frozen=True, slots=True)
class Line:
    """An event in words."""

    at: int
    text: str
    is_aside: bool  # not decided by anybody
    note: str


def viewer_context(request: HttpRequest, match: Match) -> dict[str, Any]:
    """What `web/replay/_viewer.html` and its kin show of a match; empty if there is nothing yet."""
    if not is_over(match):
        return _live(match) if match.block.state == BlockState.RUNNING else {}
    replay = replay_of(match)
    seats = len(replay.seats)
    eyes = request.GET.get("eyes", ALL)
    if eyes not in eyes_of(seats):
        eyes = ALL
    names = names_of(match)
    shown = named(document(match, eyes), names)
    moments: Any = shown["moments"]
    catalogue = words()
    site = f"{request.scheme}://{request.get_host()}"
    page = reverse("web:match", args=[match.pk])
    return {
        "viewer": {
            "match": match.pk,
            "eyes": eyes,
            "choices": [(ALL, _("everything")), (TABLE, _("the public table"))]
            + [(str(i), name) for i, name in enumerate(names)],
            "town": drawn(town(replay.board, owners_at(moments, len(moments)))),
            "lines": list(_lines(shown, moments, catalogue)),
            "words": catalogue,
            "version": f"{FORMAT[-1]}-{replay.hash[:16]}",
            "language": get_language(),
            "names": names,
            "title": " · ".join(names),
            "result": ", ".join(
                f"{name} {came.total}"
                for name, came in zip(names, replay.result.seats, strict=True)
            ),
            "board": replay.board.name,
            "page": site + page,
            "card": site + reverse("replay-files:card", args=[match.pk]),
            "oembed": f"{site}{reverse('replay-files:oembed')}?url={site}{page}",
            "embed": site + reverse("replays:embed", args=[match.pk]),
        }
    }


def named(shown: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The same moments, with the bots under these names."""
    seats = zip(shown["seats"], names, strict=True)
    return {**shown, "seats": [{**seat, "bot": name} for seat, name in seats]}


def drawn(svg: str) -> SafeString:
    """A picture of ours, in which all foreign text is escaped, as part of a page."""
    return mark_safe(svg)  # noqa: S308


def _live(match: Match) -> dict[str, Any]:
    """A viewer that waits for what comes."""
    board = board_of(match.block.board)
    return {
        "viewer": {
            "is_live": True,
            "match": match.pk,
            "eyes": TABLE,
            "choices": [(TABLE, _("the public table"))],
            "town": drawn(town(board, {})),
            "words": words(),
            "names": names_of(match),
            "language": get_language(),
            "board": board.name,
        }
    }


def _lines(shown: dict[str, Any], moments: Any, catalogue: Any) -> Any:
    values: dict[str, Any] = {}
    for at, (event, changes) in enumerate(moments):
        values |= changes
        text = sentence(catalogue, shown, event, values)
        yield Line(at, text, event["event"] in _ASIDE, event.get("note") or "")
