"""Connections to referees as this installation makes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from damrak_ladder.referees.addresses import parse_address
from damrak_ladder.referees.control import Control
from damrak_ladder.referees.security import Security
from damrak_ladder.referees.watching import Watching

_kept: tuple[int, Control] | None = None  # the process that it belongs to


def own_control() -> Control:
    """To drive the referee of this host, over a connection of its own.

    Raises:
        RefereeTrouble: it is not known where that is.
    """
    return control_of(settings.DAMRAK_REFEREE or "")


@contextmanager
def kept_control() -> Iterator[Control]:
    """The same over a connection that this process keeps, for one who often comes back.

    It is made by the process that uses it, since gRPC does not survive a fork, and made anew after
    trouble, lest a referee that is back be waited for as long as one that is gone.

    Raises:
        RefereeTrouble: it is not known where that is.
    """
    global _kept
    process = os.getpid()
    if _kept is None or _kept[0] != process or _kept[1].is_shaken:
        if _kept is not None and _kept[0] == process:
            _kept[1].close()
        _kept = None
        _kept = process, own_control()
    yield _kept[1]


def control_of(address: str) -> Control:
    """To drive the referee at this address.

    Raises:
        RefereeTrouble: it is no address.
    """
    return Control(parse_address(address), security())


def watching_of(address: str) -> Watching:
    """To watch what the referee at this address plays; made inside the loop that uses it.

    Raises:
        RefereeTrouble: it is no address.
    """
    return Watching(parse_address(address), security())


def security() -> Security:
    """How this installation protects the way to its referees."""
    tls = settings.DAMRAK_REFEREE_TLS
    return Security(
        key=settings.DAMRAK_REFEREE_KEY or "",
        authorities=tls.authorities,
        certificate=tls.certificate,
        private_key=tls.private_key,
        may_be_plain=tls.may_be_plain,
    )
