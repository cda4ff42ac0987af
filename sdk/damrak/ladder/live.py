"""The live stream of a match: server-sent events, resumed after a lost connection."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final

from damrak.errors import LadderError
from damrak.ladder.site import Site, opener
from damrak.local import package_version

SILENCE_SECONDS: Final = 60.0
"""The time without an event or a heartbeat after which the connection counts as lost."""
LONGEST: Final = 1 << 20
WAITS: Final = (0.5, 1.0, 2.0, 5.0, 10.0)
FULL_SECONDS: Final = 30.0
TRIES: Final = 12


@dataclass(frozen=True, slots=True)
class Told:
    """An event of a stream: its name, its data, and the position that resumes after it."""

    name: str
    data: Any
    place: str = ""


def follow(site: Site, match: int, wait: Callable[[float], None] = time.sleep) -> Iterator[Told]:
    """Yield the events of a running match until its stream ends, across lost connections.

    The last event is `over`, `recorded` or `idle` (nothing plays the match now).

    Raises:
        LadderError: the site cannot be reached, or sends something else.
    """
    place, failures = "", 0
    while True:
        problem = "the connection was lost"
        try:
            for told in _once(site, match, place):
                failures, place = 0, told.place or place
                if told.name == "full":
                    wait(FULL_SECONDS)
                    break
                yield told
                if told.name in ("over", "recorded", "idle"):
                    return
        except (OSError, HTTPException) as lost:
            problem = str(getattr(lost, "reason", lost)).lower()
        failures += 1
        if failures > TRIES:
            raise LadderError(f"{site.address.text}: {problem}")
        wait(WAITS[min(failures, len(WAITS)) - 1])


def _once(site: Site, match: int, place: str) -> Iterator[Told]:
    headers = {"Accept": "text/event-stream", "User-Agent": f"damrak/{package_version()}"}
    if place:
        headers["Last-Event-ID"] = place
    url = site.page(f"/matches/{match}/live/")
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - http only
    try:
        with opener(site.address).open(request, timeout=SILENCE_SECONDS) as answer:
            if answer.status == 204:
                yield Told("idle", {})
                return
            if answer.headers.get_content_type() != "text/event-stream":
                raise LadderError(f"{site.address.text}: this is not the URL of a ladder")
            yield from events_of(iter(lambda: answer.readline(LONGEST), b""))
    except urllib.error.HTTPError as problem:
        with problem:
            if problem.code >= 500 or problem.code == 429:
                raise OSError(f"it returned {problem.code}") from None
            raise LadderError(f"{site.address.text}: it returned {problem.code}") from None


def events_of(lines: Iterable[bytes]) -> Iterator[Told]:
    """Yield the events in the lines of a stream; one that is cut off is left out."""
    fields: dict[str, str] = {}
    for line in lines:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not line.endswith(b"\n"):
            return
        if text:
            name, _, value = text.partition(":")
            fields[name] = value.removeprefix(" ")
        elif fields:
            if "data" in fields:
                try:
                    data = json.loads(fields["data"])
                except ValueError:
                    raise LadderError("the stream has an event that is not JSON") from None
                yield Told(fields.get("event", "message"), data, fields.get("id", ""))
            fields = {}
