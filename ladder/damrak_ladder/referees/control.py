"""Control of a referee: start a block, follow it to its end, cancel it.

    with Control(parse_address("unix:/run/damrak/referee.sock")) as control:
        control.start(order)
        for news in control.follow(order.block, order.attempt):
            ...

Create it in the process that uses it: gRPC does not survive a fork.
"""

from __future__ import annotations

import grpc

from damrak_ladder.referees.addresses import Address
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_ladder.referees.refusals import trouble_of
from damrak_ladder.referees.security import OPTIONS, Security
from damrak_wire.client import ControlClient


class Control(ControlClient):
    """A client that controls a referee; a context manager. Every method raises RefereeTrouble.

    `start` also raises RefereeBusy, ArchivesMissing and OrderRefused, and `follow` raises
    RefereeForgot: the referee has lost the block, which has to be played again.
    """

    def __init__(self, address: Address, security: Security | None = None) -> None:
        self.address = address
        self.is_shaken = False
        """Whether the connection itself has failed."""
        security = Security() if security is None else security
        credentials = security.credentials_for(address)
        if credentials is None:
            channel = grpc.insecure_channel(address.text, OPTIONS)
        else:
            channel = grpc.secure_channel(address.text, credentials, OPTIONS)
        super().__init__(channel, security.metadata)

    def _refused(self, problem: grpc.RpcError) -> RefereeTrouble:
        trouble = trouble_of(problem, self.address)
        self.is_shaken |= self._may_pass(trouble)
        return trouble

    def _broken(self, problem: str) -> RefereeTrouble:
        self.is_shaken = True
        return RefereeTrouble(self.address.text, problem)

    def _may_pass(self, trouble: Exception) -> bool:
        # Only connection errors can be cured by a new connection.
        return type(trouble) is RefereeTrouble and not trouble.is_lasting
