"""Benchmark of the time until a bot is ready, in a sandbox and as a bare process."""

from __future__ import annotations

import hashlib
import io
import zipfile
from contextlib import ExitStack
from statistics import median
from typing import Any, Final

from damrak.benchmark.referee.orders import block, reports_of
from damrak.benchmark.referee.process import referee
from damrak.remote.address import parse_address
from damrak.remote.control import Control
from damrak_wire.orders import Archive, SeatOrder

BOT: Final = b"""
from damrak import Action, Bot, View


class First(Bot):
    def choose(self, view: View) -> int | Action:
        return view.legal[0]
"""


def measure(matches: int) -> dict[str, Any]:
    """Return medians in milliseconds, one match at a time; null if sandboxes are unavailable."""
    sandboxed, how = _ready(matches)
    bare, _ = _ready(matches, "--unsafe")
    isolated = how in ("full", "user")
    return {
        "isolation": how,
        "sandboxed_ms": round(sandboxed, 1) if isolated else None,
        "bare_ms": round(bare, 1),
        "ratio": round(sandboxed / bare, 2) if isolated else None,
    }


def _ready(matches: int, *options: str) -> tuple[float, str]:
    archive = _archive()
    name = hashlib.sha256(archive).hexdigest()
    seat = SeatOrder("first", "1", "benchmark", Archive(name))
    with ExitStack() as stack:
        server = stack.enter_context(referee("--capacity", "1", *options))
        control = stack.enter_context(Control(parse_address(server.control)))
        isolation = control.status().isolation
        if isolation == "none":
            return 0.0, isolation
        control.upload(archive)
        reports_of(control, block("warm-up", [seat, seat], 1))
        reports = reports_of(control, block("start", [seat, seat], matches, parallel=1))
    return median(seat.ready_us for report in reports for seat in report.seats) / 1000, isolation


def _archive() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo("bot.py", (2026, 1, 1, 0, 0, 0)), BOT)
    return content.getvalue()
