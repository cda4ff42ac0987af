"""Definitions of settings, and the parsers of their values from any source."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PREFIX: Final = "DAMRAK_REFEREE_"
"""The prefix of settings in the environment."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of the table of settings. `default` is text, parsed like a given value."""

    name: str
    group: str
    metavar: str
    text: str
    parse: Callable[[str], object]
    default: str | None = None
    told: str = ""  # the default in words, if it is not a constant
    is_flag: bool = False

    @property
    def option(self) -> str:
        """The name on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """The name in the environment."""
        return PREFIX + self.name.upper()


def count(least: int) -> Callable[[str], int]:
    """Return a parser of whole numbers of at least `least`."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < least:
            raise ValueError(f"{text!r} is not a whole number from {least} on")
        return int(text)

    return parse


def parse_seconds(text: str) -> float:
    """Parse a duration in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 31_536_000:
        raise ValueError(f"{text!r} is not a number of seconds")
    return seconds


def parse_path(text: str) -> Path:
    """Parse a path; return it as absolute."""
    if not text:
        raise ValueError("an empty path")
    return Path(text).expanduser().absolute()


def parse_folders(text: str) -> tuple[Path, ...]:
    """Parse a list of existing folders, separated by colons."""
    paths = tuple(parse_path(part) for part in text.split(":") if part)
    for path in paths:
        if not path.is_dir():
            raise ValueError(f"{path}: no such folder")
    return paths


def parse_share(text: str) -> float:
    """Parse a number of processors, which may be a fraction."""
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0.05 <= share <= 1024:
        raise ValueError(f"{text!r} is not a number of processors")
    return share


def parse_existing_file(text: str) -> Path:
    """Parse the path of a file that is readable now."""
    path = parse_path(text)
    try:
        with path.open("rb"):
            return path
    except OSError as problem:
        raise ValueError(f"{path}: {(problem.strerror or 'cannot be read').lower()}") from None


def one_of(*values: str) -> Callable[[str], str]:
    """Return a parser that accepts only these values."""

    def parse(text: str) -> str:
        if text not in values:
            raise ValueError(f"{text!r} is none of {', '.join(values)}")
        return text

    return parse


def parse_flag(text: str) -> bool:
    """Parse yes or no."""
    if text.lower() in ("1", "true", "yes"):
        return True
    if text.lower() in ("", "0", "false", "no"):
        return False
    raise ValueError(f"{text!r} is neither yes nor no")


def parse_name(text: str) -> str:
    """Parse a name that is also valid as a file name."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", text) is None:
        raise ValueError(f"{text!r}: a name has letters, digits, '-', '_' and '.', at most 64")
    return text
