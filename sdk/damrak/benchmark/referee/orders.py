"""Blocks of matches for measurements: ordering them, and waiting for their reports."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from damrak.errors import HostError
from damrak.remote.control import Control
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_wire.boards import board_bytes
from damrak_wire.orders import BlockOrder, House, MatchOrder, Open, SeatOrder
from damrak_wire.reports import MatchReport

PATIENT: Final = TimeControl(decision_ms=None, bank_ms=3_600_000)
START_LIMIT_MS: Final = 120_000
OPEN: Final = SeatOrder("any", "1", "benchmark", Open())


def block(name: str, seats: Sequence[SeatOrder], matches: int, parallel: int = 0) -> BlockOrder:
    """Return an order of `matches` matches of these seats on the board amsterdam."""
    rng = random.Random(name)
    return BlockOrder(
        block=name,
        attempt=1,
        ladder="",
        board=board_bytes(load_board("amsterdam")),
        options={},
        control=PATIENT,
        start_limit_ms=START_LIMIT_MS,
        parallel=parallel,
        matches=tuple(
            MatchOrder(f"{name}.{number}", rng.randbytes(32), None, tuple(seats))
            for number in range(matches)
        ),
    )


def house(spec: str) -> SeatOrder:
    """Return a seat for a house bot."""
    return SeatOrder(spec, "1", "house", House(spec))


def reports_of(control: Control, order: BlockOrder) -> list[MatchReport]:
    """Play a block to its end, and return its reports.

    Raises:
        HostError: not all matches were finished.
        RefereeError: the referee refuses, or has stopped.
    """
    control.start(order)
    told = control.follow(order.block, order.attempt)
    reports = [news for news in told if isinstance(news, MatchReport)]
    if len(reports) != len(order.matches):
        raise HostError(f"only {len(reports)} of {len(order.matches)} matches were finished")
    return reports
