"""What a seat sees: observations as messages and back.

A message is made of an observation alone, which holds nothing that its seat may not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from damrak_engine.cards import CARDS, GUARDS, packed_counts
from damrak_engine.observation import HIDDEN_CONTRACT, UNKNOWN, Observation
from damrak_engine.position import ABANDONED, NO_CONTRACT, OVER, ROW_SIZE
from damrak_engine.rules import Rules
from damrak_proto.v1 import game_pb2 as pb
from damrak_wire import fields
from damrak_wire.errors import WireError
from damrak_wire.words import ENDS, FAULT_REASONS, of_card

PHASES: Final = pb.Phase.values()[1:]

# ---- out ---------------------------------------------------------------------------------------


def encode_state(seen: Observation) -> pb.State:
    """The observation as a message."""
    return pb.State(
        phase=PHASES[seen.phase],
        actor=None if seen.actor == UNKNOWN else seen.actor,
        first=seen.first,
        turns=seen.turns,
        hand=seen.hand,
        hand_sizes=seen.hand_sizes,
        known=seen.known,
        floor=seen.floor,
        row=[of_card(card) for card in seen.row],
        pile_size=seen.pile_size,
        discards=seen.discards,
        carts=seen.carts,
        points=seen.points,
        goods=seen.goods,
        goods_left=seen.goods_left,
        owned=[_set(routes) for routes in seen.owned],
        open=_set(seen.open),
        barred=[_set(claims) for claims in seen.barred],
        contracts=seen.contracts,
        contract_counts=seen.contract_counts,
        offer=seen.offer,
        dealt=seen.dealt,
        passes=seen.passes,
        last_turns=seen.last_turns,
        closing=seen.closing,
        gone=seen.gone,
        left=[
            pb.Leaver(seat=seat, reason=FAULT_REASONS.number(reason, "left"))
            for seat, reason in seen.left
        ],
        end_reason=ENDS.number(seen.end_reason, "end_reason"),
        seat=seen.seat,
    )


def _set(bits: int) -> bytes:
    return bits.to_bytes(bits.bit_length() + 7 >> 3, "little")


# ---- in ----------------------------------------------------------------------------------------


class _Limits:
    """What the numbers of a position may be under these rules."""

    def __init__(self, rules: Rules) -> None:
        board = rules.board
        self.seats = rules.seats
        self.everyone = (1 << rules.seats) - 1
        self.deck = packed_counts(rules.deck) | GUARDS
        self.cards = board.deck_size
        self.routes = len(board.routes)
        self.claims = len(rules.space)
        self.contracts = len(board.contracts)
        self.carts = board.carts
        self.goods = board.goods_cards


def decode_state(rules: Rules, message: pb.State, where: str = "state") -> Observation:
    """The observation in a message, under these rules."""
    reader = _Reader(_Limits(rules), message, where)
    seats = rules.seats
    limits = reader.limits
    return Observation(
        rules=rules,
        seat=reader.below("seat", seats),
        phase=reader.between("phase", 1, OVER + 1) - 1,
        actor=reader.below("actor", seats) if message.HasField("actor") else UNKNOWN,
        first=reader.below("first", seats),
        turns=message.turns,
        hand=reader.cards("hand"),
        hand_sizes=reader.by_seat("hand_sizes", limits.cards) if message.hand_sizes else None,
        known=reader.cards_by_seat("known"),
        floor=reader.cards("floor"),
        row=reader.row(),
        pile_size=reader.between("pile_size", 0, limits.cards),
        discards=reader.cards("discards"),
        carts=reader.by_seat("carts", limits.carts),
        points=reader.by_seat("points"),
        goods=reader.by_seat("goods"),
        goods_left=reader.between("goods_left", -limits.routes, limits.goods),
        owned=reader.sets_by_seat("owned", limits.routes),
        open=reader.set_of("open", message.open, limits.claims),
        barred=reader.sets_by_seat("barred", limits.claims),
        contracts=reader.mask("contracts", limits.contracts),
        contract_counts=reader.by_seat("contract_counts", limits.contracts),
        offer=reader.offer(),
        dealt=reader.dealt(),
        passes=message.passes,
        last_turns=reader.mask("last_turns", seats),
        closing=message.closing,
        gone=reader.mask("gone", seats),
        left=reader.left(),
        end_reason=ENDS.word_or_none(message.end_reason, f"{where}.end_reason") or "",
    )


class _Reader:
    """The fields of one message, each checked as it is read."""

    __slots__ = ("limits", "message", "where")

    def __init__(self, limits: _Limits, message: pb.State, where: str) -> None:
        self.limits = limits
        self.message: Any = message
        self.where = where

    def wrong(self, field: str, problem: str) -> WireError:
        return WireError(f"{self.where}.{field}", problem)

    def between(self, field: str, low: int, high: int) -> int:
        return fields.whole(getattr(self.message, field), low, high, f"{self.where}.{field}")

    def below(self, field: str, end: int) -> int:
        return self.between(field, 0, end - 1)

    def mask(self, field: str, size: int) -> int:
        value: int = getattr(self.message, field)
        if value >> size:
            raise self.wrong(field, f"has a bit beyond the {size} there are")
        return value

    def _pack(self, field: str, pack: int) -> int:
        if pack & _TOO_MANY or (self.limits.deck - pack) & GUARDS != GUARDS:
            raise self.wrong(field, "holds more cards than there are")
        return pack

    def cards(self, field: str) -> int:
        return self._pack(field, getattr(self.message, field))

    def _of_seats(self, field: str) -> tuple[Any, ...]:
        values = tuple(getattr(self.message, field))
        if len(values) != self.limits.seats:
            raise self.wrong(field, f"must hold {self.limits.seats}, not {len(values)}")
        return values

    def cards_by_seat(self, field: str) -> tuple[int, ...]:
        values = self._of_seats(field)
        for pack in values:
            self._pack(field, pack)
        return values

    def by_seat(self, field: str, most: int | None = None) -> tuple[int, ...]:
        values = self._of_seats(field)
        if most is not None and max(values) > most:
            raise self.wrong(field, f"must be from 0 to {most}")
        return values

    def set_of(self, field: str, data: bytes, size: int) -> int:
        if len(data) > size + 7 >> 3:
            raise self.wrong(field, f"is longer than {size} bits")
        bits = int.from_bytes(data, "little")
        if bits >> size:
            raise self.wrong(field, f"has a bit beyond the {size} there are")
        return bits

    def sets_by_seat(self, field: str, size: int) -> tuple[int, ...]:
        return tuple([self.set_of(field, data, size) for data in self._of_seats(field)])

    def row(self) -> tuple[int, ...]:
        values: Sequence[int] = self.message.row
        if len(values) != ROW_SIZE:
            raise self.wrong("row", f"must hold {ROW_SIZE}, not {len(values)}")
        if min(values) < 0 or max(values) > len(CARDS):
            raise self.wrong("row", "holds what is no card")
        return tuple([card + 7 & 7 for card in values])

    def offer(self) -> tuple[int, ...]:
        values = tuple(self.message.offer)
        if len(values) > 2:
            raise self.wrong("offer", "holds more than two")
        if values and max(values) >= self.limits.contracts:
            raise self.wrong("offer", "names a contract that the board does not have")
        return values

    def dealt(self) -> tuple[int, ...]:
        values = tuple(self.message.dealt)
        contracts, seats = self.limits.contracts, self.limits.seats
        for code in values:
            first, second = code >> 3 & 63, code >> 9 & 63
            if (
                code & 7 >= seats
                or code >> 15 > ABANDONED
                or (first >= contracts and first != HIDDEN_CONTRACT)
                or (second >= contracts and second not in (HIDDEN_CONTRACT, NO_CONTRACT))
            ):
                raise self.wrong("dealt", f"{code} describes no offer")
        return values

    def left(self) -> tuple[tuple[int, str], ...]:
        return tuple(
            [
                (
                    fields.whole(leaver.seat, 0, self.limits.seats - 1, f"{self.where}.left.seat"),
                    FAULT_REASONS.word(leaver.reason, f"{self.where}.left.reason"),
                )
                for leaver in self.message.left
            ]
        )


def _seven_bits(kinds: Iterable[int]) -> int:
    return sum([127 << 8 * kind for kind in kinds])


_TOO_MANY: Final = ~_seven_bits(range(len(CARDS)))
