"""Protocol versions, and how two programs agree on one."""

from __future__ import annotations

from typing import Final, Protocol

from damrak_proto.v1 import table_pb2 as pb
from damrak_wire.errors import WireError
from damrak_wire.fields import TEXT_LIMIT, cut, short

LOWEST: Final = 1
HIGHEST: Final = 1


class Speaker(Protocol):
    """The version range of a Hello."""

    @property
    def lowest(self) -> int: ...

    @property
    def highest(self) -> int: ...


def hello(software: str) -> pb.Hello:
    """Return the Hello of this side."""
    return pb.Hello(
        lowest_version=LOWEST, highest_version=HIGHEST, software=cut(software, TEXT_LIMIT)
    )


def heard(said: pb.Hello, where: str) -> tuple[int, int, str]:
    """Return the lowest version, the highest, and the software of a Hello."""
    lowest, highest = said.lowest_version, said.highest_version
    if lowest < 1:
        raise WireError(f"{where}.lowest_version", "must be 1 or more")
    if highest < lowest:
        raise WireError(f"{where}.highest_version", f"must be {lowest} or more, not {highest}")
    return lowest, highest, short(said.software, TEXT_LIMIT, f"{where}.software")


def agree(other: Speaker) -> int:
    """Return the highest version that both sides support.

    Raises:
        WireError: there is none; the message names the versions of both.
    """
    agreed = min(HIGHEST, other.highest)
    if agreed < max(LOWEST, other.lowest):
        spoken = f"versions {other.lowest} to {other.highest} are not spoken here"
        raise WireError("hello", f"{spoken}, but {LOWEST} to {HIGHEST} are")
    return agreed
