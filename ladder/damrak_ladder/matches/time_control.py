"""The time control of a ladder or block, and its conversion for the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from damrak_engine.clock import TimeControl
from damrak_engine.errors import MatchError
from damrak_ladder.matches.errors import BadLadder
from damrak_ladder.message_codes import ladder_codes as codes


def control_of(given: Mapping[str, Any]) -> TimeControl:
    """Return the time control of this object; missing limits have the engine's defaults.

    Raises:
        BadLadder: a limit does not exist or is not a number, or no match could be played under it.
    """
    known = [field.name for field in fields(TimeControl)]
    for name, value in given.items():
        if name not in known:
            raise BadLadder("control", codes.LimitUnknown(str(name), tuple(known)))
        may_be_none = name == "decision_ms" and value is None
        if not may_be_none and (type(value) is not int or value >= 1 << 31):
            raise BadLadder("control", codes.LimitNotWhole(name))
    try:
        return TimeControl(**given)
    except MatchError as problem:
        raise BadLadder("control", codes.InvalidControl(str(problem))) from None
