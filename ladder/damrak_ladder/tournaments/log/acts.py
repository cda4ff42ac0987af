"""Acts: the decisions in a tournament, in order. Their payloads are parsed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.tournaments.log.errors import BadPayload
from damrak_ladder.tournaments.log.values import Release, Ruling


class Kind(StrEnum):
    """The kinds of acts."""

    CREATE = "create"
    RULES = "rules"
    RENAME = "rename"
    OPEN = "open"
    ENTER = "enter"
    WITHDRAW = "withdraw"
    CLOSE = "close"
    START = "start"
    PAIR = "pair"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    ARRANGE = "arrange"
    SPEED = "speed"
    DISQUALIFY = "disqualify"
    OVERRIDE = "override"
    REPLAY_BLOCK = "replay_block"
    REPLAY_ROUND = "replay_round"
    FORFEIT = "forfeit"
    SKIP_BLOCK = "skip_block"
    RELEASE = "release"
    PLAN_RELEASE = "plan_release"
    FINISH = "finish"
    FINALISE = "finalise"
    REOPEN = "reopen"
    CANCEL = "cancel"
    UNDO = "undo"


AUTOMATIC: Final = frozenset({Kind.PAIR, Kind.FINISH})
"""Acts of the platform only. In a state to which they do not apply, they have no effect."""

NEEDS_REASON: Final = frozenset(
    {
        Kind.DISQUALIFY,
        Kind.OVERRIDE,
        Kind.REPLAY_BLOCK,
        Kind.REPLAY_ROUND,
        Kind.FORFEIT,
        Kind.SKIP_BLOCK,
        Kind.REOPEN,
        Kind.CANCEL,
    }
)

UNDOABLE: Final = frozenset(
    {
        Kind.RENAME,
        Kind.OPEN,
        Kind.ENTER,
        Kind.WITHDRAW,
        Kind.CLOSE,
        Kind.PAUSE,
        Kind.RESUME,
        Kind.STOP,
        Kind.ARRANGE,
        Kind.SPEED,
        Kind.DISQUALIFY,
        Kind.OVERRIDE,
        Kind.REPLAY_BLOCK,
        Kind.REPLAY_ROUND,
        Kind.FORFEIT,
        Kind.SKIP_BLOCK,
        Kind.RELEASE,
        Kind.PLAN_RELEASE,
        Kind.FINALISE,
        Kind.CANCEL,
        Kind.UNDO,
    }
)


_LONGEST: Final = 200
_MOMENT: Final = "2030-01-31T20:00+01:00"


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the log. `actor` is None for the platform itself."""

    serial: int
    kind: Kind
    payload: Mapping[str, Any] = field(default_factory=dict)
    actor: int | None = None
    at: datetime | None = None
    undoes: int | None = None


def active(acts: list[Act]) -> list[Act]:
    """Return the acts that have effect: those that no active act has undone."""
    undone: set[int] = set()
    for act in reversed(acts):
        if act.kind is Kind.UNDO and act.serial not in undone and act.undoes is not None:
            undone.add(act.undoes)
    return [act for act in acts if act.serial not in undone and act.kind is not Kind.UNDO]


def parse_payload(kind: Kind, given: object) -> dict[str, Any]:
    """Return the payload with all fields of this kind of act, in their types.

    Raises:
        BadPayload
    """
    if not isinstance(given, Mapping):
        raise BadPayload("payload", codes.NotAnObject())
    known = _PAYLOADS[kind]
    for key in given:
        if key not in known:
            raise BadPayload(str(key), codes.FieldUnknown(tuple(known) or ("-",)))
    found = {}
    for key, (parse, default) in known.items():
        if key not in given:
            if default is _REQUIRED:
                raise BadPayload(key, codes.FieldMissing())
            found[key] = default
        else:
            found[key] = parse(key, given[key])
    return found


