"""Replays taken in from referees and given out again."""

from __future__ import annotations

from collections.abc import Callable

from damrak_engine.errors import ReplayError
from damrak_engine.events import Deal, event_from_json
from damrak_engine.replay import Header, parse_result, read_object
from damrak_engine.strictjson import canonical
from damrak_engine.verify import verify
from damrak_ladder.matches.recording import MatchOutcome, SeatOutcome
from damrak_ladder.replays.compression import compress, decompress
from damrak_ladder.replays.errors import ReplayDamaged
from damrak_ladder.replays.signing import platform_key
from damrak_ladder.replays.stores import replay_store


def keep(data: bytes, check: Callable[[Header], None] | None = None) -> MatchOutcome:
    """Take in the replay of a finished match: verified, signed, stored; what came of the match.

    Doing it again changes nothing. Nothing is signed that is not true. `check` looks at what the
    replay is of, and raises if it is not wanted; nothing is stored then.

    Raises:
        ReplayError: the replay is not true.
    """
    key = platform_key()
    raw = read_object(data)
    if isinstance(raw["hash"], str) and raw["hash"].isascii():  # else it is refused below
        raw["signature"] = key.sign(raw["hash"])
    signed = canonical(raw) + b"\n"
    header = verify(signed, signed=key.has_signed)
    if check is not None:
        check(header)
    replay_store().put(header.hash, compress(signed))
    # What was verified is only read here: all of it is known to be well-formed.
    count = len(header.seats)
    deal = event_from_json(raw["events"][0], "event 0")
    assert isinstance(deal, Deal)  # a verified replay begins with it
    return MatchOutcome(
        replay=header.hash,
        seats=tuple(
            SeatOutcome((seat - deal.first) % count, came.place, came.total, came.fault or "")
            for seat, came in enumerate(parse_result(raw["result"], count).seats)
        ),
    )


def load(hash_: str) -> bytes:
    """The signed replay of that hash, as a file.

    Raises:
        ReplayLost, ReplayDamaged
    """
    stored = replay_store().get(hash_)
    try:
        data = decompress(stored)
        found = read_object(data)["hash"]
    except (ValueError, ReplayError) as problem:
        raise ReplayDamaged(hash_, str(problem)) from None
    if found != hash_:
        raise ReplayDamaged(hash_, "is another one")
    return data
