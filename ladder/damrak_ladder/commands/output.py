"""Output of commands: tables for people, JSON for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from damrak_ladder.plain_text import plain_text


def say(line: str = "") -> None:
    """Print a line."""
    sys.stdout.write(plain_text(line) + "\n")
    sys.stdout.flush()


def say_json(value: object) -> None:
    """Print a value as JSON."""
    say(json.dumps(value, indent=2, ensure_ascii=False, default=_as_json))


def say_table(rows: Sequence[Mapping[str, Any]], empty: str) -> None:
    """Print rows with the same keys as a table, or `empty` if there are none."""
    if not rows:
        say(empty)
        return
    heads = list(rows[0])
    lines = [heads, *([plain_text(_as_text(row[head])) for head in heads] for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    for line in lines:
        say("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def _as_text(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M}"
        case list() | tuple():
            return ", ".join(map(str, value)) or "-"
        case _:
            return str(value) or "-"


def _as_json(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not for JSON")
