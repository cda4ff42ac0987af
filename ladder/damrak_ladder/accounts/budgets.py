"""Rate limits, counted across all processes of the site."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from time import time

from django.core.cache import cache

from damrak_ladder.accounts.errors import TooOften


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of a rate limit."""

    most: int
    seconds: int
    left: int
    resets_in: int


def spend(purpose: str, who: str, most: int, seconds: int) -> Budget:
    """Count one use, and return what is left; at most `most` are allowed per `seconds`.

    If the cache is unavailable, all uses are allowed: better to serve too much than nothing.

    Raises:
        TooOften: with the time until the next try.
    """
    key, resets_in = _place(purpose, who, seconds)
    try:
        cache.add(key, 0, timeout=2 * seconds)
        count = cache.incr(key)
    except ValueError:  # evicted between the two calls
        count = 0
    if count > most:
        raise TooOften(resets_in)
    return Budget(most, seconds, most - count, resets_in)


def left(purpose: str, who: str, most: int, seconds: int) -> Budget:
    """Return what is left, without counting a use."""
    key, resets_in = _place(purpose, who, seconds)
    return Budget(most, seconds, max(0, most - (cache.get(key) or 0)), resets_in)


def _place(purpose: str, who: str, seconds: int) -> tuple[str, int]:
    """Return the key of the current window, and the time until it ends."""
    now = time()
    stretch = int(now // seconds)
    named = hashlib.sha256(network(who).encode()).hexdigest()[:32]
    resets_in = max(1, int((stretch + 1) * seconds - now) + 1)
    return f"budget:{purpose}:{named}:{stretch}", resets_in


def network(who: str) -> str:
    """Return the unit to count: for an IPv6 address its /64 network, which one client owns."""
    try:
        address = ip_address(who)
    except ValueError:
        return who
    if not isinstance(address, IPv6Address) or address.ipv4_mapped:
        return who
    return f"{int(address) >> 64:x}"
