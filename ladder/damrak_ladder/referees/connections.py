"""Connections to referees, configured by the settings of this installation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from damrak_ladder.referees.addresses import parse_address
from damrak_ladder.referees.broadcasts import Watching
from damrak_ladder.referees.control import Control
from damrak_ladder.referees.seats import Seating
from damrak_ladder.referees.security import Security

_kept: tuple[int, Control] | None = None  # with the process id that it belongs to


def own_control() -> Control:
    """Return a client for the referee of this host, with a new connection.

    Raises:
        RefereeTrouble: its address is not set.
    """
    return control_of(settings.DAMRAK_REFEREE or "")


@contextmanager
def kept_control() -> Iterator[Control]:
    """Lend a client for the referee of this host, whose connection this process keeps.

    The connection is made by the process that uses it, since gRPC does not survive a fork, and
    replaced after an error, so that the back-off of a failed connection does not delay the return
    of the referee.

    Raises:
        RefereeTrouble: its address is not set.
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
    """Return a client to control the referee at this address.

    Raises:
        RefereeTrouble: the address is not valid.
    """
    return Control(parse_address(address), security())


def watching_of(address: str) -> Watching:
    """Return a client to watch the referee at this address; call it in the event loop that uses it.

    Raises:
        RefereeTrouble: the address is not valid.
    """
    return Watching(parse_address(address), security())


def seating_of(address: str) -> Seating:
    """Return a client that holds seats at this referee; call it in the event loop that uses it.

    Raises:
        RefereeTrouble: the address is not valid.
    """
    return Seating(parse_address(address), security())


def security() -> Security:
    """Return the settings that protect connections to referees."""
    tls = settings.DAMRAK_REFEREE_TLS
    return Security(
        key=settings.DAMRAK_REFEREE_KEY or "",
        authorities=tls.authorities,
        certificate=tls.certificate,
        private_key=tls.private_key,
        may_be_plain=tls.may_be_plain,
    )
