"""Replays of a private referee, made into files that stand for themselves.

What a referee reports names the match it was ordered as, and awaits the signature of whoever
ordered it. Between friends nobody signs: a replay that belongs to no match needs no signature.
"""

from __future__ import annotations

from damrak_engine.replay import Replay, hash_of, parse_replay, read_object
from damrak_engine.strictjson import canonical


def private_replay(data: bytes) -> Replay:
    """The replay of a report as one of a local match.

    Raises:
        ReplayError: it is malformed.
    """
    raw = {**read_object(data), "match": None, "block": None, "ladder": None}
    return parse_replay(canonical({**raw, "hash": hash_of(raw)}))
