"""Parsing addresses of referees given by users."""

from __future__ import annotations

from damrak.errors import RefereeError
from damrak_wire.address import Address, parse_address as parse
from damrak_wire.errors import WireError

__all__ = ["Address", "parse_address"]


def parse_address(text: str) -> Address:
    """Return the parsed address.

    Raises:
        RefereeError: it is malformed; the message shows the correct form.
    """
    try:
        return parse(text)
    except WireError as problem:
        raise RefereeError(str(problem), is_lasting=True) from None
