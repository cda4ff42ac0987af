"""The cards of the other hands and of the pile, drawn as one seat may believe them to lie.

As long as nothing is noted of what the others received unseen, every way to deal out the cards that
are not seen is equally likely. With two seats that stays so after a reshuffle, but for those that
the other hand certainly holds since then. Otherwise `lots` says which card can lie where, and
`passes` what cannot have been in the hand of a seat that had to pass.
"""

from __future__ import annotations

from typing import Final

from damrak_engine.cards import KINDS, counts, packed, packed_counts, size
from damrak_engine.hoards import RESHUFFLED
from damrak_engine.lots import Lots, Rng, dealt_out
from damrak_engine.observation import Observation
from damrak_engine.passes import Dealt, Passes
from damrak_engine.state import State

TRIES: Final = 60  # to hit upon hands that had to pass, before the ways to do so are counted


def place_cards(state: State, seen: Observation, rng: Rng, tries: int = TRIES) -> None:
    """Fill hands and pile, every way in which the single cards can lie equally likely.

    Where seats had to pass, chance gets so many tries before the ways are counted.
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
    """Write the notes of what was received as it is drawn to be."""
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
    """The lots dealt out as if nobody had passed."""
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
