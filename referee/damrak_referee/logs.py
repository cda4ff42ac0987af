"""Structured logs on standard error: one line per event, with its block and match.

No log line contains a secret: values under the names of secrets are replaced before rendering.
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
"""Names whose values are never logged."""


def configure_logs(log_format: str, level: str, **always: Any) -> None:
    """Send all logs to standard error, as `json` or `text`; add `always` to every line."""
    threshold = getattr(logging, level.upper())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        hide_secrets,
    ]
    if log_format == "json":
        last: Processor = structlog.processors.JSONRenderer()
        # Local variables may be secrets, so tracebacks show only the locations.
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
    # Libraries that use the logging module, such as gRPC and asyncio, go to the same stream.
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
    """Replace the values of secrets; a structlog processor."""
    for key in event.keys() & SECRETS:
        event[key] = "…"
    return event
