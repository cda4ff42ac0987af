"""The delay of watchers of one running match: from the referee's table through the site.

python -m browser.bench_live [watchers] [--home], in the folder `tests`. With --home, each watcher
loads the front page first, as its visitors do, and then opens the stream of its live table. It
asserts nothing: machines differ.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from urllib.parse import urlsplit

import django
import grpc

import tables
from browser.sites import running_site
from damrak_ladder.management import prepare
from damrak_referee.server.watch_service import Feeds, WatchService
from ladder.databases import create_tables

PACE_S = 0.03  # between two decisions of a bot
AT_ONCE = 8  # loads of the front page


def running_match(address: str) -> int:
    """Return a match on a host at this address, in the data folder of DAMRAK_HOME."""
    prepare()
    django.setup()
    create_tables()
    from damrak_ladder.matches.models import Host
    from ladder.web.replays.test_live import running_match as made

    match = made()
    Host.objects.update(control=address)
    return match.pk


async def play(match: int, site: str, address: str, watchers: int, *, is_home: bool) -> None:
    """Play at a speed for human watchers, and measure all delays."""
    happened: list[float] = []
    late: list[float] = []
    upstream: list[str] = []  # the time of each request to the referee
    feeds = Feeds(tables.PATIENCE)
    follow = feeds.follow

    def followed(asked: str) -> AsyncGenerator[bytes, None]:
        upstream.append(asked)
        return follow(asked)

    feeds.follow = followed  # type: ignore[method-assign]
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((WatchService(feeds).handlers(),))
    server.add_insecure_port(address)
    await server.start()
    async with tables.hall(2, match=str(match)) as room:
        feed = room.table.feed
        grow = feed.grow

        def noted(events: int) -> None:
            happened.extend([time.perf_counter()] * (events - len(happened)))
            grow(events)

        feed.grow = noted  # type: ignore[method-assign]
        feeds.add(feed)
        if is_home:
            await _visit(site, watchers)
        seen = [
            asyncio.create_task(_watch(site, match, happened, late, f"127.0.1.{1 + number % 250}"))
            for number in range(watchers)
        ]
        await asyncio.sleep(3 + watchers / 200)
        clients = [await room.sit(seat) for seat in range(2)]
        for client in clients:
            _slow(client)
        await tables.everyone_plays(clients)
        await asyncio.wait(seen, timeout=20)
    feeds.close()
    await server.stop(None)
    late.sort()
    if late:
        middle, most = late[len(late) // 2], late[-1]
        p99 = late[len(late) * 99 // 100]
        sys.stdout.write(
            f"{watchers} watchers, {len(happened)} events: {len(late)} arrivals,"
            f" median {middle * 1000:.0f} ms, 99 % {p99 * 1000:.0f} ms,"
            f" latest {most * 1000:.0f} ms; {len(upstream)} streams from the referee\n"
        )


async def _visit(site: str, visitors: int) -> None:
    """Load the front page for each visitor, a few at a time, and print how long it took."""
    place = urlsplit(site)
    times: list[float] = []
    sizes: list[int] = []
    free = asyncio.Semaphore(AT_ONCE)

    async def load(number: int) -> None:
        async with free:
            began = time.perf_counter()
            own = f"127.0.1.{1 + number % 250}"
            reader, writer = await asyncio.open_connection(
                place.hostname, place.port, local_addr=(own, 0)
            )
            host = f"Host: {place.netloc}\r\nAccept-Encoding: gzip\r\nConnection: close"
            writer.write(f"GET /en/ HTTP/1.1\r\n{host}\r\n\r\n".encode())
            sizes.append(len(await reader.read(-1)))
            writer.close()
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(load(number) for number in range(visitors)))
    took = time.perf_counter() - began
    times.sort()
    sys.stdout.write(
        f"{visitors} loads of the front page in {took:.1f} s: median"
        f" {times[len(times) // 2] * 1000:.0f} ms, 99 % {times[len(times) * 99 // 100] * 1000:.0f}"
        f" ms, {max(sizes) / 1000:.0f} KB\n"
    )


def _slow(client: tables.Client) -> None:
    say = client.say

    async def later(data: bytes) -> None:
        await asyncio.sleep(PACE_S)
        await say(data)

    client.say = later  # type: ignore[method-assign]


async def _watch(site: str, match: int, happened: list[float], late: list[float], own: str) -> None:
    """Watch from a separate address, because each address may open only a few connections."""
    place = urlsplit(site)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, local_addr=(own, 0))
    writer.write(f"GET /matches/{match}/live/ HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
    try:
        async for line in reader:
            if line.startswith(b'data: {"first"'):
                now = time.perf_counter()
                data = json.loads(line[6:])
                for number in range(data["first"], data["first"] + len(data["moments"])):
                    late.append(now - happened[number])
            if line.startswith(b"event: over"):
                return
    finally:
        writer.close()


def main() -> None:
    """Measure and print."""
    numbers = [word for word in sys.argv[1:] if word.isdigit()]
    watchers = int(numbers[0]) if numbers else 200
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        address = f"unix:{folder}/control"
        os.environ["DAMRAK_HOME"] = folder
        match = running_match(address)
        with running_site(home) as site:
            asyncio.run(play(match, site.url, address, watchers, is_home="--home" in sys.argv))


if __name__ == "__main__":
    main()
