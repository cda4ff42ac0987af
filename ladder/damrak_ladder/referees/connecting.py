"""Connections to referees as this installation makes them."""

from __future__ import annotations

from django.conf import settings

from damrak_ladder.referees.addresses import parse_address
from damrak_ladder.referees.control import Control
from damrak_ladder.referees.security import Security
from damrak_ladder.referees.watching import Watching


def own_control() -> Control:
    """To drive the referee of this host.

    Raises:
        RefereeTrouble: it is not known where that is.
    """
    return control_of(settings.DAMRAK_REFEREE or "")


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
