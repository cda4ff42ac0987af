"""The template context of the viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext as _

from damrak_engine.replay import Replay
from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.replays.publication import is_over
from damrak_ladder.web.replays import panels
from damrak_ladder.web.replays.board_picture import owners_at, town
from damrak_ladder.web.replays.moments import FORMAT
from damrak_ladder.web.replays.sources import (
    board_title,
    document_of,
    names_of,
    packed_document,
    parsed,
    replay_of,
    title_of,
)
from damrak_ladder.web.replays.tips import with_tips
from damrak_ladder.web.replays.viewpoints import ALL, TABLE, Eyes, eyes_of
from damrak_ladder.web.replays.words import Speaker, signed, words
from damrak_ladder.web.site.hidden_results import hides_results

_ASIDE = frozenset({"refill", "reshuffle", "flush"})  # events that are not decisions
_SHEET = 16  # lines of the event list that are redrawn together when one changes


def viewer_context(request: HttpRequest, match: Match) -> dict[str, Any]:
    """Return the context of `web/replays/_viewer.html` and related templates.

    It is empty if there is nothing to show yet.
    """
    if not is_over(match):
        will_be = match.block.state in (BlockState.WAITING, BlockState.RUNNING)
        return _live(request, match) if will_be else {}
    replay = replay_of(match)
    seats = len(replay.seats)
    eyes = request.GET.get("eyes", ALL)
    if eyes not in eyes_of(seats):
        eyes = ALL
    names = names_of(match)
    lines, texts = _events(match.replay, eyes, tuple(names), get_language())
    last = len(texts) - 1
    at = _moment(request, last)
    catalogue = words()
    site = _site(request)
    page = reverse("web:match", args=[match.pk])
    return {
        "viewer": {
            "match": match.pk,
            "eyes": eyes,
            "choices": [(ALL, _("all cards")), (TABLE, _("public information"))]
            + [(str(i), name) for i, name in enumerate(names)],
            "moments": drawn(packed_document(match, eyes).inline),
            "town": _town(match.replay, at, get_language()),
            "lines": _marked(lines, at),
            "says": texts[at],
            "steps": _steps(match.replay, eyes, at, last),
            **_beside(match.replay, eyes, names, at),
            "sheet": _SHEET,
            "words": catalogue,
            "version": f"{FORMAT[-1]}-{replay.hash[:16]}",
            "language": get_language(),
            "names": names,
            "title": title_of(names),
            "result": "" if at < last else _result(names, replay),
            "board": board_title(replay.board.name),
            "page": site + page,
            "card": site + _preview(match.pk, at, last),
            "oembed": f"{site}{reverse('replay-files:oembed')}?url={site}{page}",
            "embed": site + reverse("replays:embed", args=[match.pk]),
        }
    }


def _result(names: Sequence[str], replay: Replay) -> str:
    pairs = zip(names, replay.result.seats, strict=True)
    return ", ".join(f"{name} {signed(came.total)}" for name, came in pairs)


def _preview(match: int, at: int, last: int) -> str:
    """Return the address of the picture for links; that of the last moment shows the result."""
    if at < last:
        return reverse("replay-files:position_pixels", args=[match]) + f"?at={at}"
    return reverse("replay-files:card", args=[match])


def named(shown: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the same moments with these names for the bots."""
    seats = zip(shown["seats"], names, strict=True)
    return {**shown, "seats": [{**seat, "bot": name} for seat, name in seats]}


def drawn(svg: str) -> SafeString:
    """Mark a picture of ours as safe; text from users in it is already escaped."""
    return mark_safe(svg)  # noqa: S308


