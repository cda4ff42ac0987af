"""A match that a separate process plays step by step."""

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
from browser.bench_live import running_match
from browser.sites import TESTS
from damrak_referee.server.watch_service import Feeds, WatchService

SEATS = 2


class Game:
    """A running match, controlled by the test."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.match = self._heard()
        for _ in range(SEATS):
            self._heard()  # all seats choose contracts at once

    def begin(self) -> None:
        """Start it, as a worker does."""
        self._say("begin")

    def go_on(self, decisions: int) -> int:
        """Let further decisions be made; return the number of events afterwards."""
        self._say(str(decisions))
        return self._heard()

    def record(self) -> None:
        """Record its block, after the end of the game."""
        self._say("record")
        self._heard()

    def _say(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()

    def _heard(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@contextmanager
def played_in(home: Path) -> Iterator[Game]:
    """Yield a queued match in this data folder, before its first decision."""
    variables = os.environ | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "browser.stepped_game"]
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
        replay: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        listening = asyncio.create_task(_allow(allowed, match, replay))
        await tables.everyone_plays(clients)
        outcome = await room.outcome()
        assert outcome.replay_file is not None
        replay.set_result(outcome.replay_file)
        _tell(len(room.table._match.log))
        await listening


async def _allow(decisions: asyncio.Semaphore, match: int, replay: asyncio.Future[bytes]) -> None:
    while said := await asyncio.to_thread(sys.stdin.readline):
        if said == "record\n":
            await asyncio.to_thread(_record, match, await replay)
            _tell(0)
            continue
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
    from ladder.people import NOW

    Block.objects.update(state="running", lease_until=NOW)


def _record(pk: int, replay: bytes) -> None:
    from damrak_engine.replay import to_bytes
    from damrak_ladder.matches.models import Match
    from damrak_ladder.matches.record import Report, record
    from damrak_ladder.replays.storage import keep
    from ladder.films import film
    from ladder.people import NOW

    match = Match.objects.select_related("block").get(pk=pk)
    others = match.block.matches.exclude(pk=pk).count()
    files = [replay, *(to_bytes(film(SEATS, 1 + number)) for number in range(others))]
    record(Report(match.block_id, match.block.attempt, tuple(map(keep, files))), NOW)


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
