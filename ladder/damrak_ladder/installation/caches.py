"""What processes of an installation remember together for a short while, as Django wants it."""

from __future__ import annotations

from typing import Any, Final

_SECONDS: Final = 1.0


def cache_of(broker: str) -> dict[str, Any]:
    """A cache in the broker, under names of its own."""
    return {
        "BACKEND": "damrak_ladder.forgetful.ForgetfulCache",
        "LOCATION": broker.replace("redis+socket://", "unix://", 1),
        "KEY_PREFIX": "damrak-cache",
        "OPTIONS": {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS},
    }
