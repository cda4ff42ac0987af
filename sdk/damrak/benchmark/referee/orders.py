"""Blocks for measurements: what is ordered, and how it is followed to its end."""

from __future__ import annotations

import random
from typing import Final

from damrak.errors import HostError
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_proto.v1 import control_pb2, control_pb2_grpc
from damrak_wire.boards import board_bytes
from damrak_wire.clocks import encode_control

PATIENT: Final = TimeControl(decision_ms=None, bank_ms=3_600_000)
START_LIMIT_MS: Final = 120_000
OPEN: Final = control_pb2.SeatOrder(bot="any", version="1", owner="benchmark", open=True)


def block(
    name: str, seats: list[control_pb2.SeatOrder], matches: int, parallel: int = 0
) -> control_pb2.StartBlockRequest:
    """So many matches of these seats on the board amsterdam."""
    rng = random.Random(name)
    return control_pb2.StartBlockRequest(
        block=name,
        attempt=1,
        board=board_bytes(load_board("amsterdam")),
        control=encode_control(PATIENT),
        start_limit_ms=START_LIMIT_MS,
        parallel=parallel,
        matches=[
            control_pb2.MatchOrder(match=f"{name}.{number}", seed=rng.randbytes(32), seats=seats)
            for number in range(matches)
        ],
    )


def house(spec: str) -> control_pb2.SeatOrder:
    """A seat for a house bot."""
    return control_pb2.SeatOrder(bot=spec, version="1", owner="house", house=spec)


def reports_of(
    stub: control_pb2_grpc.ControlStub, order: control_pb2.StartBlockRequest
) -> list[control_pb2.MatchReport]:
    """Play a block to its end.

    Raises:
        HostError: it did not end as it should.
    """
    stub.StartBlock(order, timeout=30)
    request = control_pb2.FollowBlockRequest(block=order.block, attempt=order.attempt)
    reports = []
    for said in stub.FollowBlock(request):
        if said.HasField("finished"):
            reports.append(said.finished)
    if len(reports) != len(order.matches):
        raise HostError(f"only {len(reports)} of {len(order.matches)} matches were finished")
    return reports
