"""A match that is played as far as it is told, by a process of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

import tables
from damrak_referee.watch import Feeds, WatchService
from web.bench_live import running_match
from web.sites import TESTS

SEATS = 2


class Game:
    """A running match, as whoever holds it in his hands sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.match = self._heard()
        for _ in range(SEATS):
            self._heard()  # everybody chooses contracts at once

    def begin(self) -> None:
        """Take it out of the queue, as a worker does."""
        self._say("begin")

    def go_on(self, decisions: int) -> int:
        """Let so many more decisions be made; how many events there are then."""
        self._say(str(decisions))
        return self._heard()

    def _say(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()

    def _heard(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@contextmanager
def played_in(home: Path) -> Iterator[Game]:
    """A match that waits in this data folder; nobody has decided anything yet."""
    variables = os.environ | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "web.playing"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=variables, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Game(process)
        finally:
            process.kill()


async def _play(match: int, address: str) -> None:
    feeds = Feeds(tables.PATIENCE)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((WatchService(feeds).handlers(),))
    server.add_insecure_port(address)
    await server.start()
    allowed = asyncio.Semaphore(0)
    async with tables.hall(SEATS, match=str(match)) as room:
        feeds.add(room.table.feed)
        clients = [await room.sit(seat) for seat in range(SEATS)]
        _tell(match)

        def hold_back(client: tables.Client) -> None:
            say = client.say

            async def later(data: bytes) -> None:
                if allowed.locked():
                    _tell(len(room.table._match.log))
                await allowed.acquire()
                await say(data)

            client.say = later  # type: ignore[method-assign]

        for client in clients:
            hold_back(client)
        listening = asyncio.create_task(_allow(allowed))
        await tables.everyone_plays(clients)
        _tell(len(room.table._match.log))
        await listening


async def _allow(decisions: asyncio.Semaphore) -> None:
    while said := await asyncio.to_thread(sys.stdin.readline):
        if said == "begin\n":
            await asyncio.to_thread(_run)
            continue
        for _ in range(int(said)):
            decisions.release()


def _wait() -> None:
    from damrak_ladder.matches.models import Block

    Block.objects.update(state="waiting", lease_until=None)


def _run() -> None:
    from damrak_ladder.matches.models import Block
    from ladder_django.people import NOW

    Block.objects.update(state="running", lease_until=NOW)


def _tell(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def main() -> None:
    """Play the match, decision by decision as they are allowed."""
    with tempfile.TemporaryDirectory() as folder:
        address = f"unix:{folder}/control"
        match = running_match(address)
        _wait()
        asyncio.run(_play(match, address))


if __name__ == "__main__":
    main()
