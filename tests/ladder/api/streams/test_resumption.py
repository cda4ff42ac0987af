"""Streams of a real site process that are cut and resumed, and that end in order when it stops."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from damrak_ladder.bots.models import Version
from ladder.tables import some_block, some_versions
from ports import free_port

pytestmark = pytest.mark.process

CUTS = 10
WRITERS = 3
BLOCKS = 25  # of each writer
PATIENCE = 300


@contextmanager
def running_site(variables: dict[str, str]) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "damrak_ladder", "site"],
        env={**os.environ, **variables, "DAMRAK_PORT": str(port)},
    )
    try:
        until = time.monotonic() + PATIENCE
        while not _answers(port):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        yield port, process
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as link:
        try:
            link.request("GET", "/api/v1/")
            return link.getresponse().status == 200
        except OSError:
            return False


def messages(port: int, token: str, is_sse: bool) -> Iterator[dict[str, Any]]:
    """Yield the messages of a stream; closing the generator cuts the connection."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as link:
        headers, path = {}, "/api/v1/stream?topic=queue"
        if is_sse:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": token}
        else:
            path += f"&since_token={token}"
        link.request("GET", path, headers=headers)
        answer = link.getresponse()
        assert answer.status == 200, answer.read()
        while line := answer.readline().decode():
            if is_sse and line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))
            elif not is_sse:
                yield json.loads(line)


def write(versions: tuple[Version, ...], seed: int) -> list[int]:
    """Book blocks in transactions of various lengths, some of which are rolled back."""
    chance, made = random.Random(seed), []
    for number in range(BLOCKS):
        with transaction.atomic():
            block = some_block(versions)
            if chance.random() < 0.2:
                transaction.set_rollback(True)
            else:
                made.append(block.pk)
        if number % 5 == 0:
            connection.close()
    connection.close()
    return made


def test_a_stream_is_cut_ten_times_without_loss_or_duplicates(committed: dict[str, str]) -> None:
    versions, chance = some_versions(), random.Random(7)
    with running_site(committed) as (port, process), ThreadPoolExecutor(WRITERS) as writers:
        with closing(messages(port, "", is_sse=False)) as first:
            token = next(first)["token"]
        writing = [writers.submit(write, versions, seed) for seed in range(WRITERS)]
        received: list[int] = []
        for cut in range(CUTS):
            with closing(messages(port, token, is_sse=cut % 2 == 0)) as stream:
                wanted = chance.randrange(4)  # with 0, the cut comes before the first event
                for message in stream:
                    token = message["token"]
                    if message["type"] == "block.queued":
                        received.append(message["block"])
                        wanted -= 1
                    if wanted <= 0:
                        break
        expected = {block for one in writing for block in one.result()}
        ending: dict[str, Any] = {}
        for message in messages(port, token, is_sse=True):
            if message["type"] == "block.queued":
                received.append(message["block"])
            if set(received) == expected and process.poll() is None:
                process.terminate()
            ending = message
        assert process.wait(PATIENCE) == -signal.SIGTERM
    assert len(received) == len(expected) > CUTS
    assert set(received) == expected
    assert (ending["type"], ending["reason"]) == ("end", "shutdown")
