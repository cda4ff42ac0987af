"""The field of a ladder for matchmaking: the versions that can be seated now, and their state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.entries import live_versions
from damrak_ladder.matches.models import Ladder
from damrak_ladder.matches.rest import resting
from damrak_ladder.matchmaking import HOUSE, Entrant, Field, Policy
from damrak_ladder.standings.read.estimates import Known, estimates


@dataclass(frozen=True, slots=True, eq=False)
class LadderField:
    """Versions, and the field that contains them in the same order."""

    versions: tuple[Version, ...]
    field: Field
    pending: Mapping[int, int]  # by version: blocks that are not counted yet

    def seated(self, players: Sequence[int]) -> tuple[Version, ...]:
        """Return the versions in these places of the field."""
        return tuple(self.versions[player] for player in players)


def field_of(ladder: Ladder, lobby: Collection[int], now: datetime) -> LadderField:
    """Return the versions on a ladder that can play now, including their blocks under way.

    Remote versions can play only on the host where they wait: `lobby` contains the keys of those on
    the host in question. The number of queries does not depend on history.
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
    """Return a version as matchmaking requires it; `place` maps versions to places in the field."""
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
    """Return whether a version can play on a host where these remote versions wait."""
    return version.kind != Kind.REMOTE or version.pk in lobby


def policy_of(ladder: Ladder) -> Policy:
    """Return the rules by which tables of a ladder are made."""
    return Policy(shares={int(seats): share for seats, share in ladder.shares.items()})
