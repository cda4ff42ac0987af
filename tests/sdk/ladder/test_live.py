"""The client of live streams, against a server that cuts its connections anywhere."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given, strategies

from damrak.errors import LadderError
from damrak.ladder.address import parse_site
from damrak.ladder.live import events_of, follow
from damrak.ladder.site import Site
from samples import examples

MOMENTS = 12


def frames(since: int) -> bytes:
    """Return what the site sends to a watcher that has this many moments."""
    sent = [b": still there\n\n"]
    if not since:
        sent.append(b'event: setting\ndata: {"seats": []}\n\n')
    for at in range(since, MOMENTS):
        data = json.dumps({"first": at, "moments": [[{"event": "pass", "seat": at}, {}]]})
        sent.append(f"event: moments\nid: 1-{at + 1}\ndata: {data}\n\n".encode())
    return b"".join([*sent, b"event: over\ndata: {}\n\n"])


@contextmanager
def site(cuts: list[int]) -> Iterator[Site]:
    """Serve a match whose connections end after so many bytes each, and the last one not at all."""
    left = list(cuts)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _, _, at = self.headers.get("Last-Event-ID", "1-0").partition("-")
            body = frames(int(at))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.end_headers()
            self.wfile.write(body[: left.pop(0)] if left else body)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield Site(parse_site(f"http://127.0.0.1:{server.server_port}"))
    finally:
        server.shutdown()
        server.server_close()


@given(strategies.lists(strategies.integers(0, 600), max_size=8))
@examples(20)
def test_a_stream_is_resumed_without_loss_or_repetition(cuts: list[int]) -> None:
    seen: list[Any] = []
    with site(cuts) as there:
        for told in follow(there, 7, wait=lambda _: None):
            if told.name == "moments":
                assert told.data["first"] == len(seen)
                seen += told.data["moments"]
    assert [event["seat"] for event, _ in seen] == list(range(MOMENTS))
    assert told.name == "over"


def test_a_site_that_cuts_for_ever_is_given_up() -> None:
    with site([30] * 40) as there, pytest.raises(LadderError, match="connection"):
        list(follow(there, 7, wait=lambda _: None))


def test_events_that_are_cut_off_are_left_out() -> None:
    whole = frames(0)
    every = list(events_of(whole.splitlines(keepends=True)))
    for end in range(len(whole)):
        some = list(events_of(whole[:end].splitlines(keepends=True)))
        assert some == every[: len(some)]
    with pytest.raises(LadderError, match="JSON"):
        list(events_of([b"data: {\n", b"\n"]))
