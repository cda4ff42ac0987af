"""Mapping of gRPC errors to the exceptions of referees."""

from __future__ import annotations

from typing import Final

import grpc

from damrak_ladder.referees.addresses import Address
from damrak_ladder.referees.errors import (
    ArchivesMissing,
    OrderRefused,
    RefereeBusy,
    RefereeForgot,
    RefereeTrouble,
)

# Messages of gRPC itself for a connection that failed or was lost.
_NO_CONNECTION: Final = (
    "failed to connect",
    "errors resolving",
    "Socket closed",
    "Connection reset",
    "GOAWAY",
    "ping timeout",
    "keepalive",
    "Broken pipe",
    "recvmsg",
    "Cancelling all calls",
)
# Permanent errors, from either side.
_WRONG: Final = (
    "CERTIFICATE_VERIFY_FAILED",
    "Hostname Verification Check failed",
    "certificate has expired",
    "WRONG_VERSION_NUMBER",
    "Expected SETTINGS frame",
    "Permission denied",
)
_NEVER: Final = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)


def trouble_of(problem: grpc.RpcError, address: Address) -> RefereeTrouble:
    """Return the exception for a gRPC error."""
    code = problem.code()
    details = " ".join((problem.details() or "").split()) or code.name.lower()
    match code:
        case grpc.StatusCode.UNAVAILABLE if _is_said_by_referee(details):
            return RefereeBusy(address.text, details)
        case grpc.StatusCode.NOT_FOUND:
            return RefereeForgot(address.text, details)
        case grpc.StatusCode.FAILED_PRECONDITION:
            return ArchivesMissing(address.text, details)
        case grpc.StatusCode.INVALID_ARGUMENT | grpc.StatusCode.ALREADY_EXISTS:
            return OrderRefused(address.text, details, is_lasting=True)
        case grpc.StatusCode.UNAUTHENTICATED:
            return RefereeTrouble(
                address.text, "the key is not that of the referee", is_lasting=True
            )
    is_lasting = code in _NEVER or any(word in details for word in _WRONG)
    return RefereeTrouble(address.text, details, is_lasting=is_lasting)


def _is_said_by_referee(details: str) -> bool:
    return not any(words in details for words in _NO_CONNECTION)
