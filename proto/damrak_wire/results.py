"""Results of matches as messages."""

from __future__ import annotations

from damrak_engine.rules import Rules
from damrak_engine.scoring import Result, SeatResult
from damrak_proto.v1 import game_pb2 as pb
from damrak_wire import fields
from damrak_wire.enums import ENDS, FAULT_REASONS


def encode_result(result: Result) -> pb.Result:
    """Return the result as a message."""
    return pb.Result(
        reason=ENDS.number(result.reason, "result.reason"),
        seats=[_encode_seat(seat) for seat in result.seats],
    )


def _encode_seat(seat: SeatResult) -> pb.SeatResult:
    return pb.SeatResult(
        total=seat.total,
        routes=seat.routes,
        contracts=seat.contracts,
        goods=seat.goods,
        goods_cards=seat.goods_cards,
        fulfilled=seat.fulfilled,
        failed=seat.failed,
        carts_left=seat.carts_left,
        place=seat.place,
        fault=FAULT_REASONS.number(seat.fault, "result.fault"),
    )


def decode_result(message: pb.Result, rules: Rules, where: str = "result") -> Result:
    """Return the result in a message."""
    fields.length(message.seats, rules.seats, f"{where}.seats")
    return Result(
        ENDS.word(message.reason, f"{where}.reason"),
        tuple(
            [
                _decode_seat(seat, rules, f"{where}.seats[{i}]")
                for i, seat in enumerate(message.seats)
            ]
        ),
    )


def _decode_seat(message: pb.SeatResult, rules: Rules, where: str) -> SeatResult:
    contracts = len(rules.board.contracts)
    for name, ids in (("fulfilled", message.fulfilled), ("failed", message.failed)):
        for contract in ids:
            fields.whole(contract, 0, contracts - 1, f"{where}.{name}")
    return SeatResult(
        total=message.total,
        routes=message.routes,
        contracts=message.contracts,
        goods=message.goods,
        goods_cards=message.goods_cards,
        fulfilled=tuple(message.fulfilled),
        failed=tuple(message.failed),
        carts_left=fields.whole(message.carts_left, 0, rules.board.carts, f"{where}.carts_left"),
        place=fields.whole(message.place, 1, rules.seats, f"{where}.place"),
        fault=FAULT_REASONS.word_or_none(message.fault, f"{where}.fault"),
    )
