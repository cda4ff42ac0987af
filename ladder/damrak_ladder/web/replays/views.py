"""Views of the viewer's pages and files."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import close_old_connections
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    JsonResponse,
    QueryDict,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.analyses.requests import request as request_analysis
from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.publication import is_over
from damrak_ladder.replays.storage import load
from damrak_ladder.web.replays import board_picture, palette
from damrak_ladder.web.replays.cards import card_of, position_of
from damrak_ladder.web.replays.context import viewer_context
from damrak_ladder.web.replays.films import film_of
from damrak_ladder.web.replays.insight import insight_of
from damrak_ladder.web.replays.live import FULL_SECONDS, STUDIO, only
from damrak_ladder.web.replays.sources import (
    moments,
    names_of,
    packed_document,
    public_matches,
    recorded,
    replay_of,
    title_of,
)
from damrak_ladder.web.replays.verification import check
from damrak_ladder.web.replays.viewpoints import ALL, eyes_of
from damrak_ladder.web.site.errors import forbidden
from damrak_ladder.web.site.headers import POLICY
from damrak_ladder.web.site.rate_limits import at_most, is_cross_site, too_often, who

FOREVER: Final = "public, max-age=31536000, immutable"
AWHILE: Final = "public, max-age=300"
_FRAME_WIDTH: Final = 800
_FRAME_HEIGHT: Final = 640
_MOST_FRAMES: Final = 120
_MOMENT: Final = re.compile(r"e?([0-9]{1,6})")
_PAGE: Final = re.compile(r"(?:/[a-z]{2})?/matches/([0-9]{1,18})/(?:embed/)?")


@require_safe
@xframe_options_exempt
def embed(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the viewer for other sites' pages. It has no forms that change anything."""
    match = get_object_or_404(public_matches(), pk=pk)
    if not (context := viewer_context(request, match)):
        raise Http404("There is nothing to show of this match.")
    response = render(request, "web/replays/embed.html", {"match": match, **context})
    response["Content-Security-Policy"] = POLICY.replace(
        "frame-ancestors 'none'", "frame-ancestors *"
    )
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@require_safe
@never_cache
@at_most(30, 60, method="GET")
def verify(request: HttpRequest, pk: int) -> HttpResponse:
    """Check the replay again; show the result as a fragment or, without JavaScript, as a page."""
    match = recorded(pk)
    is_fragment = request.headers.get("X-Requested-With") == "fetch"
    name = "web/replays/_verdict.html" if is_fragment else "web/replays/verdict.html"
    context = {"match": match, "verdict": check(match), "site": settings.DAMRAK_URL}
    return render(request, name, context)


