"""Connections to PostgreSQL with a limit on the time to wait for an answer."""

from __future__ import annotations

from typing import Any, Final

from psycopg import Connection, OperationalError
from psycopg.errors import _WaitTimeout

ANSWER_S: Final = 7.0
"""One second more than the limit of a statement, so that the server ends a slow one itself."""


class BoundedConnection(Connection[Any]):
    """A connection that fails if the server accepts requests but does not answer.

    TCP cannot detect that: the kernel of a server that hangs still acknowledges packets.
    """

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for the server.

        Raises:
            OperationalError: the server did not answer in time; the connection is closed.
        """
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, ANSWER_S)
        except _WaitTimeout:
            self.pgconn.finish()  # a late answer would be taken for that of another query
            raise OperationalError(f"no answer from the database in {ANSWER_S:g} s") from None
