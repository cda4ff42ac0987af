"""A cache that is empty while its server is away, rather than let a request fail."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar, Final, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

T = TypeVar("T")

PAUSE_S: Final = 2.0
"""For so long a server that did not answer is not asked again: a page asks several times, and each
time would cost a second."""


class ForgetfulCache(RedisCache):
    """Redis or Valkey, which may be gone at any time."""

    _asked_again: ClassVar[dict[str, float]] = {}  # shared by threads, each of which has a cache

    def _ask(self, ask: Callable[[], T], otherwise: T) -> T:
        """The server's answer, or the other value while it is away."""
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
        """Keep a value unless there is one; whether there was none."""
        add = super().add
        return self._ask(lambda: bool(add(key, value, timeout, version)), True)

    def get(self, key: str, default: Any = None, version: Any = None) -> Any:
        """The value that is kept."""
        get = super().get
        return self._ask(lambda: get(key, default, version), default)

    def set(
        self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        """Keep a value."""
        keep = super().set
        self._ask(lambda: keep(key, value, timeout, version), None)

    def incr(self, key: str, delta: int = 1, version: Any = None) -> int:
        """Count on.

        Raises:
            ValueError: nothing was counted yet.
        """
        incr = super().incr
        return self._ask(lambda: int(incr(key, delta, version)), delta)

    def delete(self, key: str, version: Any = None) -> bool:
        """Forget a value; whether there was one."""
        delete = super().delete
        return self._ask(lambda: bool(delete(key, version)), False)

    def clear(self) -> None:
        """Forget everything."""
        clear = super().clear
        self._ask(clear, None)
