"""The cards of the other hands and of the pile, drawn as one seat may believe them to lie.

As long as nothing is noted of what the others received unseen, every way to deal out the cards that
are not seen is equally likely. With two seats that stays so after a reshuffle, but for those that
the other hand certainly holds since then. Otherwise `lots` says which card can lie where.
"""

from __future__ import annotations

from damrak_engine.cards import KINDS, counts, packed, packed_counts, size, unpacked
from damrak_engine.hoards import RESHUFFLED
from damrak_engine.lots import Lots, Rng
from damrak_engine.observation import Observation
from damrak_engine.state import State


def place_cards(state: State, seen: Observation, rng: Rng) -> None:
    """Fill hands and pile, every way in which the single cards can lie equally likely."""
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
        _place_lots(state, seen, others, unseen - certain, rng)
        return
    hand_sizes = seen.hand_sizes or seen.counted_sizes
    sizes = [hand_sizes[seat] - size(state.hands[seat]) for seat in others]
    _deal(state, others, unseen - certain, sizes, rng)


def _deal(state: State, others: list[int], cards: int, sizes: list[int], rng: Rng) -> None:
    """Deal these cards out to the pile and hands of these sizes."""
    pile, *dealt = _dealt(cards, [state.pile_size, *sizes], rng)
    state.pile = list(counts(pile))
    for seat, more in zip(others, dealt, strict=True):
        state.hands[seat] += more


def _dealt(cards: int, sizes: list[int], rng: Rng) -> list[int]:
    """Hands of these sizes, dealt from these cards."""
    rest = unpacked(cards)
    rng.shuffle(rest)
    hands = []
    for number in sizes:
        hands.append(packed(rest[:number]))
        del rest[:number]
    return hands


def _place_lots(state: State, seen: Observation, others: list[int], unseen: int, rng: Rng) -> None:
    lots = Lots(seen, unseen)
    contents, paid = lots.drawn(rng)
    noted: list[tuple[int, ...]] = []
    hoards = [0] * state.rules.seats
    received = 0  # by all others since the last reshuffle
    for lot, cards in enumerate(contents):
        used = paid[lot]
        sizes = [lots.share(lot, s, lots.received[s]) - size(used[s]) for s in others]
        if lot == len(seen.old):
            _deal(state, others, cards - sum(used), sizes, rng)
            break
        for seat, dealt in zip(others, _dealt(cards - sum(used), sizes, rng), strict=True):
            state.hands[seat] += dealt
            hoards[seat] += dealt + used[seat]
        hoards[seen.seat] = seen.own[lot]
        received += cards
        noted.append((*hoards, seen.old[lot] - received, seen.old_plain[lot]))
        if seen.old_plain[lot] == RESHUFFLED:
            hoards = [0] * state.rules.seats
            received = 0
    state.hoards = tuple(noted)
    state.hoard_sizes = seen.old_sizes
    state.shown = seen.shown
