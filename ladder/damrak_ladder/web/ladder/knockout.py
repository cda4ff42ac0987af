"""The forecast of a knockout among the top of a ladder, as a bracket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from django.utils.translation import gettext_lazy

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.fit.knockout import MOST, Slot, forecast
from damrak_ladder.standings.read.contenders import DUEL, draws_of, duel_seats
from damrak_ladder.standings.read.table import Row, table
from damrak_ladder.web.site.players import BotName, Player

SIZES: Final = (4, 8, MOST)
SIZE: Final = 8

_ROUNDS: Final = {
    2: gettext_lazy("Final"),
    4: gettext_lazy("Semi-finals"),
    8: gettext_lazy("Quarter-finals"),
    16: gettext_lazy("Round of 16"),
}


@dataclass(frozen=True, slots=True)
class Side:
    """One player of a duel in a bracket."""

    seed: int  # from 1
    player: Player
    chance: float  # of getting past this round
    is_certain: bool  # whether the player is sure to be in this round
    is_ahead: bool


@dataclass(frozen=True, slots=True)
class Round:
    """Duels that are played at the same time."""

    name: str
    duels: Sequence[Sequence[Side]]


@dataclass(frozen=True, slots=True)
class Seeded:
    """A participant of the knockout, with the probability of getting past each round."""

    seed: int  # from 1
    row: Row
    player: Player
    chances: Sequence[float]


@dataclass(frozen=True, slots=True)
class Knockout:
    """The whole bracket, and the possible numbers of participants."""

    rounds: Sequence[Round]
    winner: Seeded
    seeded: Sequence[Seeded]
    sizes: Sequence[int]


def knockout_of(ladder: Ladder, size: int) -> Knockout | None:
    """Return the largest possible knockout of up to `size` players; None for fewer than two."""
    seats = duel_seats(ladder)
    draws = draws_of(ladder, ALL if seats is None else seats)
    listed = [
        row
        for row in table(ladder, seats, limit=MOST, with_trend=False)
        if row.version_id in draws  # a fit may have been published between the two queries
    ]
    sizes = [one for one in SIZES if one <= len(listed)]
    rows = listed[: max([one for one in sizes if one <= size], default=DUEL)]
    if len(rows) < DUEL:
        return None
    found = forecast(np.column_stack([draws[row.version_id] for row in rows]))
    seeded = [
        Seeded(
            at, row, Player(row.version_id, row.number, BotName(row.bot_slug, row.bot_name)), past
        )
        for at, (row, past) in enumerate(zip(rows, found.past, strict=True), 1)
    ]
    rounds = [
        Round(
            str(_ROUNDS[2 * len(duels)]),
            [[_side(slot, duel, seeded, is_certain=not number) for slot in duel] for duel in duels],
        )
        for number, duels in enumerate(found.rounds)
    ]
    return Knockout(rounds, max(seeded, key=lambda one: one.chances[-1]), seeded, sizes)


def _side(
    slot: Slot, duel: tuple[Slot, Slot], seeded: Sequence[Seeded], *, is_certain: bool
) -> Side:
    return Side(
        seed=slot.seed + 1,
        player=seeded[slot.seed].player,
        chance=slot.chance,
        is_certain=is_certain,
        is_ahead=slot.chance == max(one.chance for one in duel),
    )
