"""The start ranks of entrants: by rating, entry or lot."""

from __future__ import annotations

import hashlib

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.read.estimates import estimates
from damrak_ladder.tournaments.log.state import Entrant, State


def seeds_of(state: State, secret: bytes) -> list[int]:
    """Return the numbers of the entrants that take part, the best seed first.

    The first season of a league is seeded by rating; `placement.placement_of` seeds later ones.
    """
    entrants = [one for one in state.entrants.values() if state.is_in(one.number)]
    entrants.sort(key=lambda one: one.number)
    match state.rules.seeding:
        case "rating" | "season":
            rated = ratings_of(state, entrants)
            entrants.sort(
                key=lambda one: (-rated.get(one.number, float("-inf")), one.number),
            )
        case "lot":
            seed = lot_seed(secret)
            entrants.sort(key=lambda one: lot(seed, one.number))
        case _:
            pass  # in the order of entry
    return [one.number for one in entrants]


def lot_seed(secret: bytes) -> str:
    """Return the seed of the lots, which is published after the start. It hides the secret."""
    return hashlib.sha256(secret + b"damrak-lots/1").hexdigest()[:32]


def lot(seed: str, number: int) -> str:
    """Return the lot of an entrant; the lowest lot is the first seed."""
    return hashlib.sha256(f"{seed} {number}".encode()).hexdigest()


def ratings_of(state: State, entrants: list[Entrant]) -> dict[int, float]:
    """Return the Elo of entrants with ratings, by number; bots without games have none."""
    slug = state.rules.entry.ladder
    ladders = Ladder.objects.filter(slug=slug) if slug else Ladder.objects.order_by("pk")
    ladder = ladders.first()
    if ladder is None:
        return {}
    known = estimates(ladder, [one.version for one in entrants if one.version is not None])
    return {
        one.number: known[one.version].elo
        for one in entrants
        if one.version is not None and (known[one.version].is_rated or known[one.version].is_anchor)
    }