def _whole(name: str, value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise BadPayload(name, codes.NotWhole())
    return value


def _wholes(name: str, value: object) -> list[int]:
    if not isinstance(value, list) or len(value) > 2000:
        raise BadPayload(name, codes.NotWholes())
    return [_whole(name, one) for one in value]


def _groups(name: str, value: object) -> list[list[int]]:
    if not isinstance(value, list) or len(value) > 2000:
        raise BadPayload(name, codes.NotAList())
    return [_wholes(name, one) for one in value]


def _pairs(name: str, value: object) -> list[list[int]]:
    found = _groups(name, value)
    if any(len(one) != 2 for one in found):
        raise BadPayload(name, codes.NotPairs())
    return found


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise BadPayload(name, codes.NotAFlag())
    return value


def _object(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadPayload(name, codes.NotAnObject())
    return value


def _objects(name: str, value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise BadPayload(name, codes.NotAList())
    return [_object(name, one) for one in value]


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise BadPayload(name, codes.NotAText(_LONGEST))
    return value


def _moment(name: str, value: object) -> str:
    try:
        at = datetime.fromisoformat(_text(name, value))
    except ValueError:
        raise BadPayload(name, codes.NotATime(str(value), _MOMENT)) from None
    if at.tzinfo is None:
        raise BadPayload(name, codes.NoTimeZone())
    return at.isoformat()


def _optional(parse: Callable[[str, object], Any]) -> Callable[[str, object], Any]:
    return lambda name, value: None if value is None else parse(name, value)


def _one_of(kind: type[StrEnum]) -> Callable[[str, object], Any]:
    def parse(name: str, value: object) -> str:
        if value not in list(kind):
            raise BadPayload(name, codes.UnknownChoice(str(value)[:_LONGEST], tuple(kind)))
        return str(value)

    return parse


_REQUIRED: Final = object()
_Fields = dict[str, tuple[Callable[[str, object], Any], Any]]
_ROUND: Final[_Fields] = {
    "stage": (_whole, 0),
    "round": (_whole, _REQUIRED),
    "generation": (_whole, _REQUIRED),
}
_TABLE: Final[_Fields] = {**_ROUND, "table": (_whole, _REQUIRED)}

_PAYLOADS: Final[dict[Kind, _Fields]] = {
    Kind.CREATE: {"rules": (_object, _REQUIRED), "source": (_text, "")},
    Kind.RULES: {"rules": (_object, _REQUIRED)},
    Kind.RENAME: {"name": (_text, _REQUIRED), "was": (_text, "")},
    Kind.OPEN: {},
    Kind.ENTER: {
        "entrant": (_whole, _REQUIRED),
        "bot": (_whole, _REQUIRED),
        "owner": (_whole, _REQUIRED),
        "version": (_optional(_whole), None),
        "guest": (_flag, False),
    },
    Kind.WITHDRAW: {"entrant": (_whole, _REQUIRED), "forfeits": (_groups, [])},
    Kind.CLOSE: {"versions": (_object, _REQUIRED)},
    Kind.START: {
        "seeds": (_wholes, _REQUIRED),
        "method": (_text, ""),
        "stages": (_optional(_objects), None),  # whose divisions fit the number of entrants
        "moves": (_objects, []),  # between the divisions of two seasons
    },
    Kind.PAIR: {
        **_ROUND,
        "pairings": (_objects, _REQUIRED),
        "field": (_wholes, []),
        "blocks": (_whole, _REQUIRED),
        "seed": (_text, ""),
        "cost": (_object, {}),
    },
    Kind.PAUSE: {},
    Kind.RESUME: {},
    Kind.STOP: {"on": (_flag, True)},
    Kind.SPEED: {"games_a_minute": (_optional(_whole), _REQUIRED)},
    Kind.DISQUALIFY: {
        "entrant": (_whole, _REQUIRED),
        "ruling": (_one_of(Ruling), str(Ruling.KEEP)),
        "forfeits": (_groups, []),
    },
    Kind.ARRANGE: {
        "stage": (_whole, 0),
        "round": (_whole, _REQUIRED),
        "manual": (_groups, []),
        "forbidden": (_pairs, []),
    },
    Kind.OVERRIDE: {**_TABLE, "places": (_wholes, _REQUIRED), "rollback": (_flag, True)},
    Kind.REPLAY_BLOCK: {**_TABLE, "number": (_whole, _REQUIRED), "rollback": (_flag, True)},
    Kind.REPLAY_ROUND: {**_ROUND},
    Kind.FORFEIT: {**_TABLE, "entrants": (_wholes, _REQUIRED)},
    Kind.SKIP_BLOCK: {**_TABLE, "number": (_whole, _REQUIRED)},
    Kind.RELEASE: {
        **_ROUND,
        "level": (_one_of(Release), _REQUIRED),
        "table": (_optional(_whole), None),
    },
    Kind.PLAN_RELEASE: {
        "stage": (_whole, 0),
        "round": (_whole, _REQUIRED),
        "level": (_one_of(Release), str(Release.PUBLIC)),
        "at": (_optional(_moment), _REQUIRED),
    },
    Kind.FINISH: {},
    Kind.FINALISE: {},
    Kind.REOPEN: {},
    Kind.CANCEL: {},
    Kind.UNDO: {},
}