def _site(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


def _live(request: HttpRequest, match: Match) -> dict[str, Any]:
    """Return the context of a viewer that waits for live events."""
    board = board_of(match.block.board)
    names = names_of(match)
    return {
        "viewer": {
            "is_live": True,
            "match": match.pk,
            "eyes": TABLE,
            "choices": [(TABLE, _("public information"))],
            "town": drawn(with_tips(town(board, {}), board)),
            "sheet": _SHEET,
            "words": words(),
            "names": names,
            "title": title_of(names),
            "page": _site(request) + reverse("web:match", args=[match.pk]),
            "language": get_language(),
            "board": board_title(board.name),
        }
    }


def _moment(request: HttpRequest, last: int) -> int:
    """Return the requested moment, or the end; the start for visitors who hide results."""
    asked = request.GET.get("at", "0" if hides_results(request) else "")
    return min(int(asked), last) if asked.isdecimal() and len(asked) < 7 else last


@lru_cache(maxsize=64)
def _town(hash_: str, at: int, _language: str) -> SafeString:
    """Return the drawing of a moment of a recorded match."""
    board = parsed(hash_).board
    moments: Any = document_of(hash_, ALL)["moments"]
    return drawn(with_tips(town(board, owners_at(moments, at)), board))


def _beside(hash_: str, eyes: Eyes, names: list[str], at: int) -> dict[str, Any]:
    """Return everything beside the board at a moment, and the number of that moment."""
    shown = named(document_of(hash_, eyes), names)
    speaker = Speaker(words(), shown)
    moments: Any = shown["moments"]
    values: dict[str, Any] = {}
    for _event, changes in moments[: at + 1]:
        values |= changes
    says, cards = panels.unseen(speaker, values)
    return {
        "at": at,
        "last": len(moments) - 1,
        "turn": speaker.fill("turn", {"n": values["turn"]}),
        "note": moments[at][0].get("note"),
        "market": panels.market(speaker, values),
        "seats": panels.seats(speaker, values),
        "unseen_says": says,
        "unseen": cards,
    }


@dataclass(frozen=True, slots=True)
class Steps:
    """The addresses of other moments; empty where there is none in that direction."""

    first: str
    turn_back: str
    back: str
    forward: str
    turn_forward: str
    last: str


def _steps(hash_: str, eyes: Eyes, at: int, last: int) -> Steps:
    """Return the links for navigation without a script."""
    starts = _turns(hash_)
    before = next((start for start in reversed(starts) if start < at), 0)
    after = next((start for start in starts if start > at), last)
    there = [
        _way(eyes, to) if is_open else ""
        for to, is_open in (
            (0, at > 0),
            (before, at > 0),
            (at - 1, at > 0),
            (at + 1, at < last),
            (after, at < last),
            (last, at < last),
        )
    ]
    return Steps(*there)


@lru_cache(maxsize=64)
def _turns(hash_: str) -> tuple[int, ...]:
    """Return the first moment of each turn."""
    moments: Any = document_of(hash_, ALL)["moments"]
    return tuple(at for at, (_, changes) in enumerate(moments) if "turn" in changes)


def _way(eyes: Eyes, at: int) -> str:
    """Return the address of a moment, relative to the page of the match or to the embedded page."""
    return f"?{'' if eyes == ALL else f'eyes={eyes}&'}at={at}#viewer"


def _marked(lines: SafeString, at: int) -> SafeString:
    """Return the list with the line of this moment marked."""
    return SafeString(lines.replace(f'at={at}#viewer"', f'at={at}#viewer" aria-current="true"', 1))


@lru_cache(maxsize=128)
def _events(
    hash_: str, eyes: Eyes, names: tuple[str, ...], _language: str
) -> tuple[SafeString, tuple[str, ...]]:
    """Return the event list as HTML, in lists of `_SHEET` lines each, and the texts alone."""
    shown = named(document_of(hash_, eyes), list(names))
    speaker = Speaker(words(), shown)
    values: dict[str, Any] = {}
    items = []
    texts = []
    moments: Any = shown["moments"]
    for at, (event, changes) in enumerate(moments):
        values |= changes
        texts.append(speaker.say(event, values))
        aside = mark_safe(' class="aside"' if event["event"] in _ASIDE else "")  # noqa: S308
        note = format_html("<q>{}</q>", event["note"]) if event.get("note") else ""
        items.append((at, aside, _way(eyes, at), texts[-1], note))
    item = '<li id="e{}"{}><a href="{}" rel="nofollow">{}</a>{}</li>'
    sheets = (
        (at, format_html_join("", item, items[at : at + _SHEET]))
        for at in range(0, len(items), _SHEET)
    )
    return format_html_join("", '<ol start="{}">{}</ol>', sheets), tuple(texts)
