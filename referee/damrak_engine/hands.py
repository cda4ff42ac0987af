"""Random hands of the other seats and pile, consistent with what one seat knows.

Until a record exists of what the other seats received unseen, all ways to deal the unseen cards are
equally likely. With two seats this holds after a reshuffle too, except for the cards that the
other hand then certainly holds. Otherwise `lots` determines where each card can be, and `passes`
excludes hands that would have been able to pay when their seat had to pass.
"""

from __future__ import annotations

from typing import Final

from damrak_engine.cards import KINDS, counts, packed, packed_counts, size
from damrak_engine.hoards import RESHUFFLED
from damrak_engine.lots import Lots, Rng, dealt_out
from damrak_engine.observation import Observation
from damrak_engine.passes import Dealt, Passes
from damrak_engine.state import State

TRIES: Final = 60  # random deals to try when seats had to pass, before the ways are counted


def place_cards(state: State, seen: Observation, rng: Rng, tries: int = TRIES) -> None:
    """Fill hands and pile, with all arrangements of the individual cards equally likely.

    If seats had to pass, up to `tries` random deals are checked before the ways are counted.
    """
    others = [seat for seat in range(state.rules.seats) if seat != seen.seat]
    visible = seen.hand + seen.discards + packed([card for card in seen.row if card < KINDS])
    visible += sum([seen.known[seat] for seat in others])
    unseen = packed_counts(state.rules.deck) - visible
    state.hands = list(seen.known)
    state.hands[seen.seat] = seen.hand
    state.pile_size = seen.pile_size
    certain = 0
    if len(others) == 1:
        certain = seen.floor
        state.hands[others[0]] += certain
    if seen.old:
        lots = Lots(seen, unseen - certain)
        _place_lots(state, seen, others, _dealt_lots(lots, seen, others, rng, tries))
        return
    hand_sizes = seen.hand_sizes or seen.counted_sizes
    sizes = [hand_sizes[seat] - size(state.hands[seat]) for seat in others]
    pile, *dealt = dealt_out(unseen - certain, [state.pile_size, *sizes], rng)
    state.pile = list(counts(pile))
    for seat, more in zip(others, dealt, strict=True):
        state.hands[seat] += more


def _place_lots(state: State, seen: Observation, others: list[int], dealt: Dealt) -> None:
    state.pile = list(counts(dealt[-1][-1]))
    for seat in others:
        state.hands[seat] += sum([hands[seat] for hands in dealt])
    for seat, _, cards in seen.shown:
        if seat != seen.seat:
            state.hands[seat] -= cards
    _note(state, seen, others, dealt)


def _note(state: State, seen: Observation, others: list[int], dealt: Dealt) -> None:
    """Record the hoards of the state so that they match the cards drawn."""
    noted: list[tuple[int, ...]] = []
    hoards = [0] * state.rules.seats
    received = 0  # by all others since the last reshuffle
    for lot, plain in enumerate(seen.old_plain):
        for seat in others:
            hoards[seat] += dealt[lot][seat]
            received += dealt[lot][seat]
        hoards[seen.seat] = seen.own[lot]
        noted.append((*hoards, seen.old[lot] - received, plain))
        if plain == RESHUFFLED:
            hoards = [0] * state.rules.seats
            received = 0
    state.hoards = tuple(noted)
    state.hoard_sizes = seen.old_sizes
    state.shown = seen.shown


def _dealt_lots(lots: Lots, seen: Observation, others: list[int], rng: Rng, tries: int) -> Dealt:
    if not seen.passed:
        return _dealt_at_random(lots, others, seen.pile_size, rng)
    passes = Passes(seen, lots)
    for _ in range(tries):
        dealt = _dealt_at_random(lots, others, seen.pile_size, rng)
        if passes.allow(dealt):
            return dealt
    return passes.drawn(others, seen.pile_size, rng)


def _dealt_at_random(lots: Lots, others: list[int], pile_size: int, rng: Rng) -> Dealt:
    """Deal out the lots at random, without regard to passes."""
    contents, paid = lots.drawn(rng)
    dealt: Dealt = []
    for lot, cards in enumerate(contents):
        used = paid[lot]
        sizes = [lots.share(lot, s, lots.received[s]) - size(used[s]) for s in others]
        left_over = pile_size if lot == len(lots.ends) else 0
        pile, *hands = dealt_out(cards - sum(used), [left_over, *sizes], rng)
        for seat, hand in zip(others, hands, strict=True):
            used[seat] += hand
        dealt.append([*used, pile])
    return dealt
