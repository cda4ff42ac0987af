"""Benchmark of matches of house bots through the whole stack, with the bots' share of the time."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from damrak.benchmark.referee.orders import block, house, reports_of
from damrak.benchmark.referee.process import referee
from damrak.cores import cores
from damrak.remote.address import parse_address
from damrak.remote.control import Control


def measure(matches: int) -> dict[str, Any]:
    """Play `planner` against `greedy`; the bots' share is that of the time of all decisions."""
    at_once = 2 * cores()
    with ExitStack() as stack:
        server = stack.enter_context(referee("--capacity", str(max(at_once, matches))))
        control = stack.enter_context(Control(parse_address(server.control)))
        seats = [house("planner"), house("greedy")]
        reports_of(control, block("warm-up", seats, at_once, at_once))
        began = time.perf_counter()
        reports = reports_of(control, block("house", seats, matches, at_once))
        seconds = time.perf_counter() - began
    thought = sum(sum(report.timings.think_us) for report in reports)
    took = sum(sum(report.timings.total_us) + sum(report.timings.queue_us) for report in reports)
    decisions = sum(len(report.timings.seats) for report in reports)
    return {
        "matches": matches,
        "at_once": at_once,
        "matches_per_s": round(matches / seconds, 1),
        "decisions_per_s": round(decisions / seconds),
        "bot_share": round(thought / took, 3),
        "faults": sum(seat.fault is not None for report in reports for seat in report.seats),
    }
