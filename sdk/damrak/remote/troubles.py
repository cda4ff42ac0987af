"""Connection errors as one-line messages with a remedy."""

from __future__ import annotations

from typing import Final

import grpc

from damrak.errors import RefereeError, RefusalError
from damrak.remote.address import Address

# For part of gRPC's message if there is no connection: our message, and whether it is permanent.
NO_CONNECTION: Final = (
    ("Domain name not found", "there is no host of this name; check how it is written", True),
    ("errors resolving", "the name of the host could not be looked up just now", False),
    ("certificate has expired", "its certificate has expired: tell whoever runs it", True),
    (
        "CERTIFICATE_VERIFY_FAILED",
        "its certificate is not from an authority known here; "
        "if it has one of its own, name that with --tls-ca FILE",
        True,
    ),
    (
        "Hostname Verification Check failed",
        "its certificate was made for another name; write that name after --to",
        True,
    ),
    (
        "Failed to create security handshaker",
        "the file given with --tls-ca holds no certificate in PEM",
        True,
    ),
    (
        "WRONG_VERSION_NUMBER",
        "it does not speak TLS; add --insecure if you trust the network in between",
        True,
    ),
    (
        "Expected SETTINGS frame",
        "what listens there is no referee (it does not speak gRPC); check the port",
        True,
    ),
    (
        "Connection refused",
        "nobody listens there; is the referee running, is the port right?",
        False,
    ),
    ("No such file", "there is no such socket; is the referee running?", False),
    ("Permission denied", "this user may not use the socket", True),
    ("timed out", "it does not answer; check the port and what lies in between", False),
    (
        "Handshake read failed",
        "it hung up during the TLS handshake; add --insecure if it has no TLS",
        False,
    ),
)
HUNG_UP: Final = ("Socket closed", "reset by peer")
NO_TLS: Final = "it hung up at once; if it speaks TLS, leave out --insecure"
NO_CERTIFICATE: Final = "it hung up at once; if it wants a certificate, show it with --tls-cert"

# For status codes of a referee: our message if it has none, and whether it is permanent.
REFUSALS: Final = {
    grpc.StatusCode.UNIMPLEMENTED: ("what listens there is no referee of this kind", True),
    grpc.StatusCode.FAILED_PRECONDITION: ("this program and the referee do not match", True),
    grpc.StatusCode.PERMISSION_DENIED: ("the referee does not allow this", True),
    grpc.StatusCode.ABORTED: ("another connection has taken this place", True),
    grpc.StatusCode.ALREADY_EXISTS: ("another connection holds this place", True),
    grpc.StatusCode.NOT_FOUND: ("the referee knows nothing of this", True),
    grpc.StatusCode.INVALID_ARGUMENT: ("the referee does not understand what was said", True),
    grpc.StatusCode.RESOURCE_EXHAUSTED: ("the referee has too much to do", False),
}
NEVER: Final = (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.PERMISSION_DENIED)
NO_WORD: Final = ("", "Cancelling all calls", "Socket closed", "Connection reset")  # gRPC's own
FAILED_TO_CONNECT: Final = ("failed to connect", "errors resolving")


def trouble_of(
    problem: grpc.RpcError, address: Address, key: str = "ticket", is_encrypted: bool = False
) -> RefereeError:
    """Return the exception for a gRPC error; `key` is the kind of credential used in the call."""
    code: grpc.StatusCode = problem.code()
    details = " ".join((problem.details() or "").split())
    if code is grpc.StatusCode.UNAVAILABLE and details.startswith(FAILED_TO_CONNECT):
        for part, words, is_lasting in NO_CONNECTION:
            if part in details:
                return RefereeError(f"{address.text}: {words}", is_lasting)
        if any(part in details for part in HUNG_UP):
            words = NO_CERTIFICATE if is_encrypted else NO_TLS
            return RefereeError(f"{address.text}: {words}", is_lasting=False)
        return RefereeError(f"{address.text}: no connection ({details})", is_lasting=False)
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return RefusalError(f"{address.text}: {_unknown(key, details)}")
    words, is_lasting = REFUSALS.get(code, ("the connection was lost", False))
    is_word = code is not grpc.StatusCode.UNIMPLEMENTED and details not in NO_WORD
    said = details if is_word else words
    if code is grpc.StatusCode.FAILED_PRECONDITION and "version" in details:
        said += "; the older of the two needs `pip install --upgrade damrak`"
    if code in NEVER:
        return RefusalError(f"{address.text}: {said}")
    return RefereeError(f"{address.text}: {said}", is_lasting)


def _unknown(key: str, details: str) -> str:
    if key == "token" and "expired" in details:
        return "the token has expired; get a new one where you got it"
    if key == "token":
        return "the referee does not know this token; copy it again, or get a new one"
    return f"the {key} is not good (any more)"
