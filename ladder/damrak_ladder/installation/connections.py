"""Connections to PostgreSQL that do not wait for an answer for ever."""

from __future__ import annotations

from typing import Any, Final

from psycopg import Connection, OperationalError
from psycopg.errors import _WaitTimeout

ANSWER_S: Final = 7.0
"""A second more than a statement may take, so that the server ends a slow one in its own way."""


class BoundedConnection(Connection[Any]):
    """Gives up when the server accepts what is sent and does not answer.

    TCP cannot detect that: the kernel of a server that hangs goes on acknowledging packets.
    """

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for the server.

        Raises:
            OperationalError: there was no answer in time; the connection is closed.
        """
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, ANSWER_S)
        except _WaitTimeout:
            self.pgconn.finish()  # the answer may still come, and would be taken for another one
            raise OperationalError(f"no answer from the database in {ANSWER_S:g} s") from None
