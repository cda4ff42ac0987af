"""A site in a process of its own, on the database of this process."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PATIENCE_S: Final = 120.0


@contextmanager
def running_site(application: str) -> Iterator[int]:
    """The port at which it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port)]
    command += ["--lifespan", "off", "--no-access-log", "--log-level", "warning"]
    process = subprocess.Popen(command, env=dict(os.environ))  # noqa: S603 - our own site
    try:
        _await(process, port)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the site has ended with exit code {process.returncode}")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", "/en/ladders/")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise RuntimeError("the site does not answer")
