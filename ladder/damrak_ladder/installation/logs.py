"""Logs of the ladder's processes: one JSON event per line on standard error."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Final

from damrak_ladder.plain_text import plain_text

_KNOWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

# Requests for missing pages or foreign host names must not fill the disk.
_LEVELS: Final = {
    "damrak_ladder.security": logging.INFO,  # every event of the security log
    "django.request": logging.ERROR,
    "django.security": logging.CRITICAL,
    "uvicorn.error": logging.ERROR,
}


class JsonLines(logging.Formatter):
    """Formatter of a record as one line: time, level, event, logger, and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
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
    """Set up logging to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for name, least in _LEVELS.items():
        logging.getLogger(name).setLevel(least)


def gist(line: str) -> str:
    """Return a log line in short form, for people: the event, and the end of its traceback."""
    try:
        said = json.loads(line)
        event, exception = str(said["event"]), str(said.get("exception", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return line
    lines = exception.strip().splitlines()
    return f"{event}: {lines[-1]}" if lines else event
