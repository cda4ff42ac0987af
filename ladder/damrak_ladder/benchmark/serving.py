"""Run a site in a separate process, on this process's database, with a broker as its cache."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from damrak_ladder.embedded import valkey
from damrak_ladder.embedded.places import Places
from damrak_ladder.installation.environment import PREFIX

PATIENCE_S: Final = 120.0


@contextmanager
def running_site(application: str) -> Iterator[int]:
    """Run the site and a broker, and yield the port of the site."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with tempfile.TemporaryDirectory(prefix="damrak-bench-") as folder:
        places = Places.of(Path(folder))
        broker = subprocess.Popen(  # noqa: S603 - the package's own program
            valkey.command(places), stdout=subprocess.DEVNULL
        )
        try:
            with _serving(application, port, valkey.url(places)):
                yield port
        finally:
            broker.terminate()
            broker.wait(10)


@contextmanager
def _serving(application: str, port: int, broker: str) -> Iterator[None]:
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port)]
    command += ["--lifespan", "off", "--no-access-log", "--log-level", "warning"]
    process = subprocess.Popen(  # noqa: S603 - our own site
        command, env={**os.environ, PREFIX + "BROKER": broker}
    )
    try:
        _await(process, port)
        yield
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
