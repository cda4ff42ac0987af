"""A cache that behaves as empty while its server is unreachable, so that no request fails."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar, Final, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

T = TypeVar("T")

PAUSE_S: Final = 2.0
"""How long a server that did not answer is not tried again: a page uses it several times, and each
try would cost a second."""


class ForgetfulCache(RedisCache):
    """A Redis or Valkey cache whose server may be unreachable at any time."""

    _asked_again: ClassVar[dict[str, float]] = {}  # shared by all threads, each with a cache

    def _ask(self, ask: Callable[[], T], otherwise: T) -> T:
        """Return the server's answer, or the other value while it is unreachable."""
        server = ",".join(self._servers)  # type: ignore[attr-defined]
        if monotonic() < self._asked_again.get(server, 0.0):
            return otherwise
        try:
            return ask()
        except (RedisError, OSError):
            self._asked_again[server] = monotonic() + PAUSE_S
            return otherwise

    def add(
        self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> bool:
        """Store a value unless there is one; return whether there was none."""
        add = super().add
        return self._ask(lambda: bool(add(key, value, timeout, version)), True)

    def get(self, key: str, default: Any = None, version: Any = None) -> Any:
        """Return the stored value."""
        get = super().get
        return self._ask(lambda: get(key, default, version), default)

    def set(
        self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        """Store a value."""
        keep = super().set
        self._ask(lambda: keep(key, value, timeout, version), None)

    def incr(self, key: str, delta: int = 1, version: Any = None) -> int:
        """Increment a counter.

        Raises:
            ValueError: there is no counter yet.
        """
        incr = super().incr
        return self._ask(lambda: int(incr(key, delta, version)), delta)

    def delete(self, key: str, version: Any = None) -> bool:
        """Delete a value; return whether there was one."""
        delete = super().delete
        return self._ask(lambda: bool(delete(key, version)), False)

    def clear(self) -> None:
        """Delete everything."""
        clear = super().clear
        self._ask(clear, None)
