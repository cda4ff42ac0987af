"""Structured logs, on standard error: one event per fact, with the block and match it belongs to.

Secrets do not belong in a log, whoever writes the line: what stands under a secret's name is
replaced before it is rendered.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Final

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

SECRETS: Final = frozenset(
    ("authorization", "key", "rejoin_ticket", "seed", "ticket", "tickets", "token", "tokens")
)
"""Names under which nothing is ever shown."""


def configure_logs(log_format: str, level: str, **always: Any) -> None:
    """Send all logs to standard error, as `json` or `text`; `always` stands on every line."""
    threshold = getattr(logging, level.upper())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        hide_secrets,
    ]
    if log_format == "json":
        last: Processor = structlog.processors.JSONRenderer()
        # The variables of a frame may be secrets: only where it went wrong is told.
        frames = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        shared.append(structlog.processors.ExceptionRenderer(frames))
    else:
        plain = structlog.dev.plain_traceback
        last = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)
    structlog.configure(
        processors=[*shared, last],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(**always)
    # Libraries that log by themselves, gRPC and asyncio among them, end up in the same stream.
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(threshold, logging.WARNING))


def hide_secrets(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """A processor that leaves only the names of secrets."""
    for key in event.keys() & SECRETS:
        event[key] = "…"
    return event
