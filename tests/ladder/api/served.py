"""The site's API behind its real HTTP server, in a thread of this process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from django.core.asgi import get_asgi_application
from django.db import connections

from damrak_ladder.api.bodies import BoundedBodies
from damrak_ladder.installation.databases import pooled


@contextmanager
def _pooled_connections() -> Iterator[None]:
    """Let other threads share a pool of connections, as in the site's own processes.

    Each request has a thread of its own, which ends without closing a persistent connection.
    """
    unpooled = connections.settings["default"]
    connections.settings["default"] = pooled(unpooled)
    try:
        yield
    finally:
        shared = connections.create_connection("default")
        if close := getattr(shared, "close_pool", None):
            close()
        connections.settings["default"] = unpooled


@contextmanager
def served() -> Iterator[str]:
    """Serve the application; the address without a slash at its end."""
    with _pooled_connections(), socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            BoundedBodies(get_asgi_application()), log_level="critical", lifespan="off", ws="none"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
