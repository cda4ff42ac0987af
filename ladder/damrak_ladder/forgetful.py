"""A cache that forgets everything while its server is away, rather than let a request fail."""

from __future__ import annotations

from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError


class ForgetfulCache(RedisCache):
    """Redis or Valkey, which may be gone at any time."""

    def add(
        self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> bool:
        """Keep a value unless there is one; whether there was none."""
        try:
            return bool(super().add(key, value, timeout, version))
        except (RedisError, OSError):
            return True

    def get(self, key: str, default: Any = None, version: Any = None) -> Any:
        """The value that is kept."""
        try:
            return super().get(key, default, version)
        except (RedisError, OSError):
            return default

    def set(
        self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        """Keep a value."""
        try:
            super().set(key, value, timeout, version)
        except (RedisError, OSError):
            return

    def incr(self, key: str, delta: int = 1, version: Any = None) -> int:
        """Count on.

        Raises:
            ValueError: nothing was counted yet.
        """
        try:
            return int(super().incr(key, delta, version))
        except (RedisError, OSError):
            return delta

    def delete(self, key: str, version: Any = None) -> bool:
        """Forget a value; whether there was one."""
        try:
            return bool(super().delete(key, version))
        except (RedisError, OSError):
            return False

    def clear(self) -> None:
        """Forget everything."""
        try:
            super().clear()
        except (RedisError, OSError):
            return