@csrf_exempt  # a token would give every visitor a cookie; `is_cross_site` is enough
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def insight(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the analysis of a match as a part of its page.

    POST requests an analysis; GET does not.
    """
    match = recorded(pk)
    if request.method != "POST":
        return render(request, "web/replays/_insight.html", {"insight": insight_of(match)})
    if is_cross_site(request):
        return forbidden(request, PermissionDenied())
    is_part = bool(request.headers.get("HX-Request"))
    shown = {"match": pk, "state": "busy"}
    try:
        if request_analysis(match, who(request), datetime.now(UTC)) is not None:
            if not is_part:
                return redirect(reverse("web:match", args=[pk]) + "#insight")
            shown = insight_of(match)
    except TooOften as problem:
        if not is_part:
            return too_often(request, problem)
        shown = {"match": pk, "state": "too-often"}
    if is_part:
        return render(request, "web/replays/_insight.html", {"insight": shown})
    answer = render(request, "web/replays/insight.html", {"match": match, "insight": shown})
    answer.status_code = 503
    answer["Retry-After"] = "300"
    return answer


@require_safe
def moments_file(request: HttpRequest, pk: int, eyes: str) -> HttpResponse:
    """Return all moments from this viewpoint."""
    match = recorded(pk)
    _check_eyes(match, eyes)
    etag = f'"{match.replay[:32]}-{eyes}"'
    if request.headers.get("If-None-Match") == etag:
        response = HttpResponse(status=304)
    else:
        packed = packed_document(match, eyes)
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            response = HttpResponse(packed.gzipped, content_type="application/json")
            response["Content-Encoding"] = "gzip"
        else:
            response = HttpResponse(packed.plain, content_type="application/json")
        patch_vary_headers(response, ["Accept-Encoding"])
    response["ETag"] = etag
    response["Cache-Control"] = FOREVER if "v" in request.GET else "public, no-cache"
    return response


@require_safe
def position(request: HttpRequest, pk: int) -> HttpResponse:
    """Return one position as SVG; without carts if the replay is gone, because stories remain."""
    match = recorded(pk)
    owners: board_picture.Owners = {}
    with suppress(Http404):
        owners = board_picture.owners_at(moments(match, ALL), _moment(request, match))
    is_dark = request.GET.get("theme") == "dark"
    return _picture(board_picture.position(board_of(match.block.board), owners, is_dark))


@require_safe
@at_most(120, 60, method="GET")
def position_pixels(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the same as PNG, for readers without the script that converts the SVG."""
    match = recorded(pk)
    return _pixels(position_of(match, _moment(request, match)))


@require_safe
def film(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the whole game as an animated SVG, one claim per frame."""
    match = recorded(pk)
    found = moments(match, ALL)
    claims = [at for at, (event, _) in enumerate(found) if event["event"] == "claim"]
    course = [board_picture.owners_at(found, at) for at in claims[:_MOST_FRAMES]]
    return _picture(board_picture.film(replay_of(match).board, course, 2.0 + 0.5 * len(course)))


@require_safe
@at_most(20, 60, method="GET")
def film_pixels(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the game as a GIF, for programs that do not show SVG."""
    match = recorded(pk)
    try:
        found = film_of(match)
    except TooOften as problem:
        return too_often(request, problem)
    response = HttpResponse(found, content_type="image/gif")
    response["Content-Disposition"] = f'inline; filename="damrak-{match.pk}.gif"'
    response["Cache-Control"] = AWHILE
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@require_safe
@at_most(120, 60, method="GET")
def card(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the preview picture for links to a match."""
    match = recorded(pk)
    return _pixels(card_of(match))


@require_safe
def download(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the replay as it was signed."""
    match = recorded(pk)
    try:
        data = load(match.replay)
    except ReplayStoreError:
        raise Http404("The replay of this match is gone.") from None
    response = HttpResponse(data, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="damrak-{match.pk}.json"'
    return response


@require_safe
async def live(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Stream the public events of a running match as server-sent events."""
    match = await public_matches().filter(pk=pk).afirst()
    # A watcher stays for long, and must not hold a database connection all the time.
    await sync_to_async(close_old_connections)()
    if match is not None and is_over(match):
        return _stream(only("recorded"))
    if match is None or match.block.state != BlockState.RUNNING:
        return HttpResponse(status=204)  # makes browsers stop asking
    if request.GET.get("seen") == "all":
        return _stream(only("over"))
    address = str(request.META.get("REMOTE_ADDR", ""))
    if STUDIO.is_full(address, settings.DAMRAK_WATCHERS_PER_ADDRESS):
        return _stream(only("full", FULL_SECONDS))
    return _stream(STUDIO.watch(pk, request.headers.get("Last-Event-ID", ""), address))


@require_safe
def colours(request: HttpRequest) -> HttpResponse:
    """Return the style sheet of boards."""
    response = HttpResponse(palette.sheet(), content_type="text/css; charset=utf-8")
    response["Cache-Control"] = AWHILE
    return response


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """Return how to embed the match at an address (oembed.com, type rich)."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse(status=501)
    url = request.GET.get("url", "")
    match = recorded(_match_at(url, request.get_host()))
    site = f"{request.scheme}://{request.get_host()}"
    width = _at_most(request.GET.get("maxwidth"), _FRAME_WIDTH)
    height = _at_most(request.GET.get("maxheight"), _FRAME_HEIGHT)
    names = names_of(match)
    source = site + reverse("replays:embed", args=[match.pk]) + _seen_at(url, len(names))
    title = title_of(names)
    answer: dict[str, Any] = {
        "version": "1.0",
        "type": "rich",
        "provider_name": "Damrak",
        "provider_url": site,
        "title": title,
        "width": width,
        "height": height,
        "thumbnail_url": site + reverse("replay-files:card", args=[match.pk]),
        "thumbnail_width": 1200,
        "thumbnail_height": 630,
        "html": f'<iframe src="{escape(source)}" width="{width}" height="{height}"'
        f' title="{escape(title)}" loading="lazy" allowfullscreen></iframe>',
    }
    return JsonResponse(answer, headers={"Access-Control-Allow-Origin": "*"})


def _stream(frames: AsyncIterator[bytes]) -> HttpResponseBase:
    response = StreamingHttpResponse(frames, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"  # compression would delay the events
    return response


def _check_eyes(match: Match, eyes: str) -> None:
    if eyes not in eyes_of(len(replay_of(match).seats)):
        raise Http404("Nobody in this match has such eyes.")


def _picture(svg: str) -> HttpResponse:
    response = _pixels(svg, "image/svg+xml; charset=utf-8")
    # It has its own inline style sheet; everything else is forbidden.
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response


def _pixels(image: bytes | str, kind: str = "image/png") -> HttpResponse:
    response = HttpResponse(image, content_type=kind)
    response["Cache-Control"] = AWHILE
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _moment(request: HttpRequest, match: Match) -> int:
    """Return the requested moment, or the end if none is requested."""
    at, last = request.GET.get("at", ""), len(moments(match, ALL)) - 1
    return min(int(at), last) if at.isdecimal() and len(at) < 7 else last


def _match_at(url: str, host: str) -> int:
    """Return the match whose page, in any language, is at this address of ours."""
    found = None
    with suppress(ValueError):
        parts = urlsplit(url)
        ours = {host.lower(), urlsplit(settings.DAMRAK_URL).netloc.lower()}
        if parts.scheme in {"http", "https"} and parts.netloc.lower() in ours:
            found = _PAGE.fullmatch(parts.path)
    if found is None:
        raise Http404("There is no match at this address.")
    return int(found[1])


def _seen_at(url: str, seats: int) -> str:
    """Return the viewpoint and moment of an address, as parameters of the embedded page."""
    parts = urlsplit(url)
    asked = QueryDict(parts.query)
    eyes = asked.get("eyes", ALL)
    moment = _MOMENT.fullmatch(parts.fragment) or _MOMENT.fullmatch(asked.get("at", ""))
    query = f"?eyes={eyes}" if eyes != ALL and eyes in eyes_of(seats) else ""
    return query + (f"#{moment[1]}" if moment else "")


def _at_most(given: str | None, usual: int) -> int:
    if given and given.isdecimal() and len(given) < 6:
        return max(200, min(int(given), usual))
    return usual
