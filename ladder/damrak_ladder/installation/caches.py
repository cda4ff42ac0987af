"""The Django setting of the cache that processes of an installation share."""

from __future__ import annotations

from typing import Any, Final

_SECONDS: Final = 1.0


def cache_of(broker: str) -> dict[str, Any]:
    """Return the setting of a cache in the broker, with its own key prefix."""
    return {
        "BACKEND": "damrak_ladder.resilient_cache.ForgetfulCache",
        "LOCATION": broker.replace("redis+socket://", "unix://", 1),
        "KEY_PREFIX": "damrak-cache",
        "OPTIONS": {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS},
    }
