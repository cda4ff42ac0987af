"""Replay files, `damrak-replay/1`: a match as header, events and result (docs/replay.md)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from damrak_engine.board import Board, parse_board
from damrak_engine.dice import SEED_BYTES, commitment
from damrak_engine.errors import BoardError, OptionsError, ReplayError
from damrak_engine.events import END_REASONS, FAULTS, Event, event_from_json, event_to_json
from damrak_engine.options import CHOICES, Options, parse_options
from damrak_engine.scoring import Result, SeatResult
from damrak_engine.strictjson import StrictJsonError, canonical, read_json

FORMAT: Final = "damrak-replay/1"
NOT_HASHED: Final = ("hash", "signature", "played")
_FIELDS: Final = (
    "format",
    "match",
    "block",
    "ladder",
    "board",
    "options",
    "seats",
    "seed",
    "commitment",
    "events",
    "result",
    "played",
    "hash",
    "signature",
)
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""Order of the Ed25519 group; the second half of a signature is a number below it (RFC 8032)."""

_TIME: Final = re.compile(
    r"([0-9]{4}-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2}))(\.[0-9]+)?Z"
)


@dataclass(frozen=True, slots=True)
class Player:
    """The bot in a seat."""

    bot: str
    version: str
    owner: str


@dataclass(frozen=True, slots=True)
class Played:
    """When and with which software a match was played; not part of the hash."""

    started: str
    finished: str
    engine: str
    referee: str


@dataclass(frozen=True, slots=True)
class Header:
    """All of a replay except its events and result."""

    match: str | None
    block: str | None
    ladder: str | None
    board: Board
    options: Options
    seats: tuple[Player, ...]
    seed: bytes
    commitment: str
    played: Played
    hash: str
    signature: str | None


@dataclass(frozen=True, slots=True)
class Replay(Header):
    """A whole match."""

    events: tuple[Event, ...]
    result: Result


def record(
    *,
    board: Board,
    options: Options,
    seats: tuple[Player, ...],
    seed: bytes,
    events: list[Event],
    result: Result,
    played: Played,
    match: str | None = None,
    block: str | None = None,
    ladder: str | None = None,
) -> Replay:
    """Return the replay of a match that has just ended, hashed but not signed."""
    unhashed = Replay(
        match=match,
        block=block,
        ladder=ladder,
        board=board,
        options=options,
        seats=seats,
        seed=seed,
        commitment=commitment(seed),
        played=played,
        hash="",
        signature=None,
        events=tuple(events),
        result=result,
    )
    return replace(unhashed, hash=hash_of(to_json(unhashed)))


def to_json(replay: Replay) -> dict[str, Any]:
    """Return the replay as a JSON object."""
    return {
        "format": FORMAT,
        "match": replay.match,
        "block": replay.block,
        "ladder": replay.ladder,
        "board": replay.board.source,
        "options": replay.options.to_json(),
        "seats": [asdict(player) for player in replay.seats],
        "seed": replay.seed.hex(),
        "commitment": replay.commitment,
        "events": [event_to_json(event) for event in replay.events],
        "result": result_to_json(replay.result),
        "played": asdict(replay.played),
        "hash": replay.hash,
        "signature": replay.signature,
    }


def to_bytes(replay: Replay) -> bytes:
    """Return the replay as the content of a file."""
    return canonical(to_json(replay)) + b"\n"


def hash_of(data: Mapping[str, Any]) -> str:
    """Return the hash of a replay's JSON object without the fields in `NOT_HASHED`."""
    hashed = {key: value for key, value in data.items() if key not in NOT_HASHED}
    return hashlib.sha256(canonical(hashed)).hexdigest()


def result_to_json(result: Result) -> dict[str, Any]:
    """Return the result as a JSON object, in the form of a replay."""
    seats = []
    for seat in result.seats:
        row = asdict(seat)
        row["fulfilled"], row["failed"] = list(seat.fulfilled), list(seat.failed)
        seats.append(row)
    return {"reason": result.reason, "seats": seats}


