"""What processes of the ladder log: one event a line on standard error, as JSON."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Final

from damrak_ladder.plain_text import plain_text

_KNOWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

# Whoever asks for a page that there is not, or for a host that is not ours, must not fill the disk.
_LEVELS: Final = {
    "damrak_ladder.security": logging.INFO,  # every event of the security log
    "django.request": logging.ERROR,
    "django.security": logging.CRITICAL,
    "uvicorn.error": logging.ERROR,
}


class JsonLines(logging.Formatter):
    """A record as one line: when, how grave, who says what, and whatever was said along."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        said = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat("T", "milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "logger": record.name,
        }
        said |= {name: value for name, value in vars(record).items() if name not in _KNOWN}
        if record.exc_info:
            said["exception"] = "".join(traceback.format_exception(*record.exc_info))
        return plain_text(json.dumps(said, default=str, ensure_ascii=False))


def log_to_stderr(level: int = logging.WARNING) -> None:
    """Begin to log."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for name, least in _LEVELS.items():
        logging.getLogger(name).setLevel(least)


def gist(line: str) -> str:
    """What a line of a log says, for people: the event, and how its traceback ends."""
    try:
        said = json.loads(line)
        event, exception = str(said["event"]), str(said.get("exception", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return line
    lines = exception.strip().splitlines()
    return f"{event}: {lines[-1]}" if lines else event
