"""Fields of JSON objects, parsed strictly. Every function raises `BadRules` with the name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, Final

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.message_codes.ladder_codes import TextEmpty
from damrak_ladder.tournaments.log.errors import BadRules

MOST_SHOWN: Final = 80


def mapping(name: str, given: object) -> dict[str, Any]:
    """Return an object as a dictionary."""
    if not isinstance(given, Mapping):
        raise BadRules(name, codes.NotAnObject())
    return {str(key): value for key, value in given.items()}


def known(name: str, given: object, kind: Any) -> dict[str, Any]:
    """Return an object whose keys are among the fields of a dataclass."""
    found = mapping(name, given)
    names = tuple(one.name for one in fields(kind))
    for key in found:
        if key not in names:
            raise BadRules(f"{name}.{key}", codes.FieldUnknown(names))
    return found


def listed(name: str, given: object) -> list[Any]:
    """Return a list."""
    if not isinstance(given, (list, tuple)) or len(given) > 2000:
        raise BadRules(name, codes.NotAList())
    return list(given)


def word(name: str, given: object, most: int) -> str:
    """Return a printable text."""
    if not isinstance(given, str) or len(given) > most or not (given.isprintable() or not given):
        raise BadRules(name, codes.NotAText(most))
    return given


def words(name: str, given: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return texts from a set of choices."""
    found = tuple(word(name, one, 40) for one in listed(name, given))
    for one in found:
        if one not in known:
            raise BadRules(name, codes.UnknownChoice(one, known))
    if not found:
        raise BadRules(name, TextEmpty())
    return found


def whole(name: str, given: object, low: int, high: int) -> int:
    """Return a whole number."""
    if type(given) is not int or not low <= given <= high:
        raise BadRules(name, codes.WholeOutside(low, high))
    return given


def number(name: str, given: object, low: float, high: float) -> float:
    """Return a number."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not low <= given <= high:
        raise BadRules(name, codes.NumberOutside(low, high))
    return float(given)


def plain_number(name: str, given: object) -> int | None:
    """Return a whole number from 0, or None."""
    return None if given is None else whole(name, given, 0, 1_000_000)


def fraction(name: str, given: object) -> Fraction:
    """Return an exact fraction, given as text or as a number."""
    if isinstance(given, str) and re.fullmatch(r"[0-9]{1,6}(/[1-9][0-9]{0,5})?", given):
        found = Fraction(given)
    else:
        found = Fraction(number(name, given, 0, 1000)).limit_denominator(1000)
    return found


def shown(given: object) -> str:
    """Return a value of any type as text for a message."""
    return (given if isinstance(given, str) else json.dumps(given, default=str))[:MOST_SHOWN]


def flag(name: str, given: object) -> bool:
    """Return true or false."""
    if not isinstance(given, bool):
        raise BadRules(name, codes.NotAFlag())
    return given


def choice(name: str, given: object, known: tuple[str, ...]) -> str:
    """Return one of these choices."""
    if given not in known:
        raise BadRules(name, codes.UnknownChoice(shown(given), known))
    return str(given)