def read_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object of a replay file, with exactly the top-level fields of a replay.

    Raises:
        ReplayError: at `header`, if the bytes are not such an object.
    """
    try:
        value = read_json(data)
    except StrictJsonError as problem:
        raise ReplayError("header", str(problem)) from None
    return _object(value, "header", "a replay", _FIELDS)


def parse_replay(data: bytes) -> Replay:
    """Return the replay in these bytes, with the form of every field checked; see `verify`.

    Raises:
        ReplayError: at the first place that is malformed.
    """
    raw = read_object(data)
    header = parse_header(raw)
    events = tuple(event_from_json(e, f"event {i}") for i, e in enumerate(raw_events(raw)))
    result = parse_result(raw["result"], len(header.seats))
    check_seals(raw)
    values = {f.name: getattr(header, f.name) for f in fields(header)}
    return Replay(**values, events=events, result=result)


def raw_events(raw: Mapping[str, Any]) -> list[Any]:
    """Return the undecoded events."""
    events = raw["events"]
    if not isinstance(events, list):
        raise ReplayError("header", "events to be a list")
    return events


def parse_header(raw: Mapping[str, Any], board: Board | None = None) -> Header:
    """Return the header; a caller that has parsed the board already may pass it."""
    if raw["format"] != FORMAT:
        raise ReplayError("header", f'format "{FORMAT}"')
    names = [raw["match"], raw["block"], raw["ladder"]]
    if not all(name is None or isinstance(name, str) for name in names):
        raise ReplayError("header", "match, block and ladder to be strings or null")
    if board is None:
        try:
            board = parse_board(raw["board"])
        except BoardError as problem:
            raise ReplayError("header", f"a board: {problem}") from None
    options = _options(raw["options"])
    seats = raw["seats"]
    low, high = board.players
    if not isinstance(seats, list) or not low <= len(seats) <= high:
        raise ReplayError("header", f"{low} to {high} seats")
    seed = _hex(raw["seed"], "seed", 2 * SEED_BYTES, "header")
    return Header(
        match=raw["match"],
        block=raw["block"],
        ladder=raw["ladder"],
        board=board,
        options=options,
        seats=tuple(_player(seat, i) for i, seat in enumerate(seats)),
        seed=bytes.fromhex(seed),
        commitment=raw["commitment"],
        played=_played(raw["played"]),
        hash=raw["hash"],
        signature=raw["signature"],
    )


def check_seals(raw: Mapping[str, Any]) -> None:
    """Check the form of hash, commitment and signature, which `parse_header` does not."""
    _hex(raw["hash"], "hash", 64, "hash")
    _hex(raw["commitment"], "commitment", 64, "commitment")
    if raw["signature"] is not None:
        _check_signature_form(_hex(raw["signature"], "signature", 128, "signature"))
    elif raw["match"] is not None:
        raise ReplayError("signature", "a signature, because match is not null")


def _check_signature_form(signature: str) -> None:
    """Reject an impossible signature: a scalar out of range, or a first half of zeros."""
    scalar = int.from_bytes(bytes.fromhex(signature[64:]), "little")
    if not 0 < scalar < _ORDER or signature.startswith("0" * 64):
        raise ReplayError("signature", "an Ed25519 signature, which these digits cannot be")


def parse_result(raw: object, seats: int) -> Result:
    """Return the result of a replay from its JSON object."""
    data = _object(raw, "result", "result", ("reason", "seats"))
    if data["reason"] not in END_REASONS:
        raise ReplayError("result", f"reason to be one of {', '.join(END_REASONS)}")
    rows = data["seats"]
    if not isinstance(rows, list) or len(rows) != seats:
        raise ReplayError("result", f"{seats} seats")
    return Result(data["reason"], tuple(_seat_result(row, i) for i, row in enumerate(rows)))


def _seat_result(raw: object, seat: int) -> SeatResult:
    names = tuple(f.name for f in fields(SeatResult))
    row = _object(raw, "result", f"seat {seat}", names)
    for name in names:
        value = row[name]
        if name in ("fulfilled", "failed"):
            good = isinstance(value, list) and all(type(item) is int for item in value)
        elif name == "fault":
            good = value is None or value in FAULTS
        else:
            good = type(value) is int
        if not good:
            raise ReplayError("result", f"seat {seat}: a different kind of {name}")
    row = dict(row, fulfilled=tuple(row["fulfilled"]), failed=tuple(row["failed"]))
    return SeatResult(**row)


def _options(raw: object) -> Options:
    given = _object(raw, "header", "options", tuple(CHOICES))
    try:
        return parse_options(given)
    except OptionsError as problem:
        raise ReplayError("header", f"options: {problem}") from None


def _player(raw: object, seat: int) -> Player:
    data = _object(raw, "header", f"seat {seat}", ("bot", "version", "owner"))
    return Player(**_strings(data, f"seat {seat}"))


def _played(raw: object) -> Played:
    data = _object(raw, "header", "played", ("started", "finished", "engine", "referee"))
    played = Played(**_strings(data, "played"))
    if _moment(played.started, "started") > _moment(played.finished, "finished"):
        raise ReplayError("header", "played.finished not before played.started")
    return played


def _moment(text: str, name: str) -> tuple[str, str]:
    found = _TIME.fullmatch(text)
    if found is not None:
        year, month, day = int(text[:4]), int(found[2]), int(found[3])
        hour, minute, second = int(found[4]), int(found[5]), int(found[6])
        day_exists = 1 <= month <= 12 and 1 <= day <= _days(year, month)
        if day_exists and hour < 24 and minute < 60 and second < 60:
            return found[1], (found[7] or "").rstrip("0")
    raise ReplayError("header", f"played.{name} to be a time YYYY-MM-DDTHH:MM:SS[.f]Z")


def _days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _hex(value: object, name: str, length: int, where: str) -> str:
    if isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{length}}}", value):
        return value
    raise ReplayError(where, f"{name} to be {length} lower-case hex digits")


def _strings(data: Mapping[str, Any], what: str) -> dict[str, str]:
    for name, value in data.items():
        if not isinstance(value, str):
            raise ReplayError("header", f"{what}: {name} to be a string")
    return dict(data)


def _object(raw: object, where: str, what: str, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ReplayError(where, f"{what} to be an object")
    for name in names:
        if name not in raw:
            raise ReplayError(where, f"{what} to have a field {name!r}")
    if len(raw) != len(names):
        unknown = sorted(set(raw) - set(names))
        raise ReplayError(where, f"{what} to have no field {unknown[0]!r}")
    return raw
