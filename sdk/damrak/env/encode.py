"""Encoding of observations and legal actions as arrays.

No function here has access to a state: vectors are made from an `Observation`, and so contain only
information known to the seat. Sets (routes, contracts, claims) are bit masks in the engine; for
speed they are concatenated to one long integer and unpacked at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import overload

import numpy as np
from numpy.typing import NDArray

from damrak.env.layout import FACES, Part, observation_layout
from damrak_engine.cards import KINDS, NO_CARD, ONE, packed_counts, size
from damrak_engine.observation import Observation
from damrak_engine.position import NO_CONTRACT, PENDING
from damrak_engine.rules import Rules
from damrak_engine.scoring import regions

Vector = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Mask = NDArray[np.int8]

LINKS_KEPT = 1024  # number of networks whose contracts are cached; a game has about twenty


class Encoder:
    """Encodes observations and legal actions of a game as arrays of a fixed size.

    `layout` describes the parts of a vector, `size` is the length of a vector, `actions` that of a
    mask. `greatest` has the largest value of each count (the parts from `hand` on) and `scale` its
    reciprocal, by which counts are multiplied.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.layout: tuple[Part, ...] = observation_layout(rules.board, rules.seats)
        self.parts = {part.name: part for part in self.layout}
        self.size = self.layout[-1].stop
        self.actions = len(rules.space)
        self._at = {part.name: part.start for part in self.layout}
        self._counts = self._at["hand"]  # flags end and counts of cards begin here
        self._numbers = self._at["pile"]
        self._pick = self._flag_order()
        self.greatest = self._greatest()
        self.scale: Vector = np.reciprocal(self.greatest)
        self._deck = packed_counts(rules.deck)
        self._links: dict[int, int] = {}

    @overload
    def encode(self, seen: Observation, out: Vector | None = None) -> Vector: ...
    @overload
    def encode(self, seen: Observation, out: Bytes) -> Bytes: ...
    def encode(self, seen: Observation, out: Vector | Bytes | None = None) -> Vector | Bytes:
        """Return the vector of an observation: a new one, or `out` (a row of a batch) filled in.

        In a row of bytes the counts are not scaled.
        """
        vector: Vector | Bytes = np.empty(self.size, np.float32) if out is None else out
        given_back, on_offer = offers_seen(seen)
        flags = _unpacked(self._flags(seen, given_back), self._counts + self.actions)
        vector[: self._counts] = flags[self._pick]
        vector[self._counts : self._numbers] = np.frombuffer(self._packs(seen), np.uint8)
        vector[self._numbers :] = self._quantities(seen, on_offer)
        if vector.dtype == np.float32:
            vector[self._counts :] *= self.scale
        return vector

    def encode_rows(self, seen: Sequence[Observation], out: Vector | Bytes) -> None:
        """Fill a batch with the vectors of these observations, as `encode` does one by one."""
        offers = [offers_seen(it) for it in seen]
        flags = [self._flags(it, back) for it, (back, _) in zip(seen, offers, strict=True)]
        out[:, : self._counts] = _unpacked_rows(flags, self._counts + self.actions)[:, self._pick]
        packs = np.frombuffer(b"".join([self._packs(it) for it in seen]), np.uint8)
        out[:, self._counts : self._numbers] = packs.reshape(len(seen), -1)
        out[:, self._numbers :] = [
            self._quantities(it, on_offer) for it, (_, on_offer) in zip(seen, offers, strict=True)
        ]
        if out.dtype == np.float32:
            out[:, self._counts :] *= self.scale

    def mask_rows(self, legal: Sequence[int]) -> Mask:
        """Return the masks of a batch of `State.legal_mask()`."""
        return _unpacked_rows(legal, self.actions).view(np.int8)

    def mask(self, legal: int | Iterable[int]) -> Mask:
        """Return legal actions (`State.legal_mask()`, or ids as in `View.legal`) as 0 and 1."""
        if legal == 0:
            return np.zeros(self.actions, np.int8)
        if not isinstance(legal, int):
            legal = sum([1 << action for action in legal])
        return _unpacked(legal, self.actions).view(np.int8)

    def part(self, vector: Vector, name: str) -> Vector:
        """Return one part of a vector or batch, by name and in its shape, without copying."""
        part = self.parts[name]
        return vector[..., part.slice].reshape(*vector.shape[:-1], *part.shape)

    # ---- flags ------------------------------------------------------------------------------

    def _flag_order(self) -> NDArray[np.intp]:
        """Return the position of each flag in flags plus claims; a route uses its first claim."""
        order = np.arange(self._counts)
        first_claim: dict[int, int] = {}
        for claim in self.rules.claims:
            first_claim.setdefault(claim.route, claim.action)
        routes = range(len(self.rules.board.routes))
        order[self.parts["open"].slice] = [self._counts + first_claim[route] for route in routes]
        return order

    def _flags(self, seen: Observation, given_back: int) -> int:
        at, seat, seats = self._at, seen.seat, self.rules.seats
        routes, contracts = len(self.rules.board.routes), len(self.rules.board.contracts)
        flags = 1 << at["phase"] + seen.phase
        if seen.actor >= 0:
            flags |= 1 << at["actor"] + (seen.actor - seat) % seats
        flags |= 1 << at["first"] + (seen.first - seat) % seats
        flags |= _turned(seen.gone, seat, seats) << at["gone"]
        flags |= _turned(seen.last_turns, seat, seats) << at["last_turns"]
        flags |= seen.closing << at["closing"]
        start = at["row"]
        for card in seen.row:
            flags |= 1 << start + card
            start += FACES
        start = at["owned"]
        for owned in seen.owned[seat:] + seen.owned[:seat]:
            flags |= owned << start
            start += routes
        flags |= seen.contracts << at["contracts"]
        flags |= self._linked(seen.owned[seat]) << at["linked"]
        start = at["offer"]
        for contract in seen.offer:
            flags |= 1 << start + contract
            start += contracts
        flags |= given_back << at["returned"]
        return flags | (seen.open & ~seen.barred[seat]) << self._counts

    def _linked(self, owned: int) -> int:
        """Return the contracts whose two locations these routes join."""
        linked = self._links.get(owned)
        if linked is None:
            joined = regions(self.rules.board, owned)
            contracts = self.rules.board.contracts
            linked = sum([(joined[c.a] >> c.b & 1) << c.id for c in contracts])
            if len(self._links) == LINKS_KEPT:
                self._links.clear()
            self._links[owned] = linked
        return linked

    # ---- numbers ----------------------------------------------------------------------------

    def _packs(self, seen: Observation) -> bytes:
        """Return the multisets of cards; packed counts have one byte per kind already."""
        seat = seen.seat
        known = seen.known[seat:] + seen.known[:seat]
        row = sum([ONE[card] for card in seen.row if card != NO_CARD])
        unseen = self._deck - seen.hand - seen.discards - row - sum(known[1:])
        packs = (seen.hand, seen.discards, unseen, seen.floor, *known)
        return b"".join([pack.to_bytes(KINDS, "little") for pack in packs])

    def _quantities(self, seen: Observation, on_offer: int) -> list[int]:
        rules, seat = self.rules, seen.seat
        sizes = seen.hand_sizes
        if sizes is None:
            sizes = tuple([size(seen.hand) if i == seat else 0 for i in range(rules.seats)])
        quantities = [
            seen.pile_size,
            len(rules.board.contracts) - sum(seen.contract_counts) - on_offer,
            max(seen.goods_left, 0),
            min(seen.turns, rules.board.deck_size * rules.seats),
            seen.passes,
        ]
        for each in (sizes, seen.carts, seen.points, seen.goods, seen.contract_counts):
            quantities += each[seat:]
            quantities += each[:seat]
        return quantities

    def _greatest(self) -> Vector:
        board, seats = self.rules.board, self.rules.seats
        lengths = {route.length for route in board.routes}
        points = max(board.carts * board.route_points[length] // length for length in lengths)
        marked = sum(route.goods for route in board.routes)
        most = [board.deck_size, len(board.contracts), board.goods_cards]
        most += [board.deck_size * seats, seats]
        for greatest in (
            board.deck_size,
            board.carts,
            points,
            min(board.carts, marked),
            len(board.contracts),
        ):
            most += [greatest] * seats
        packs = (self._numbers - self._counts) // KINDS
        greatest_each = np.array([*self.rules.deck * packs, *most], np.float32)
        return np.maximum(greatest_each, np.float32(1))


@cache
def encoder_for(rules: Rules) -> Encoder:
    """Return the encoder of a game, created once; `rules` is an attribute of every observation."""
    return Encoder(rules)


def _unpacked(bits: int, number: int) -> NDArray[np.uint8]:
    packed = np.frombuffer(bits.to_bytes(number + 7 >> 3, "little"), np.uint8)
    return np.unpackbits(packed, count=number, bitorder="little")


def _unpacked_rows(bits: Sequence[int], number: int) -> NDArray[np.uint8]:
    size = number + 7 >> 3
    packed = np.frombuffer(b"".join([it.to_bytes(size, "little") for it in bits]), np.uint8)
    return np.unpackbits(packed.reshape(-1, size), axis=1, count=number, bitorder="little")


def _turned(seats_mask: int, seat: int, seats: int) -> int:
    """Return a set of seats relative to this one."""
    return (seats_mask >> seat | seats_mask << seats - seat) & (1 << seats) - 1


def offers_seen(seen: Observation) -> tuple[int, int]:
    """Return the mask of contracts given back for good, and the number on offer to any seat.

    Every offer takes at least one contract out of the pile, so there are never many.
    """
    given_back = on_offer = 0
    for code in seen.dealt:
        first, second, answer = code >> 3 & 63, code >> 9 & 63, code >> 15
        alone = second == NO_CONTRACT
        if answer == PENDING:
            on_offer += 1 if alone else 2
        if code & 7 == seen.seat:
            offered = 1 << first if alone else 1 << first | 1 << second
            kept = (answer & 1) << first | (0 if alone else (answer >> 1 & 1) << second)
            given_back &= ~offered
            if answer != PENDING:
                given_back |= offered & ~kept
    return given_back, on_offer
