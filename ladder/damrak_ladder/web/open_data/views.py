"""The page of open data, the index of the dump, and its files."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from damrak_ladder.open_data.index import File
from damrak_ladder.open_data.published import next_run, not_yet, published
from damrak_ladder.open_data.tables import TABLES
from damrak_ladder.web.open_data.ranges import Part, Unsatisfiable, part_of

DAYS: Final = 10
CHUNK: Final = 256 * 1024
_TYPES: Final = {"parquet": "application/vnd.apache.parquet", "ndjson": "application/gzip"}
_OPEN: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Content-Range, Accept-Ranges, Content-Length",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@require_safe
def open_data(request: HttpRequest) -> HttpResponse:
    """Show the files of the latest dump, the newest days first."""
    found = published()
    if found is None:
        return render(request, "web/open_data/open_data.html", {"first": next_run(timezone.now())})
    before = request.GET.get("before", "9999-12-31")
    end = bisect_left(found.index.days, before, key=lambda day: day.day)
    shown = found.index.days[max(0, end - DAYS) : end][::-1]
    context = {
        "index": found.index,
        "whole": found.of_day(None),
        "days": [(day, found.of_day(day.day)) for day in shown],
        "next": shown[-1].day if end > DAYS else "",
        "tables": TABLES.values(),
        "bytes": found.bytes,
        "url": request.build_absolute_uri("/data/"),
    }
    return render(request, "web/open_data/open_data.html", context)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Return the index of the latest dump, which is empty before the first one."""
    found = published()
    if found is None:
        empty = not_yet()
        if empty is None:
            problem = {"detail": "the index is damaged", "cure": "tell the operator of the site"}
            return JsonResponse(problem, status=503, headers=_OPEN)
        headers = {**_OPEN, "Cache-Control": "public, max-age=60"}
        return HttpResponse(empty.to_bytes(), content_type="application/json", headers=headers)
    tag = f'"{found.digest}"'
    headers = {**_OPEN, "ETag": tag, "Cache-Control": "public, max-age=60"}
    if _has(request, tag):
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(found.text, content_type="application/json", headers=headers)


@require_safe
def file(request: HttpRequest, table: str, name: str) -> HttpResponseBase:
    """Return a file of the latest dump, or a part of it; no other file can be reached."""
    found = published()
    listed = None if found is None else found.files.get(f"{table}/{name}")
    if found is None or listed is None:
        raise Http404
    tag = f'"{listed.sha256}"'
    headers = {
        **_OPEN,
        "ETag": tag,
        "Accept-Ranges": "bytes",
        # A file never changes, but it is removed when a release or an account is taken back.
        "Cache-Control": "public, max-age=3600",
        "Content-Disposition": f'attachment; filename="{table}-{name}"',
        "Content-Encoding": "identity",  # or the middleware would compress it, and break ranges
    }
    if _has(request, tag):
        return HttpResponse(status=304, headers=headers)
    asked = request.headers.get("Range", "")
    if request.headers.get("If-Range", tag) != tag:
        asked = ""
    try:
        part = part_of(asked, listed.bytes)
    except Unsatisfiable:
        return HttpResponse(
            status=416, headers={**headers, "Content-Range": f"bytes */{listed.bytes}"}
        )
    return _answer(request, found.folder / listed.path, listed, part, headers)


def _answer(
    request: HttpRequest, path: Path, listed: File, part: Part | None, headers: dict[str, str]
) -> HttpResponseBase:
    sent = part or Part(0, listed.bytes)
    headers = {**headers, "Content-Length": str(sent.end - sent.start)}
    if part is not None:
        headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{listed.bytes}"
    status = 200 if part is None else 206
    kind = _TYPES[listed.format]
    if request.method == "HEAD":
        return HttpResponse(status=status, content_type=kind, headers=headers)
    if not path.is_file():  # replaced by a newer dump in the meantime
        raise Http404
    chunks = _chunks(path, sent)
    content = _awaited(chunks) if isinstance(request, ASGIRequest) else chunks
    return StreamingHttpResponse(content, status=status, content_type=kind, headers=headers)


def _chunks(path: Path, part: Part) -> Iterator[bytes]:
    with path.open("rb") as file:
        left = part.end - file.seek(part.start)
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk


async def _awaited(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the chunks, each of which is read in a thread."""
    while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
        yield chunk


def _has(request: HttpRequest, tag: str) -> bool:
    given = request.headers.get("If-None-Match", "")
    return given.strip() == "*" or tag in [
        one.strip().removeprefix("W/") for one in given.split(",")
    ]
