"""Heartbeat of a host, sent by the main process of its worker."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Event, Lock, Thread
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connection

from damrak_ladder.bots.connect_tokens import all_tokens
from damrak_ladder.matches.attempts import end_former, patience
from damrak_ladder.matches.clock import MOST_LEAD, clock_lead
from damrak_ladder.matches.models import Block, BlockState, Host
from damrak_ladder.referees.connections import own_control
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_wire.status import Status

EVERY_S: Final = 5.0

_log = logging.getLogger(__name__)


def beat(now: datetime, workers: int, *, is_stopping: bool = False) -> Status | None:
    """Record the state of this host; return its referee's status, None if that is unreachable."""
    name = settings.DAMRAK_HOST
    try:
        with own_control() as control:
            # Every time, because a referee loses its tokens when it is restarted.
            control.set_tokens(all_tokens())
            status = control.status()
    except RefereeTrouble as trouble:
        _log.warning("referee_silent", extra={"why": str(trouble)})
        # `last_seen` is not renewed, and the host receives no more blocks.
        Host.objects.filter(name=name).update(capacity=0, running=0, waiting=[])
        return None
    if status.runtime_problem:
        _log.warning("runtime_malformed", extra={"why": status.runtime_problem})
    is_full = is_stopping or status.is_draining
    said = {
        "control": control.address.text[:200],
        "lobby": (settings.DAMRAK_LOBBY or "")[:200],
        "software": status.software[:60],
        "isolation": status.isolation[:10],
        "capacity": 0 if is_full else status.capacity,
        "running": status.running,
        "workers": workers,
        "waiting": sorted({waiting.bot for waiting in status.waiting}),
        "last_seen": now,
    }
    if status.runtime is not None:
        said["runtime"] = status.runtime.to_json()
    elif status.isolation == "none":  # otherwise it is still being determined
        said["runtime"] = {}
    Host.objects.update_or_create(
        name=name, defaults=said, create_defaults={**said, "first_seen": now}
    )
    return status


def begin_anew(began: datetime) -> int:
    """Release the blocks assigned to an earlier worker of this host, and expire its attempts.

    That worker is dead, and its messages may be lost. Returns the number of attempts.
    """
    waiting = Block.objects.filter(host__name=settings.DAMRAK_HOST, state=BlockState.WAITING)
    waiting.update(host=None, sent=None)
    ended = end_former(settings.DAMRAK_HOST, began, datetime.now(UTC), patience())
    if ended:
        _log.warning("former_attempts_ended", extra={"attempts": ended})
    return ended


class Heart:
    """A thread that sends heartbeats until it is stopped.

    A process must not fork while gRPC is active in it, so the pool's forks wait for the current
    beat.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._began = datetime.now(UTC)  # before any attempt can begin
        self._is_stopping = False
        self._over = Event()
        self._at_work = Lock()
        self._thread = Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Start the heartbeats."""
        os.register_at_fork(
            before=self._at_work.acquire,
            after_in_parent=self._at_work.release,
            after_in_child=self._at_work.release,
        )
        self._thread.start()

    def slow_down(self) -> None:
        """Report from now on that this host takes no more blocks."""
        self._is_stopping = True

    def stop(self) -> None:
        """Stop the heartbeats."""
        self._over.set()
        self._thread.join(EVERY_S)

    def _run(self) -> None:
        self._try(lambda: begin_anew(self._began))
        while True:
            with self._at_work:
                self._try(self._beat)
            if self._over.wait(EVERY_S):
                return

    def _beat(self) -> None:
        if abs(lead := clock_lead()) > MOST_LEAD:
            _log.error("clock_is_off", extra={"ahead_s": round(lead.total_seconds(), 1)})
        beat(datetime.now(UTC), self._workers, is_stopping=self._is_stopping)

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except DatabaseError as problem:
            _log.warning("heartbeat_lost", extra={"why": str(problem)})
        except Exception:  # noqa: BLE001  # one failed beat must not end the thread
            _log.exception("heartbeat_broke")
        finally:
            connection.close()
