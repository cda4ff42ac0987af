"""Conversion of a private referee's replays to standalone files.

A referee's report names the match of its order and awaits the signature of the ladder. There is no
ladder for private games: a replay that belongs to no match needs no signature.
"""

from __future__ import annotations

from damrak_engine.replay import Replay, hash_of, parse_replay, read_object
from damrak_engine.strictjson import canonical


def private_replay(data: bytes) -> Replay:
    """Return the replay of a report as that of a local match.

    Raises:
        ReplayError: it is malformed.
    """
    raw = {**read_object(data), "match": None, "block": None, "ladder": None}
    return parse_replay(canonical({**raw, "hash": hash_of(raw)}))
