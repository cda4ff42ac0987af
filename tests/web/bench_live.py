"""How late watchers of one running match are: from the referee's table through the site.

python -m web.bench_live [watchers], in the folder `tests`. It asserts nothing: machines differ.
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
from damrak_ladder.management import manage, prepare
from damrak_referee.watch import Feeds, WatchService
from web.sites import running_site

PACE_S = 0.03  # between two decisions of a bot


def running_match(address: str) -> int:
    """A match that a host at this address plays, in the data folder of DAMRAK_HOME."""
    prepare()
    manage(["migrate", "--verbosity", "0"])
    django.setup()
    from damrak_ladder.matches.models import Host
    from ladder_django.test_viewer_live import running_match as made

    match = made()
    Host.objects.update(control=address)
    return match.pk


async def play(match: int, site: str, address: str, watchers: int) -> None:
    """Play it, slowly enough for people, and see how late everybody is."""
    happened: list[float] = []
    late: list[float] = []
    upstream: list[str] = []  # each time that anybody asks the referee
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
        seen = [
            asyncio.create_task(_watch(site, match, happened, late, f"127.0.1.{1 + number % 250}"))
            for number in range(watchers)
        ]
        await asyncio.sleep(3)
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


def _slow(client: tables.Client) -> None:
    say = client.say

    async def later(data: bytes) -> None:
        await asyncio.sleep(PACE_S)
        await say(data)

    client.say = later  # type: ignore[method-assign]


async def _watch(site: str, match: int, happened: list[float], late: list[float], own: str) -> None:
    """Watch from an address of one's own: a single one gets few places."""
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
    watchers = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        address = f"unix:{folder}/control"
        os.environ["DAMRAK_HOME"] = folder
        match = running_match(address)
        with running_site(home) as site:
            asyncio.run(play(match, site.url, address, watchers))


if __name__ == "__main__":
    main()
