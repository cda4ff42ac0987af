"""Rate limits, counted across all processes of the site."""

from __future__ import annotations

import hashlib
from ipaddress import IPv6Address, ip_address
from time import time

from django.core.cache import cache

from damrak_ladder.accounts.errors import TooOften


def spend(purpose: str, who: str, most: int, seconds: int) -> None:
    """Count one use; at most `most` are allowed per window of `seconds`.

    If the cache is unavailable, all uses are allowed: better to serve too much than nothing.

    Raises:
        TooOften: with the time until the next try.
    """
    now = time()
    stretch = int(now // seconds)
    named = hashlib.sha256(network(who).encode()).hexdigest()[:32]
    key = f"budget:{purpose}:{named}:{stretch}"
    try:
        cache.add(key, 0, timeout=2 * seconds)
        count = cache.incr(key)
    except ValueError:  # evicted between the two calls
        return
    if count > most:
        raise TooOften(max(1, int((stretch + 1) * seconds - now) + 1))


def network(who: str) -> str:
    """Return the unit to count: for an IPv6 address its /64 network, which one client owns."""
    try:
        address = ip_address(who)
    except ValueError:
        return who
    if not isinstance(address, IPv6Address) or address.ipv4_mapped:
        return who
    return f"{int(address) >> 64:x}"
