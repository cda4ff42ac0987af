"""Real receivers of webhooks, on this machine."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """The requests that a server received, and its responses."""

    url: str = ""
    port: int = 0
    heard: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)  # of the next responses; then 204
    refusals: int = 0  # of each message, with the status 500, before it is accepted
    location: str = ""
    hold: threading.Event | None = None  # no response before it is set

    def answer(self) -> int:
        ids = [headers.get("webhook-id") for headers, _ in self.heard]
        if ids.count(ids[-1]) <= self.refusals:
            return 500
        return self.statuses.pop(0) if self.statuses else 204


class _Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.receiver.heard.append(({**headers, ":path": self.path}, body))
        if self.receiver.hold:
            self.receiver.hold.wait(600)
        self.send_response(self.receiver.answer())
        if self.receiver.location:
            self.send_header("Location", self.receiver.location)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: callers may disconnect."""


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Yield an HTTP or HTTPS server that records its requests."""
    receiver = Receiver()
    handler = type("Handler", (_Handler,), {"receiver": receiver})
    with _Server(("127.0.0.1", 0), handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        receiver.port = server.server_address[1]
        receiver.url = f"{'https' if tls else 'http'}://127.0.0.1:{receiver.port}/hook?a=1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield receiver
        finally:
            if receiver.hold:
                receiver.hold.set()
            server.shutdown()
            thread.join()
