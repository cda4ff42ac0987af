"""Memory and processor time of one site process with many open streams."""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak_ladder.benchmark.site_process import serving_site
from damrak_ladder.installation.environment import PREFIX

WARM_UP: Final = 20  # streams that are opened and closed before anything is measured
EVENTS: Final = 10
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_REQUEST: Final = b"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
_SPARE_FILES: Final = 200

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True)
class Measured:
    """The cost of open streams, and the delay of events."""

    streams: int
    seconds: float
    memory_before_mib: float
    memory_mib: float  # in addition
    cpu_before: float  # of one core, without streams
    cpu: float  # of one core, with idle streams
    delay_median_s: float  # from the commit to the arrival, of all events and streams
    delay_most_s: float


def measure(streams: int, seconds: float, tell: Callable[[str], None]) -> Measured:
    """Open this many streams at a new site, and measure for so many seconds."""
    _allow_files(streams + _SPARE_FILES)
    command = [sys.executable, "-m", "damrak_ladder", "site"]
    with serving_site(command, {PREFIX + "WATCHERS_PER_ADDRESS": str(2 * streams)}) as site:
        return asyncio.run(_measure(site.port, site.process, streams, seconds, tell))


async def _measure(
    port: int, process: int, streams: int, seconds: float, tell: Callable[[str], None]
) -> Measured:
    for line in [await _open(port) for _ in range(WARM_UP)]:
        line[1].close()
    tell("measuring without streams")
    cpu_before = await _cpu_share(process, seconds)
    before = _memory(process)
    tell(f"opening {streams} streams")
    lines = [await _open(port) for _ in range(streams)]
    tell("measuring idle streams")
    cpu = await _cpu_share(process, seconds)
    memory = _memory(process) - before
    tell("measuring delays")
    delays = await _delays(lines)
    for _, writer in lines:
        writer.close()
    return Measured(
        streams, seconds, before, memory, cpu_before, cpu, statistics.median(delays), max(delays)
    )


async def _open(port: int) -> Line:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_REQUEST)
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"the site refuses a stream: {head[:200]!r}")
    await reader.readuntil(b"\n{")  # the first message, as a chunk
    return reader, writer


async def _cpu_share(process: int, seconds: float) -> float:
    used, begun = _cpu(process), time.monotonic()
    await asyncio.sleep(seconds)
    return (_cpu(process) - used) / (time.monotonic() - begun)


async def _delays(lines: list[Line]) -> list[float]:
    loop = asyncio.get_running_loop()
    delays: list[float] = []
    for number in range(EVENTS):
        waiting = [asyncio.create_task(_next_event(reader)) for reader, _ in lines]
        begun = time.monotonic()
        await loop.run_in_executor(None, _note, number)
        delays += [at - begun for at in await asyncio.gather(*waiting)]
    return delays


async def _next_event(reader: asyncio.StreamReader) -> float:
    while b"standings.published" not in await reader.readline():
        pass
    return time.monotonic()


def _note(number: int) -> None:
    from django.db import connection
    from django.utils import timezone

    from damrak_ladder.changes.models import ChangeKind
    from damrak_ladder.changes.notes import note
    from damrak_ladder.matches.models import Ladder

    ladder, _ = Ladder.objects.get_or_create(
        slug="bench", defaults={"boards": [], "shares": {}, "admits": [], "created": timezone.now()}
    )
    note(ChangeKind.STANDINGS_PUBLISHED, ladder.pk, timezone.now())
    connection.close()


def _memory(process: int) -> float:
    """Return the resident memory in MiB."""
    pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    return pages * _PAGE / (1 << 20)


def _cpu(process: int) -> float:
    """Return the processor time in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _allow_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
