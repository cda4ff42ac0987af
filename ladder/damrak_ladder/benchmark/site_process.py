"""A site in a separate process, on this process's database, with a broker as its cache."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak_ladder.embedded import valkey
from damrak_ladder.embedded.places import Places
from damrak_ladder.installation.environment import PREFIX

PATIENCE_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class Site:
    """A running site."""

    port: int
    process: int


@contextmanager
def running_site(application: str) -> Iterator[int]:
    """Run an ASGI application and a broker, and yield the port of the site."""
    command = [sys.executable, "-m", "uvicorn", application, "--lifespan", "off"]
    with serving_site([*command, "--no-access-log", "--log-level", "warning"], {}) as site:
        yield site.port


@contextmanager
def serving_site(command: list[str], variables: Mapping[str, str]) -> Iterator[Site]:
    """Run the program of a site and a broker."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with tempfile.TemporaryDirectory(prefix="damrak-bench-") as folder:
        places = Places.of(Path(folder))
        broker = subprocess.Popen(  # noqa: S603 - the package's own program
            valkey.command(places), stdout=subprocess.DEVNULL
        )
        try:
            broker_url = {PREFIX + "BROKER": valkey.url(places)}
            with _serving(command, port, {**broker_url, **variables}) as process:
                yield Site(port, process)
        finally:
            broker.terminate()
            broker.wait(10)


@contextmanager
def _serving(command: list[str], port: int, variables: Mapping[str, str]) -> Iterator[int]:
    ports = {"DAMRAK_PORT": str(port), "UVICORN_PORT": str(port)}
    process = subprocess.Popen(  # noqa: S603 - our own site
        command, env={**os.environ, **ports, **variables}
    )
    try:
        _await(process, port)
        yield process.pid
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
