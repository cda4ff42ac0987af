"""Servers that stop responding: packets are dropped, or a process is suspended.

The documentation promises visitors, proxies and operators a response within ten seconds, so the
clients here have time limits.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from damrak_ladder.installation.databases import database_of
from damrak_ladder.installation.environment import read_environment
from damrak_ladder.resilient_cache import ForgetfulCache
from ladder.databases import create_tables, use_database
from ladder.postgres import Postgres
from namespaces import SERVER, cable
from ports import free_port
from processes import children_of
from referee_process import short_folder
from system.broker import Broker
from system.plant import Process, wait_until

PATIENCE_S = 30.0  # an idle machine needs less than ten; without limits it takes minutes
VISITORS = 40  # twice the number of the site's database connections


class Site:
    """A running site."""

    def __init__(self, process: Process, port: int) -> None:
        self.process, self.port = process, port

    def status(self, path: str, patience: float = PATIENCE_S) -> int:
        """Return the status of the response; 0 if there is none in time."""
        return self.answer(path, patience)[0]

    def answer(self, path: str, patience: float = PATIENCE_S) -> tuple[int, bytes]:
        """Return the response to a request if its headers and body arrive in time."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        began = time.monotonic()
        try:
            asked.request("GET", path)
            answer = asked.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            asked.close()
        return (answer.status, body) if time.monotonic() - began < patience else (0, b"")

    def is_ready(self) -> bool:
        return self.status("/healthz/ready") == 200


@contextmanager
def running_site(folder: Path, database: str) -> Iterator[Site]:
    """Yield a ready site on this database, with a broker."""
    with Broker(folder) as broker:
        port = free_port()
        variables = {
            "DAMRAK_HOME": str(folder / "home"),
            "DAMRAK_PORT": str(port),
            "DAMRAK_LADDER_BROKER": broker.url,
            "DATABASE_URL": database,
        }
        process = Process(folder / "site.log", variables, "site")
        try:
            site = Site(process, port)
            wait_until(site.is_ready, process.log.read_text)
            yield site
        finally:
            process.kill()


@contextmanager
def server_beyond_a_cable() -> Iterator[tuple[Callable[[], None], Callable[[], None], str]]:
    """Yield functions that cut and restore the connection to a server, and its URL."""
    with cable() as joined:
        with joined.at_server():
            server = Postgres(SERVER)
        with server:
            yield joined.cut, joined.mend, f"postgresql://damrak@{SERVER}/damrak"


@contextmanager
def server_that_can_stand_still() -> Iterator[tuple[Callable[[], None], Callable[[], None], str]]:
    """Yield the same for a suspended server, whose kernel still acknowledges packets."""
    with Postgres() as server:

        def signalled(number: int) -> None:
            assert server.process is not None
            for pid in [server.process.pid, *children_of(server.process.pid)]:
                with suppress(ProcessLookupError):  # a backend whose connection has ended
                    os.kill(pid, number)

        def stop() -> None:
            signalled(signal.SIGSTOP)

        def go_on() -> None:
            signalled(signal.SIGCONT)

        try:
            yield stop, go_on, server.url
        finally:
            go_on()


@pytest.mark.postgres
@pytest.mark.process
@pytest.mark.parametrize(
    "kind",
    [pytest.param(server_beyond_a_cable, marks=pytest.mark.root), server_that_can_stand_still],
)
def test_site_whose_database_stops_answering(kind, django_db_blocker) -> None:
    with short_folder() as folder, kind() as (cut, mend, url):
        with django_db_blocker.unblock():
            use_database(
                database_of(
                    read_environment({"DAMRAK_HOME": str(folder / "home"), "DATABASE_URL": url})
                )
            )
            create_tables()
        with running_site(folder, url) as site, ThreadPoolExecutor(VISITORS) as visitors:
            # All connections of the pool are open and idle when the network fails.
            assert set(visitors.map(site.status, ["/en/"] * VISITORS)) == {200}
            cut()
            pages = [visitors.submit(site.status, "/en/") for _ in range(VISITORS - 1)]
            found = {"database": "well"}
            until = time.monotonic() + PATIENCE_S
            while found["database"] == "well":  # earlier results are cached for two seconds
                status, body = site.answer("/healthz")
                assert (status, time.monotonic() < until) == (503, True)
                found = json.loads(body)
            assert found["database"].startswith("does not answer")
            assert found["migrations"] == "unknown: the database does not answer"
            assert (found["broker"], found["disk"]) == ("well", "well")
            assert {page.result() for page in pages} == {503}
            assert [site.status(path) for path in ("/healthz/live", "/healthz/ready")] == [200, 503]
            assert [site.status(path) for path in ("/en/", "/api/v1/ladders")] == [503, 503]
            mend()
            until = time.monotonic() + PATIENCE_S
            while not site.is_ready() or site.status("/en/") != 200:
                assert time.monotonic() < until, site.process.log.read_text()
                time.sleep(0.2)


@pytest.mark.process
@pytest.mark.root
def test_doctor_ends_soon_with_unreachable_parts() -> None:
    pytest.importorskip("boto3")
    with cable() as joined, short_folder() as folder:
        joined.cut()
        told = subprocess.run(
            [sys.executable, "-m", "damrak_ladder", "doctor", "--json"],
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith("DAMRAK_LADDER_")},
                "DAMRAK_HOME": str(folder / "home"),
                "DATABASE_URL": f"postgresql://damrak@{SERVER}/damrak",
                "DAMRAK_LADDER_BROKER": f"redis://{SERVER}:6379/0",
                "DAMRAK_LADDER_REFEREE": f"{SERVER}:7171",
                "DAMRAK_LADDER_REFEREE_PLAIN": "yes",
                "DAMRAK_LADDER_URL": f"https://{SERVER}:8443",
                "DAMRAK_LADDER_MAIL_URL": f"smtp://{SERVER}:25",
                "DAMRAK_LADDER_REPLAY_STORE": "s3",
                "DAMRAK_LADDER_S3_BUCKET": "damrak",
                "DAMRAK_LADDER_S3_ENDPOINT": f"http://{SERVER}:9000",
                "DAMRAK_LADDER_S3_KEY": "key",
                "DAMRAK_LADDER_S3_SECRET": "secret",
            },
            stdout=subprocess.PIPE,
            timeout=PATIENCE_S,
        )
    verdicts = {found["part"]: found["verdict"] for found in json.loads(told.stdout)}
    assert told.returncode == 1
    assert {verdicts[part] for part in ("database", "broker", "referee", "mail")} == {"wrong"}
    assert (verdicts["site"], verdicts["settings"]) == ("doubtful", "well")


def test_cache_that_does_not_answer_is_asked_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        options = {"OPTIONS": {"socket_timeout": 0.05, "socket_connect_timeout": 5}}
        address = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        caches = [ForgetfulCache(address, options) for _ in range(3)]
        assert [cache.get("key", "nothing") for cache in caches] == ["nothing"] * 3
        assert [cache.incr("key") for cache in caches] == [1] * 3
        server.settimeout(0)
        server.accept()[0].close()
        with pytest.raises(BlockingIOError):
            server.accept()
