"""Where the broker of an installation is, and the sign of life that its clerk leaves there."""

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
    """Its URL: as set, else that of the one that `damrak-ladder up` runs here, else the usual."""
    if environment.broker is not None:
        return environment.broker
    with contextlib.suppress(OSError):
        return (environment.home / ADDRESS_FILE).read_text("utf-8").strip() or USUAL
    return USUAL


def tell_broker(home: Path, url: str) -> None:
    """Let every process of this home know where the broker is."""
    write_whole(home / ADDRESS_FILE, f"{url}\n".encode())


def connect_to(url: str) -> redis.Redis:
    """A connection to the broker that waits for nothing long."""
    address = url.replace("redis+socket://", "unix://", 1)
    return redis.Redis.from_url(
        address,
        socket_timeout=2.0,
        socket_connect_timeout=2.0,
        retry=Retry(NoBackoff(), 0),  # or it would try for seconds
    )


def leave_pulse(url: str, name: str) -> None:
    """Say that this part is alive. A broker that cannot be reached is no reason to stop.

    The clerk does so in a task that beat triggers, so that a pulse shows both alive.
    """
    with contextlib.suppress(redis.RedisError, OSError), connect_to(url) as broker:
        broker.set(f"{_PULSE}{name}", time.time(), ex=FORGOTTEN_AFTER_S)


def pulse_age(url: str, name: str) -> float | None:
    """Seconds since this part said that it is alive; None if it is not known to have.

    Raises:
        redis.RedisError: the broker does not answer.
    """
    with connect_to(url) as broker:
        said = broker.get(f"{_PULSE}{name}")
    return None if said is None else max(0.0, time.time() - float(said))
