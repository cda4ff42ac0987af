"""Exports of whole lists as NDJSON: one item per line, read in chunks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from damrak_ladder.api.lists.cursors import fingerprint, key_at
from damrak_ladder.api.lists.filters import PlayedFilter
from damrak_ladder.api.lists.pages import (
    KEY_LENGTH,
    PAGING,
    PlayedList,
    fields_of,
    rows_of,
    selected,
)
from damrak_ladder.plain_text import plain_text
from damrak_ladder.tournaments.access import Viewer

CONTENT_TYPE: Final = "application/x-ndjson"
_CHUNK: Final = 200


def wants_export(request: HttpRequest) -> bool:
    """Return whether the client accepts NDJSON."""
    return any(
        kind.partition(";")[0].strip().lower() == CONTENT_TYPE
        for kind in request.headers.get("Accept", "").split(",")
    )


def export(
    request: HttpRequest, of: PlayedList, wanted: PlayedFilter, viewer: Viewer
) -> StreamingHttpResponse:
    """Return all items of a list that the viewer may see, from a cursor on, or from its beginning.

    Raises:
        Problem: a filter, the cursor or the fields are not valid.
    """
    return streamed(request, _chunks(of, wanted, viewer))


def streamed(request: HttpRequest, chunks: Iterator[bytes]) -> StreamingHttpResponse:
    """Return an answer of these chunks, the first of which is produced at once.

    So its errors are raised before the answer begins.
    """
    first = next(chunks, b"")
    lines = _awaited(first, chunks) if isinstance(request, ASGIRequest) else _all(first, chunks)
    return StreamingHttpResponse(lines, content_type=CONTENT_TYPE)


def _chunks(of: PlayedList, wanted: PlayedFilter, viewer: Viewer) -> Iterator[bytes]:
    fields = fields_of(of.shape, wanted.fields)
    mark = fingerprint(of.name, wanted.model_dump(exclude=set(PAGING)))
    after: tuple[int, ...] | None = key_at(wanted.cursor, mark, KEY_LENGTH)
    while True:
        for rows, end in rows_of(of, wanted, viewer, after, _CHUNK):
            yield b"".join(_line(selected(item, fields)) for _, item in rows)
            after = end
            if end is None:
                return


def _line(item: dict[str, Any]) -> bytes:
    text = json.dumps(item, ensure_ascii=False, separators=(",", ":"))
    return plain_text(text).encode() + b"\n"


def _all(first: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from chunks


async def _awaited(first: bytes, chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the chunks, each of which is read in a thread, as the database requires."""
    yield first
    following = sync_to_async(lambda: next(chunks, None))
    while (chunk := await following()) is not None:
        yield chunk
