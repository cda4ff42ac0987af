"""The field of a ladder, as matchmaking wants to see it: who may be seated now, and how it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.entries import live_versions
from damrak_ladder.matches.models import Ladder
from damrak_ladder.matches.resting import resting
from damrak_ladder.matchmaking import HOUSE, Entrant, Field, Policy
from damrak_ladder.standings.estimates import Known, estimates


@dataclass(frozen=True, slots=True, eq=False)
class LadderField:
    """Versions, and the field that has them in the same order."""

    versions: tuple[Version, ...]
    field: Field
    pending: Mapping[int, int]  # by version: blocks that do not count yet

    def seated(self, players: Sequence[int]) -> tuple[Version, ...]:
        """The versions in these places of the field."""
        return tuple(self.versions[player] for player in players)


def field_of(ladder: Ladder, lobby: Collection[int], now: datetime) -> LadderField:
    """The versions on a ladder that can play now, blocks under way counted.

    Remote versions can only where they wait: `lobby` are the keys of those at the host in question.
    It takes the same few queries however much has been played.
    """
    tired = resting(ladder, now)
    there = [one for one in live_versions(ladder) if is_there(one, lobby)]
    versions = [version for version in there if version.pk not in tired]
    known = estimates(ladder, [version.pk for version in versions])
    place = {version.pk: at for at, version in enumerate(versions)}
    return LadderField(
        tuple(versions),
        Field.of([entrant_of(version, known[version.pk], place) for version in versions]),
        {pk: one.pending for pk, one in known.items()},
    )


def entrant_of(version: Version, known: Known, place: dict[int, int]) -> Entrant:
    """What matchmaking has to know of a version; `place` are the places of all in the field."""
    return Entrant(
        owner=HOUSE if version.kind == Kind.HOUSE else version.bot.owner_id,
        elo=known.elo,
        error=known.error,
        blocks=known.blocks,
        pending=known.pending,
        recent=tuple(place[one] for one in known.recent if one in place),
        is_anchor=known.is_anchor,
    )


def is_there(version: Version, lobby: Collection[int]) -> bool:
    """Whether a version can be played where these remote versions wait."""
    return version.kind != Kind.REMOTE or version.pk in lobby


def policy_of(ladder: Ladder) -> Policy:
    """How tables are made on a ladder."""
    return Policy(shares={int(seats): share for seats, share in ladder.shares.items()})
