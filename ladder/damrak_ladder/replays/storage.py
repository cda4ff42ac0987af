"""Storage of replays from referees, and their retrieval."""

from __future__ import annotations

from collections.abc import Callable

from damrak_engine.errors import ReplayError
from damrak_engine.events import Deal, event_from_json
from damrak_engine.replay import Header, parse_result, read_object
from damrak_engine.strictjson import canonical
from damrak_engine.verify import verify
from damrak_ladder.matches.record import MatchOutcome, SeatOutcome
from damrak_ladder.replays.compression import compress, decompress
from damrak_ladder.replays.errors import ReplayDamaged
from damrak_ladder.replays.signatures import platform_key
from damrak_ladder.replays.stores import replay_store


def keep(data: bytes, check: Callable[[Header], None] | None = None) -> MatchOutcome:
    """Verify, sign and store the replay of a finished match; return the result of the match.

    Idempotent. Only a replay that has been verified is stored. `check` inspects the header and
    raises an exception to refuse the replay; then nothing is stored.

    Raises:
        ReplayError: the replay is not valid.
    """
    key = platform_key()
    raw = read_object(data)
    if isinstance(raw["hash"], str) and raw["hash"].isascii():  # otherwise refused below
        raw["signature"] = key.sign(raw["hash"])
    signed = canonical(raw) + b"\n"
    header = verify(signed, signed=key.has_signed)
    if check is not None:
        check(header)
    replay_store().put(header.hash, compress(signed))
    # The replay has been verified, so all of it is known to be well-formed.
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
    """Return the signed replay of this hash, as the content of a file.

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
