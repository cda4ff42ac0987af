"""Conversion of command-line arguments to boards, options and numbers."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from pathlib import Path

from damrak.cli.errors import Misuse
from damrak.cli.files import read_board
from damrak_engine.board import Board, parse_board
from damrak_engine.boards import board_names, load_board
from damrak_engine.errors import BoardError
from damrak_engine.options import CHOICES, Options, parse_options
from damrak_engine.strictjson import StrictJsonError, read_json


def board_named(text: str) -> Board:
    """Return the board of the package with this name, or the one in this file.

    Raises:
        Misuse: there is no such board or file, or the file is not a valid board; names the field.
    """
    if text in board_names():
        return load_board(text)
    path = Path(text)
    if not path.exists():
        near = difflib.get_close_matches(text, board_names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(board_names())}"
        raise Misuse(f"board {text!r}: no such file, and no built-in board of this name; {hint}")
    try:  # as strictly as replays are read, because a replay contains the whole board
        return parse_board(read_json(read_board(path)))
    except BoardError as problem:
        raise Misuse(f"{text}: {problem}") from None
    except StrictJsonError as problem:
        raise Misuse(f"{text}: expected {problem}") from None


def options_from(settings: Sequence[str]) -> Options:
    """Return the rule options given as `name=value` settings.

    Raises:
        Misuse: a setting is malformed or given twice.
        OptionsError: there is no such option, or it has no such value.
    """
    given: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise Misuse(f"option {setting!r}: write name=value, such as all_wild=no")
        if name not in CHOICES and (near := difflib.get_close_matches(name, CHOICES, n=1)):
            raise Misuse(f"option {name!r}: no such option; did you mean {near[0]}?")
        if name in given:
            raise Misuse(f"option {name!r}: given twice")
        given[name] = value
    return parse_options(given)


def positive(text: str) -> int:
    """Parse a whole number of 1 or more, for argparse."""
    return _whole(text, 1)


def whole(text: str) -> int:
    """Parse a whole number of 0 or more, for argparse."""
    return _whole(text, 0)


def seconds(text: str) -> int:
    """Parse seconds, and return whole milliseconds, for argparse."""
    number = _number(text)
    if not 0 <= number <= 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds from 0 to 1,000,000")
    return round(number * 1000)


def _whole(text: str, least: int) -> int:
    number: float
    try:
        number = int(text)  # int first: float would lose digits of a long seed
    except ValueError:
        number = _number(text)
    if number < least or number != int(number):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of {least} or more")
    return int(number)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if number != number or abs(number) == float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number
