"""How often somebody may do something, counted across all processes of the site."""

from __future__ import annotations

import hashlib
from ipaddress import IPv6Address, ip_address
from time import time

from django.core.cache import cache

from damrak_ladder.accounts.errors import TooOften


def spend(purpose: str, who: str, most: int, seconds: int) -> None:
    """Count one more; at most so many in each stretch of so many seconds.

    Where nobody can count, everybody may pass: it is better to serve too much than nothing.

    Raises:
        TooOften: saying when it may be tried again.
    """
    now = time()
    stretch = int(now // seconds)
    named = hashlib.sha256(network(who).encode()).hexdigest()[:32]
    key = f"budget:{purpose}:{named}:{stretch}"
    try:
        cache.add(key, 0, timeout=2 * seconds)
        count = cache.incr(key)
    except ValueError:  # it was forgotten between the two
        return
    if count > most:
        raise TooOften(max(1, int((stretch + 1) * seconds - now) + 1))


def network(who: str) -> str:
    """Who counts as one; of an address of version 6 its network, for all have 2^64 of those."""
    try:
        address = ip_address(who)
    except ValueError:
        return who
    if not isinstance(address, IPv6Address) or address.ipv4_mapped:
        return who
    return f"{int(address) >> 64:x}"
