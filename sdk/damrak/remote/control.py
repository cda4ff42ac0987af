"""Client that controls a referee: start a block of games, follow it to its end, cancel it.

with Control(parse_address("unix:/run/damrak/referee.sock")) as control:
    control.start(order)
    for news in control.follow(order.block, order.attempt):
        ...
"""

from __future__ import annotations

from typing import Final

import grpc

from damrak.errors import RefereeError
from damrak.remote.address import Address
from damrak.remote.channels import Security, open_channel
from damrak.remote.troubles import trouble_of
from damrak_wire.client import ControlClient

UNLIMITED: Final = (("grpc.max_receive_message_length", -1),)  # replays may be long


class Control(ControlClient):
    """The control client of a referee; a context manager. Every method raises RefereeError."""

    retries = 50

    def __init__(self, address: Address, security: Security | None = None, key: str = "") -> None:
        self._address = address
        security = Security(is_encrypted=False) if security is None else security
        metadata = (("authorization", f"Bearer {key}"),) if key else ()
        super().__init__(open_channel(address, security, UNLIMITED), metadata)

    def _refused(self, problem: grpc.RpcError) -> RefereeError:
        return trouble_of(problem, self._address, key="key")

    def _broken(self, problem: str) -> RefereeError:
        return RefereeError(f"{self._address.text}: {problem}", is_lasting=False)

    def _may_pass(self, trouble: Exception) -> bool:
        return isinstance(trouble, RefereeError) and not trouble.is_lasting
