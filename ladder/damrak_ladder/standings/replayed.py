"""What a block came to, from its replays alone."""

from __future__ import annotations

from collections.abc import Mapping

from damrak_engine.errors import ReplayError
from damrak_engine.replay import parse_replay
from damrak_engine.verify import verify
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.keeping import load, outcome_of as match_outcome_of
from damrak_ladder.replays.signing import PlatformKey
from damrak_ladder.standings.packing import Came, Outcome, outcome_of

Versions = Mapping[tuple[str, str], int]
"""Keys of versions by the slug of the bot and the number, as replays name them."""


class Unfounded(Exception):
    """The replays of a block do not bear out what it counts for; the message says which and why."""


def replayed_outcome(
    block: int, replays: Mapping[int, str], key: PlatformKey, versions: Versions
) -> Outcome:
    """What a block came to. `replays` are the hashes of its matches, by key of match.

    Every replay is played again from its seed, and its signature checked.

    Raises:
        Unfounded
    """
    games = []
    for match, hash_ in sorted(replays.items()):
        try:
            data = load(hash_)
            header = verify(data, signed=key.has_signed)
        except (ReplayStoreError, ReplayError) as problem:
            raise Unfounded(f"match {match}: {problem}") from None
        if (header.match, header.block) != (str(match), str(block)):
            raise Unfounded(
                f"match {match}: its replay is of match {header.match} of block {header.block}"
            )
        if header.signature is None:
            raise Unfounded(f"match {match}: its replay is not signed")
        came = match_outcome_of(parse_replay(data)).seats
        game = []
        for player, seat in zip(header.seats, came, strict=True):
            version = versions.get((player.bot, player.version))
            if version is None:
                raise Unfounded(f"match {match}: nobody knows {player.bot} {player.version}")
            game.append(Came(version, seat.turn, seat.place, seat.points, bool(seat.fault)))
        games.append(game)
    try:
        return outcome_of(games)
    except ValueError as problem:
        raise Unfounded(str(problem)) from None
