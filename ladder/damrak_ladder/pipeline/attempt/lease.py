"""The lease of an attempt, renewed while the attempt runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from threading import Event, Thread
from types import TracebackType
from typing import Final, Self

from django.db import DatabaseError, connection

from damrak_ladder.matches.attempts import Patience, renew

RENEWALS: Final = 5  # per lease, so that some may fail

_log = logging.getLogger(__name__)


class Lease:
    """A context manager whose thread renews the lease and calls `on_lost` if it is lost."""

    def __init__(
        self,
        block_id: int,
        attempt: int,
        patience: Patience,
        clock: Callable[[], datetime],
        on_lost: Callable[[], None],
    ) -> None:
        self.is_lost = False
        self._block_id = block_id
        self._attempt = attempt
        self._patience = patience
        self._clock = clock
        self._on_lost = on_lost
        self._over = Event()
        self._thread = Thread(target=self._keep, name="lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        try:
            while not self._over.wait(self._patience.lease.total_seconds() / RENEWALS):
                is_ours = self._renewed()
                connection.close()  # a game of people may take an hour, and there may be many
                if not is_ours:
                    self.is_lost = True
                    self._on_lost()
                    return
        finally:
            connection.close()

    def _renewed(self) -> bool:
        try:
            return renew(self._block_id, self._attempt, self._clock(), self._patience)
        except DatabaseError as problem:
            # The database may be back before the lease expires; if not, another worker has taken
            # over.
            _log.warning("lease_not_renewed", extra={"block": self._block_id, "why": str(problem)})
            connection.close()
            return True
