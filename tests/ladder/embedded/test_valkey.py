"""The broker that the platform includes."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from damrak_ladder.embedded import valkey
from damrak_ladder.embedded.places import Places

pytestmark = pytest.mark.process

PATIENCE_S = 600  # a safety net; nothing here measures time


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    with tempfile.TemporaryDirectory() as home:
        places = Places.of(Path(home))
        server = subprocess.Popen(valkey.command(places), stdout=subprocess.DEVNULL)
        try:
            # Without the short timeouts of the platform.
            with redis.Redis(unix_socket_path=str(places.broker)) as connected:
                await_answer(connected)
                yield connected
        finally:
            server.kill()
            server.wait()


def await_answer(connected: redis.Redis) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            connected.ping()
        except redis.RedisError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def test_messages_pass_when_what_is_remembered_fills_the_memory(broker: redis.Redis) -> None:
    broker.rpush("main", "a message")
    used = int(broker.info("memory")["used_memory"])
    broker.config_set("maxmemory", used + 2_000_000)
    for number in range(60):
        broker.set(f"remembered-{number}", bytes(100_000), ex=3600)
    broker.rpush("main", bytes(100_000))
    assert broker.llen("main") == 2
    assert broker.lindex("main", 0) == b"a message"
