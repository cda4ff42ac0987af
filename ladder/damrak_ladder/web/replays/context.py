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
from damrak_ladder.web.replays.sources import document, is_over, replay_of
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
    shown = document(match, eyes)
    moments: Any = shown["moments"]
    catalogue = words()
    site = f"{request.scheme}://{request.get_host()}"
    page = reverse("web:match", args=[match.pk])
    return {
        "viewer": {
            "match": match.pk,
            "eyes": eyes,
            "choices": [(ALL, _("everything")), (TABLE, _("the public table"))]
            + [(str(i), player.bot) for i, player in enumerate(replay.seats)],
            "town": drawn(town(replay.board, owners_at(moments, len(moments)))),
            "lines": list(_lines(shown, moments, catalogue)),
            "words": catalogue,
            "version": f"{FORMAT[-1]}-{replay.hash[:16]}",
            "language": get_language(),
            "title": " · ".join(player.bot for player in replay.seats),
            "result": ", ".join(
                f"{player.bot} {came.total}"
                for player, came in zip(replay.seats, replay.result.seats, strict=True)
            ),
            "board": replay.board.name,
            "page": site + page,
            "card": site + reverse("replay-files:card", args=[match.pk]),
            "oembed": f"{site}{reverse('replay-files:oembed')}?url={site}{page}",
            "embed": site + reverse("replays:embed", args=[match.pk]),
        }
    }


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
