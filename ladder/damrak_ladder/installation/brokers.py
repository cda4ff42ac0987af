"""The broker of an installation: its address, and the heartbeats that the clerk leaves there."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from damrak_ladder.installation.environment import Environment
from damrak_ladder.installation.files import write_whole

ADDRESS_FILE: Final = "broker-address"
USUAL: Final = "redis://127.0.0.1:6379/0"
FORGOTTEN_AFTER_S: Final = 86_400

_PULSE: Final = "damrak:pulse:"


def broker_of(environment: Environment) -> str:
    """Return its URL: as set, else that of the broker of `damrak-ladder up`, else the default."""
    if environment.broker is not None:
        return environment.broker
    with contextlib.suppress(OSError):
        return (environment.home / ADDRESS_FILE).read_text("utf-8").strip() or USUAL
    return USUAL


def tell_broker(home: Path, url: str) -> None:
    """Record the broker's URL for all processes of this data folder."""
    write_whole(home / ADDRESS_FILE, f"{url}\n".encode())


def connect_to(url: str) -> redis.Redis:
    """Return a connection to the broker, with short timeouts."""
    address = url.replace("redis+socket://", "unix://", 1)
    return redis.Redis.from_url(
        address,
        socket_timeout=2.0,
        socket_connect_timeout=2.0,
        retry=Retry(NoBackoff(), 0),  # or it would retry for seconds
    )


def leave_pulse(url: str, name: str) -> None:
    """Record a heartbeat of this part; ignore a broker that is not reachable.

    The clerk does this in a task triggered by beat, so a heartbeat shows that both are running.
    """
    with contextlib.suppress(redis.RedisError, OSError), connect_to(url) as broker:
        broker.set(f"{_PULSE}{name}", time.time(), ex=FORGOTTEN_AFTER_S)


def pulse_age(url: str, name: str) -> float | None:
    """Return the seconds since the last heartbeat of this part; None if there is none.

    Raises:
        redis.RedisError: the broker does not answer.
    """
    with connect_to(url) as broker:
        said = broker.get(f"{_PULSE}{name}")
    return None if said is None else max(0.0, time.time() - float(said))
