"""Recorded matches for the viewer, read from the store once and cached for a while."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from damrak_engine.replay import Replay, parse_replay
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Match
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.publication import is_over
from damrak_ladder.replays.storage import load
from damrak_ladder.tournaments.access import Viewer
from damrak_ladder.tournaments.visibility import visible_matches
from damrak_ladder.web.replays.moments import Moment, moments_of
from damrak_ladder.web.replays.viewpoints import Eyes
from damrak_ladder.web.site.tags import bot_name


@dataclass(frozen=True, slots=True)
class Packed:
    """JSON, plain and compressed."""

    plain: bytes
    gzipped: bytes
    inline: str  # escaped for use inside a page


def public_matches() -> QuerySet[Match, Match]:
    """Return the matches that everyone may see, with their blocks."""
    return visible_matches(None).select_related("block__ladder")


def recorded(pk: int, viewer: Viewer = None) -> Match:
    """Return the match, if the viewer may see everything about it.

    Raises:
        Http404
    """
    match = get_object_or_404(visible_matches(viewer).select_related("block__ladder"), pk=pk)
    if not is_over(match):
        raise Http404("This match is not over, or the others of its block are not.")
    return match


def names_of(match: Match) -> list[str]:
    """Return the current names of the bots, seat by seat; a replay has only their slugs."""
    seats = match.seats.order_by("number").select_related("version__bot")
    return names_among([seat.version for seat in seats])


def names_among(versions: Sequence[Version]) -> list[str]:
    """Return the names of these versions at one table; versions of the same bot get numbers."""
    names = [bot_name(version.bot.slug, version.bot.name) for version in versions]
    return [
        f"{name} v{version.number}" if names.count(name) > 1 else name
        for name, version in zip(names, versions, strict=True)
    ]


def title_of(names: Sequence[str]) -> str:
    """Return the title of a match between these bots."""
    first, *others = names
    return _("%(bot)s against %(others)s") % {"bot": first, "others": ", ".join(others)}


def board_title(name: str) -> str:
    """Return the name of a board as a title: Amsterdam."""
    words = name.replace("-", " ")
    return words[:1].upper() + words[1:]


def replay_of(match: Match) -> Replay:
    """Return the replay of a recorded match.

    Raises:
        Http404: it is lost, or differs from what was stored.
    """
    try:
        return parsed(match.replay)
    except ReplayStoreError:
        raise Http404("The replay of this match is gone.") from None


def document(match: Match, eyes: Eyes) -> dict[str, object]:
    """Return all moments of a recorded match from this viewpoint; do not change the result."""
    replay_of(match)
    return document_of(match.replay, eyes)


def moments(match: Match, eyes: Eyes) -> list[Moment]:
    """Return only the moments."""
    found = document(match, eyes)["moments"]
    assert isinstance(found, list)
    return found


def packed_document(match: Match, eyes: Eyes) -> Packed:
    """Return all moments as packed JSON."""
    replay_of(match)
    return _packed(match.replay, eyes)


@lru_cache(maxsize=64)
def parsed(hash_: str) -> Replay:
    """Return the replay with this hash."""
    return parse_replay(load(hash_))


@lru_cache(maxsize=128)
def document_of(hash_: str, eyes: Eyes) -> dict[str, object]:
    """Return all moments of the replay with this hash; do not change the result."""
    return moments_of(parsed(hash_), eyes)


@lru_cache(maxsize=256)
def _packed(hash_: str, eyes: Eyes) -> Packed:
    text = json.dumps(document_of(hash_, eyes), ensure_ascii=False, separators=(",", ":"))
    plain = text.encode()
    inline = text.replace("&", r"\u0026").replace("<", r"\u003C").replace(">", r"\u003E")
    return Packed(plain, gzip.compress(plain, compresslevel=6, mtime=0), inline)
