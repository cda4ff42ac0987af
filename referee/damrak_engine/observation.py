"""Observations: what one seat may see of a state, built field by field.

Invariant: two states that differ only in what a seat cannot see give it equal observations. A state
is never copied wholesale, so a new field of the state stays hidden until it is listed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from damrak_engine.cards import size
from damrak_engine.hoards import received_unseen
from damrak_engine.position import ABANDONED, NO_CONTRACT, PENDING, SETUP
from damrak_engine.rules import Rules
from damrak_engine.state import State

UNKNOWN: Final = -1
HIDDEN_CONTRACT: Final = 62


@dataclass(frozen=True, slots=True)
class ContractDeal:
    """One offer of contracts, unpacked from an entry of `Observation.dealt`."""

    seat: int
    number: int
    ids: tuple[int, ...] | None  # None for the offers of other seats
    answered: bool
    kept: int  # how many
    kept_ids: tuple[int, ...] | None


@dataclass(slots=True, eq=True)
class Observation:
    """Everything a seat knows about the position. `cards` explains packed counts."""

    rules: Rules
    seat: int
    phase: int
    actor: int
    first: int
    turns: int
    hand: int
    hand_sizes: tuple[int, ...] | None  # None only under the option hand_size_public = no
    counted_sizes: tuple[int, ...]  # replacement: sizes derived from public draws and payments
    known: tuple[int, ...]  # for each seat the cards that it is publicly known to hold
    floor: int  # further cards certainly in the other hands, taken together
    # What others received unseen, for `determinize`; `hoards` defines the recorded moments:
    old: tuple[int, ...]  # at each moment, the hoards of all others and the pile together
    old_sizes: tuple[int, ...]  # at each moment, the size of every seat's hoard
    old_plain: tuple[int, ...]  # the maximum of non-wild cards in the pile, or RESHUFFLED
    own: tuple[int, ...]  # the seat's own hoard at each moment and, if there are any, now
    shown: tuple[
        tuple[int, int, int], ...
    ]  # unexpected payments: seat, number received unseen by then, cards
    # Forced passes: seat, lengths of `old` and `shown` by then, its known cards, and, packed by
    # colour, the length of the shortest route that it was free to claim (0: none)
    passed: tuple[tuple[int, int, int, int, int], ...]
    row: tuple[int, ...]
    pile_size: int
    discards: int
    carts: tuple[int, ...]
    points: tuple[int, ...]
    goods: tuple[int, ...]
    goods_left: int
    owned: tuple[int, ...]
    open: int
    barred: tuple[int, ...]
    contracts: int  # a mask of the seat's own contracts
    contract_counts: tuple[int, ...]
    offer: tuple[int, ...]  # the contracts that the seat has to choose from
    dealt: tuple[int, ...]  # every offer so far, packed; `contract_deals` unpacks it
    passes: int
    last_turns: int
    closing: bool
    gone: int
    left: tuple[tuple[int, str], ...]
    end_reason: str


def observe(state: State, seat: int) -> Observation:
    """Return what this seat may see now."""
    rules = state.rules
    seats = rules.seats
    unseen = state.phase == SETUP and rules.unseen_choice
    is_public = rules.options.hand_size_public == "yes"
    sizes = tuple([size(hand) for hand in state.hands])
    old: tuple[int, ...] = ()
    old_plain: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    if state.hoards:
        old = tuple([sum(each[:-1]) - each[seat] for each in state.hoards])
        old_plain = tuple([each[-1] for each in state.hoards])
        own = (*[each[seat] for each in state.hoards], received_unseen(state, seat))
    return Observation(
        rules=rules,
        seat=seat,
        phase=state.phase,
        actor=seat if unseen and state.offers[seat] else UNKNOWN if unseen else state.actor,
        first=state.first,
        turns=state.turns,
        hand=state.hands[seat],
        hand_sizes=sizes if is_public else None,
        counted_sizes=() if is_public else sizes,
        known=tuple(state.known),
        floor=state.floor[seat] if state.floor else 0,
        old=old,
        old_sizes=state.hoard_sizes,
        old_plain=old_plain,
        own=own,
        shown=state.shown,
        passed=state.passed,
        row=tuple(state.row),
        pile_size=state.pile_size,
        discards=state.discards,
        carts=tuple(state.carts),
        points=tuple(state.points),
        goods=tuple(state.goods),
        goods_left=state.goods_left,
        owned=tuple(state.owned),
        open=state.open,
        barred=state.barred,
        contracts=state.contracts[seat],
        contract_counts=tuple(
            [
                0 if unseen and other != seat else state.contracts[other].bit_count()
                for other in range(seats)
            ]
        ),
        offer=state.offers[seat],
        dealt=tuple([_offer_seen(code, seat, unseen) for code in state.dealt]),
        passes=state.passes,
        last_turns=state.last_turns,
        closing=state.closing,
        gone=state.gone,
        left=state.left,
        end_reason=state.end_reason,
    )


def _offer_seen(code: int, seat: int, unseen: bool) -> int:
    """Return an entry of `State.dealt` without what this seat did not see."""
    owner = code & 7
    if owner == seat:
        return code
    second = NO_CONTRACT if code >> 9 & 63 == NO_CONTRACT else HIDDEN_CONTRACT
    answer = code >> 15
    if unseen and answer != ABANDONED:
        answer = PENDING
    elif answer == 2:
        answer = 1  # one of the two; other seats do not know which
    return owner | HIDDEN_CONTRACT << 3 | second << 9 | answer << 15


def contract_deals(dealt: tuple[int, ...]) -> list[ContractDeal]:
    """Return the offers of an observation, oldest first."""
    deals = []
    for code in dealt:
        first, second, answer = code >> 3 & 63, code >> 9 & 63, code >> 15
        number = 1 if second == NO_CONTRACT else 2
        kept = 0 if answer == ABANDONED else answer.bit_count()
        ids = None if first == HIDDEN_CONTRACT else (first, second)[:number]
        kept_ids = None
        if ids is not None and answer in (1, 2, 3):
            kept_ids = tuple([ids[i] for i in range(number) if answer >> i & 1])
        deals.append(ContractDeal(code & 7, number, ids, answer != PENDING, kept, kept_ids))
    return deals
