"""Addresses of referees in the settings."""

from __future__ import annotations

from damrak_ladder.referees.errors import RefereeTrouble
from damrak_wire.address import Address, parse_address as parse
from damrak_wire.errors import WireError

__all__ = ["Address", "parse_address"]


def parse_address(text: str) -> Address:
    """Return the address that this text names.

    Raises:
        RefereeTrouble: it is not valid; the message describes the syntax.
    """
    try:
        return parse(text)
    except WireError as problem:
        raise RefereeTrouble(text, problem.problem, is_lasting=True) from None
