"""The audience of each pairing, which is never wider than that of what it follows from."""

from __future__ import annotations

from collections.abc import Mapping

from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import PairingKey, Release


def effective_releases(state: State) -> Mapping[PairingKey, Release]:
    """Return the audience of the blocks of each current pairing.

    A pairing follows from all earlier rounds of its stage and of the stages that feed it, so it
    would reveal their results. Blocks of an earlier generation have the audience of the pairing
    that they count for.
    """
    found: dict[PairingKey, Release] = {}
    after: dict[int, Release] = {}
    for number in sorted(state.stages):
        stage = state.stages[number]
        sources = {source.stage for source in stage.plan.sources} & after.keys()
        limit = min((after[one] for one in sources if one is not None), key=_level, default=None)
        limit = Release.PUBLIC if limit is None else limit
        for made in stage.rounds:
            levels = []
            for table, pairing in made.pairings.items():
                level = min(limit, made.release_of(table), key=_level)
                found[pairing.key] = found[pairing.origin] = level
                levels.append(made.release_of(table) if not pairing.is_bye else Release.PUBLIC)
            limit = min([limit, *levels], key=_level)
        after[number] = limit
    return found


def _level(release: Release) -> int:
    return release.level
