"""Decoding of observations, with every number checked against the limits of the rules."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from damrak_engine.board import LONGEST_ROUTE
from damrak_engine.cards import CARDS, GUARDS, packed_counts
from damrak_engine.hoards import RESHUFFLED
from damrak_engine.observation import HIDDEN_CONTRACT, UNKNOWN, Observation
from damrak_engine.position import ABANDONED, NO_CONTRACT, OVER, ROW_SIZE
from damrak_engine.rules import Rules
from damrak_proto.v1 import game_pb2 as pb
from damrak_wire.enums import ENDS, FAULT_REASONS
from damrak_wire.errors import WireError
from damrak_wire.protobuf import KEPT

_TOO_MANY: Final = ~sum([127 << 8 * kind for kind in range(len(CARDS))])


class _Limits:
    """Limits of the numbers of a position under these rules."""

    def __init__(self, rules: Rules) -> None:
        board = rules.board
        self.deck = packed_counts(rules.deck) | GUARDS
        self.cards = board.deck_size
        self.routes = len(board.routes)
        self.claims = len(rules.space)
        self.contracts = len(board.contracts)
        self.goods = board.goods_cards


_limits: Final = lru_cache(maxsize=64)(_Limits)


def decode_state(rules: Rules, message: pb.State, where: str = "state") -> Observation:
    """Return the observation in a message, under these rules.

    Raises:
        WireError: naming the wrong field.
    """
    try:
        return _decode(rules, _limits(rules), message)
    except WireError as problem:
        raise problem.within(where) from None


def _decode(rules: Rules, limits: _Limits, message: pb.State) -> Observation:
    seats = rules.seats
    deck = limits.deck
    moments = len(message.old_plain)
    sizes = message.hand_sizes[:]  # a slice is twice as fast as an iteration
    counted = message.counted_sizes[:]
    secret = not sizes and rules.options.hand_size_public == "no"
    return Observation(
        rules=rules,
        seat=_within(message.seat, seats - 1, "seat"),
        phase=_phase(message.phase),
        actor=_within(message.actor, seats - 1, "actor") if message.HasField("actor") else UNKNOWN,
        first=_within(message.first, seats - 1, "first"),
        turns=message.turns,
        hand=_pack(message.hand, deck, "hand"),
        hand_sizes=None if secret else _by_seat(sizes, seats, limits.cards, "hand_sizes"),
        counted_sizes=_by_seat(counted, seats, limits.cards, "counted_sizes") if secret else (),
        known=_packs(message.known[:], seats, deck, "known"),
        floor=_pack(message.floor, deck, "floor"),
        old=_packs(message.old[:], moments, deck, "old"),
        old_sizes=_sizes(message.old_sizes[:], seats * moments, limits.cards),
        old_plain=tuple([_within(most, RESHUFFLED, "old_plain") for most in message.old_plain]),
        own=_packs(message.own[:], moments + (moments > 0), deck, "own"),
        shown=_shown(message, seats, deck),
        passed=_passed(message, seats, deck) if message.passed_seats else (),
        row=_cards(tuple(message.row[:])),
        pile_size=_within(message.pile_size, limits.cards, "pile_size"),
        discards=_pack(message.discards, deck, "discards"),
        carts=_by_seat(message.carts[:], seats, rules.board.carts, "carts"),
        points=_by_seat(message.points[:], seats, 1 << 32, "points"),
        goods=_by_seat(message.goods[:], seats, limits.routes, "goods"),
        goods_left=_goods_left(message.goods_left, limits),
        owned=_sets(message.owned[:], seats, limits.routes, "owned"),
        open=_set(message.open, limits.claims, "open"),
        barred=_sets(message.barred[:], seats, limits.claims, "barred"),
        contracts=_mask(message.contracts, limits.contracts, "contracts"),
        contract_counts=_by_seat(
            message.contract_counts[:], seats, limits.contracts, "contract_counts"
        ),
        offer=_offer(message.offer[:], limits.contracts),
        dealt=_dealt(tuple(message.dealt[:]), seats, limits.contracts),
        passes=message.passes,
        last_turns=_mask(message.last_turns, seats, "last_turns"),
        closing=message.closing,
        gone=_mask(message.gone, seats, "gone"),
        left=_leavers(message.left, seats) if message.left else (),
        end_reason=ENDS.word_or_none(message.end_reason, "end_reason") or "",
    )


def _within(value: int, most: int, field: str) -> int:
    if value > most:
        raise WireError(field, f"must be from 0 to {most}, not {value}")
    return value


def _phase(value: int) -> int:
    if not 1 <= value <= OVER + 1:
        raise WireError("phase", f"{value} is none")
    return value - 1


def _goods_left(value: int, limits: _Limits) -> int:
    if not -limits.routes <= value <= limits.goods:
        raise WireError("goods_left", f"must be from {-limits.routes} to {limits.goods}")
    return value


def _mask(bits: int, size: int, field: str) -> int:
    if bits >> size:
        raise WireError(field, f"has a bit beyond the {size} there are")
    return bits


def _pack(pack: int, deck: int, field: str) -> int:
    if pack & _TOO_MANY or (deck - pack) & GUARDS != GUARDS:
        raise WireError(field, "holds more cards than there are")
    return pack


def _packs(packs: list[int], seats: int, deck: int, field: str) -> tuple[int, ...]:
    _all_seats(packs, seats, field)
    return tuple([_pack(pack, deck, field) for pack in packs])


def _all_seats(values: list[Any], seats: int, field: str) -> None:
    if len(values) != seats:
        raise WireError(field, f"must hold {seats}, not {len(values)}")


def _by_seat(values: list[int], seats: int, most: int, field: str) -> tuple[int, ...]:
    _all_seats(values, seats, field)
    if max(values) > most:
        raise WireError(field, f"must be from 0 to {most}, not {max(values)}")
    return tuple(values)


@lru_cache(maxsize=KEPT)
def _set(data: bytes, size: int, field: str) -> int:
    if len(data) > size + 7 >> 3:
        raise WireError(field, f"is longer than {size} bits")
    return _mask(int.from_bytes(data, "little"), size, field)


def _sets(items: list[bytes], seats: int, size: int, field: str) -> tuple[int, ...]:
    _all_seats(items, seats, field)
    return tuple([_set(data, size, field) for data in items])


@lru_cache(maxsize=KEPT)
def _cards(numbers_of_cards: tuple[int, ...]) -> tuple[int, ...]:
    if len(numbers_of_cards) != ROW_SIZE:
        raise WireError("row", f"must hold {ROW_SIZE}, not {len(numbers_of_cards)}")
    if min(numbers_of_cards) < 0 or max(numbers_of_cards) > len(CARDS):
        raise WireError("row", "holds what is no card")
    return tuple([card + 7 & 7 for card in numbers_of_cards])


def _offer(ids: list[int], contracts: int) -> tuple[int, ...]:
    if len(ids) > 2:
        raise WireError("offer", "holds more than two")
    if ids and max(ids) >= contracts:
        raise WireError("offer", "names a contract that the board does not have")
    return tuple(ids)


@lru_cache(maxsize=KEPT)
def _dealt(codes: tuple[int, ...], seats: int, contracts: int) -> tuple[int, ...]:
    for code in codes:
        first, second = code >> 3 & 63, code >> 9 & 63
        if (
            code & 7 >= seats
            or code >> 15 > ABANDONED
            or (first >= contracts and first != HIDDEN_CONTRACT)
            or (second >= contracts and second not in (HIDDEN_CONTRACT, NO_CONTRACT))
        ):
            raise WireError("dealt", f"{code} describes no offer")
    return codes


def _leavers(leavers: Any, seats: int) -> tuple[tuple[int, str], ...]:
    return tuple(
        [
            (
                _within(leaver.seat, seats - 1, "left.seat"),
                FAULT_REASONS.word(leaver.reason, "left.reason"),
            )
            for leaver in leavers
        ]
    )


def _sizes(sizes: list[int], wanted: int, most: int) -> tuple[int, ...]:
    if len(sizes) != wanted:
        raise WireError("old_sizes", f"must hold {wanted}, not {len(sizes)}")
    return tuple([_within(number, most, "old_sizes") for number in sizes])


def _shown(message: pb.State, seats: int, deck: int) -> tuple[tuple[int, int, int], ...]:
    if not (message.shown_seats or message.shown_drawn or message.shown_cards):
        return ()
    columns = (message.shown_seats[:], message.shown_drawn[:], message.shown_cards[:])
    if len(columns[0]) != len(columns[1]) or len(columns[0]) != len(columns[2]):
        raise WireError("shown_seats", "is not as long as shown_drawn and shown_cards")
    for seat in columns[0]:
        _within(seat, seats - 1, "shown_seats")
    for pack in columns[2]:
        _pack(pack, deck, "shown_cards")
    return tuple(zip(*columns, strict=True))


def _passed(message: pb.State, seats: int, deck: int) -> tuple[tuple[int, int, int, int, int], ...]:
    columns = (
        message.passed_seats[:],
        message.passed_old[:],
        message.passed_shown[:],
        message.passed_known[:],
        message.passed_lengths[:],
    )
    who, old, shown, known, lengths = columns
    if {len(column) for column in columns} != {len(who)}:
        raise WireError("passed_seats", "is not as long as the other lists of passes")
    for i, seat in enumerate(who):
        _within(seat, seats - 1, "passed_seats")
        if not 1 <= old[i] <= len(message.old):
            raise WireError("passed_old", f"must be from 1 to {len(message.old)}, not {old[i]}")
        _within(shown[i], len(message.shown_seats), "passed_shown")
        _pack(known[i], deck, "passed_known")
        if max(lengths[i].to_bytes(8, "little")) > LONGEST_ROUTE:
            raise WireError("passed_lengths", "holds a route longer than any")
    return tuple(zip(*columns, strict=True))
