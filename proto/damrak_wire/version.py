"""Which versions of the protocol are spoken, and how two programs agree on one."""

from __future__ import annotations

from typing import Final, Protocol

from damrak_proto.v1 import table_pb2 as pb
from damrak_wire.errors import WireError
from damrak_wire.fields import TEXT_LIMIT, cut, short

LOWEST: Final = 1
HIGHEST: Final = 1


class Speaker(Protocol):
    """What somebody said in a Hello."""

    @property
    def lowest(self) -> int: ...

    @property
    def highest(self) -> int: ...


def hello(software: str) -> pb.Hello:
    """What this side says."""
    return pb.Hello(
        lowest_version=LOWEST, highest_version=HIGHEST, software=cut(software, TEXT_LIMIT)
    )


def heard(said: pb.Hello, where: str) -> tuple[int, int, str]:
    """The lowest version, the highest, and the software of a Hello."""
    lowest, highest = said.lowest_version, said.highest_version
    if lowest < 1:
        raise WireError(f"{where}.lowest_version", "must be 1 or more")
    if highest < lowest:
        raise WireError(f"{where}.highest_version", f"must be {lowest} or more, not {highest}")
    return lowest, highest, short(said.software, TEXT_LIMIT, f"{where}.software")


def agree(other: Speaker) -> int:
    """The highest version that both speak.

    Raises:
        WireError: there is none; it says what both speak.
    """
    agreed = min(HIGHEST, other.highest)
    if agreed < max(LOWEST, other.lowest):
        spoken = f"versions {other.lowest} to {other.highest} are not spoken here"
        raise WireError("hello", f"{spoken}, but {LOWEST} to {HIGHEST} are")
    return agreed
