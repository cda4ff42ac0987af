"""Matches of house bots through the whole stack, and what share of the time the bots used."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import grpc

from damrak.benchmark.referee.orders import block, house, reports_of
from damrak.benchmark.referee.process import referee
from damrak.cores import cores
from damrak_proto.v1 import control_pb2_grpc

MESSAGES = (("grpc.max_receive_message_length", 64 * 1024 * 1024),)


def measure(matches: int) -> dict[str, Any]:
    """`planner` against `greedy`; the share is that of all the time decisions took."""
    at_once = 2 * cores()
    with ExitStack() as stack:
        server = stack.enter_context(referee("--capacity", str(max(at_once, matches))))
        channel = stack.enter_context(grpc.insecure_channel(server.control, MESSAGES))
        stub = control_pb2_grpc.ControlStub(channel)
        seats = [house("planner"), house("greedy")]
        reports_of(stub, block("warm-up", seats, at_once, at_once))
        began = time.perf_counter()
        reports = reports_of(stub, block("house", seats, matches, at_once))
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
        "faults": sum(seat.HasField("fault") for report in reports for seat in report.seats),
    }
