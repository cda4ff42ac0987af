"""Encoding of observations.

Observations are the largest part of every question, so their cost matters: most of an observation
is unchanged since the previous one, so encoded fields are cached by their values.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Final

from damrak_engine.observation import UNKNOWN, Observation
from damrak_proto.v1 import game_pb2 as pb
from damrak_wire.enums import ENDS, FAULT_REASONS, of_card
from damrak_wire.protobuf import (
    KEPT,
    bit_sets,
    chunk,
    fixed,
    fixed_tag,
    number,
    numbers,
    numbers_of,
    packed,
    packed_often,
    packed_small,
    varint,
)

_FIELD: Final = numbers_of(pb.State)


def _fields(*names: str) -> tuple[int, ...]:
    return tuple([_FIELD[name] for name in names])


_SELDOM: Final = _fields("goods_left", "passes", "last_turns", "closing", "gone", "end_reason")
_CARDS: Final = [fixed_tag(_FIELD[name]) for name in ("hand", "floor", "discards", "contracts")]
_pack_cards: Final = struct.Struct("<" + "".join([f"{len(tag)}sQ" for tag in _CARDS])).pack
_HAND, _FLOOR, _DISCARDS, _CONTRACTS = _CARDS


def state_bytes(seen: Observation) -> bytes:
    """Return the observation as a serialised State."""
    f = _FIELD
    return b"".join(
        (
            _who(seen.phase, seen.actor, seen.first, seen.seat),
            number(f["turns"], seen.turns),
            number(f["pile_size"], seen.pile_size),
            _pack_cards(
                _HAND,
                seen.hand,
                _FLOOR,
                seen.floor,
                _DISCARDS,
                seen.discards,
                _CONTRACTS,
                seen.contracts,
            ),
            packed_small(f["hand_sizes"], seen.hand_sizes or ()),
            fixed(f["known"], seen.known),
            _row(seen.row),
            packed_small(f["carts"], seen.carts),
            packed_small(f["points"], seen.points),
            packed_small(f["goods"], seen.goods),
            bit_sets(f["owned"], seen.owned),
            bit_sets(f["open"], (seen.open,)),
            bit_sets(f["barred"], seen.barred),
            packed_small(f["contract_counts"], seen.contract_counts),
            packed_small(f["offer"], seen.offer),
            packed_often(f["dealt"], seen.dealt),
            _seldom(
                seen.goods_left,
                seen.passes,
                seen.last_turns,
                seen.closing,
                seen.gone,
                seen.end_reason,
            ),
            _left(seen.left),
            _unseen(seen.old, seen.old_sizes, seen.old_plain, seen.own, seen.shown),
            _passed(seen.passed) if seen.passed else b"",
            packed_often(f["counted_sizes"], seen.counted_sizes),
        )
    )


def encode_state(seen: Observation) -> pb.State:
    """Return the observation as a message."""
    return pb.State.FromString(state_bytes(seen))


@lru_cache(maxsize=KEPT)
def _who(phase: int, actor: int, first: int, seat: int) -> bytes:
    # The actor is optional, so 0 is not the same as absent, and is written.
    deciding = b"" if actor == UNKNOWN else varint(_FIELD["actor"] << 3) + varint(actor)
    return deciding + numbers(_fields("phase", "first", "seat"), (phase + 1, first, seat))


def _row(row: tuple[int, ...]) -> bytes:
    return packed_small(_FIELD["row"], tuple([of_card(card) for card in row]))


@lru_cache(maxsize=KEPT)
def _seldom(
    goods_left: int, passes: int, last_turns: int, closing: bool, gone: int, end_reason: str
) -> bytes:
    zigzag = 2 * goods_left if goods_left >= 0 else -2 * goods_left - 1
    end = ENDS.number(end_reason, "end_reason")
    return numbers(_SELDOM, (zigzag, passes, last_turns, closing, gone, end))


@lru_cache(maxsize=KEPT)
def _left(left: tuple[tuple[int, str], ...]) -> bytes:
    leavers = [
        pb.Leaver(seat=seat, reason=FAULT_REASONS.number(reason, "left")) for seat, reason in left
    ]
    return b"".join([chunk(_FIELD["left"], leaver.SerializeToString()) for leaver in leavers])


@lru_cache(maxsize=KEPT)
def _unseen(
    old: tuple[int, ...],
    old_sizes: tuple[int, ...],
    old_plain: tuple[int, ...],
    own: tuple[int, ...],
    shown: tuple[tuple[int, int, int], ...],
) -> bytes:
    f = _FIELD
    seats, drawn, cards = zip(*shown, strict=True) if shown else ((), (), ())
    return b"".join(
        (
            fixed(f["old"], old),
            packed(f["old_sizes"], old_sizes),
            packed(f["old_plain"], old_plain),
            fixed(f["own"], own),
            packed(f["shown_seats"], seats),
            packed(f["shown_drawn"], drawn),
            fixed(f["shown_cards"], cards),
        )
    )


@lru_cache(maxsize=KEPT)
def _passed(passed: tuple[tuple[int, int, int, int, int], ...]) -> bytes:
    f = _FIELD
    seats, old, shown, known, lengths = zip(*passed, strict=True)
    return b"".join(
        (
            packed(f["passed_seats"], seats),
            packed(f["passed_old"], old),
            packed(f["passed_shown"], shown),
            fixed(f["passed_known"], known),
            fixed(f["passed_lengths"], lengths),
        )
    )
