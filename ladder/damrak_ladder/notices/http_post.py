"""Posting of signed bodies to users' webhooks; the answers are untrusted."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Final

from django.utils.translation import gettext as _

from damrak_ladder.notices.addresses import Address, Resolve, Target, destination_of, resolve
from damrak_ladder.notices.errors import BadWebhook

PATIENCE: Final = 5.0
"""The time-out in seconds for connecting, sending and receiving together."""

LARGEST_ANSWER: Final = 16_384
"""The number of bytes of the answer that are read; only its first line matters."""

_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: [^\r\n]*)?\r?\n")


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a post."""

    is_good: bool
    trouble: str = ""  # one line; empty if it is good
    status: int | None = None  # of the response, if there was one


@dataclass(frozen=True, slots=True)
class Postman:
    """The HTTP client of webhooks. Tests pass another resolver, and their own certificates."""

    allow_loopback: bool
    resolve: Resolve = resolve
    tls: ssl.SSLContext | None = None  # None: the system's authorities
    patience: float = PATIENCE

    def check(self, url: str) -> tuple[Target, list[Address]]:
        """Return the destination of a post to this URL.

        Raises:
            BadWebhook: this destination is not allowed.
        """
        return destination_of(url, self.allow_loopback, self.resolve)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Post the body once; only a 2xx answer is a success. Redirects are not followed."""
        deadline = monotonic() + self.patience
        try:
            target, places = self.check(url)
            status = self._exchange(target, places[0], _request(target, body, headers), deadline)
        except BadWebhook as problem:
            return Answer(False, str(problem))
        except TimeoutError:
            return Answer(False, _("The request timed out."))
        except ssl.SSLCertVerificationError as problem:
            return _trouble(_("The certificate is not valid: {why}"), why=problem.verify_message)
        except OSError as problem:
            return _trouble(
                _("Connection failed: {why}"), why=problem.strerror or type(problem).__name__
            )
        if status is None:
            return Answer(False, _("The response was not HTTP."))
        if 300 <= status < 400:
            return _trouble(
                _("The response was {status}. Redirects are not followed."), status=status
            )
        if not 200 <= status < 300:
            return Answer(False, _("The response was {status}.").format(status=status), status)
        return Answer(True, status=status)

    def _exchange(
        self, target: Target, place: Address, request: bytes, deadline: float
    ) -> int | None:
        with socket.create_connection((str(place), target.port), _left(deadline)) as plain:
            if not target.is_encrypted:
                return _converse(plain, request, deadline)
            # The certificate is checked against the name, not the address.
            context = self.tls or ssl.create_default_context()
            plain.settimeout(_left(deadline))
            with context.wrap_socket(plain, server_hostname=target.host) as encrypted:
                return _converse(encrypted, request, deadline)


def _trouble(sentence: str, **parts: object) -> Answer:
    return Answer(False, sentence.format(**parts)[:300])


def _request(target: Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"POST {target.path} HTTP/1.1",
        f"Host: {target.authority}",
        "User-Agent: Damrak",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body


def _converse(connection: socket.socket, request: bytes, deadline: float) -> int | None:
    connection.settimeout(_left(deadline))
    connection.sendall(request)
    answer = b""
    while len(answer) < LARGEST_ANSWER:
        # The time-out is for the whole answer, so that one sent byte by byte gets no more time.
        connection.settimeout(_left(deadline))
        piece = connection.recv(LARGEST_ANSWER - len(answer))
        answer += piece
        if not piece or b"\n" in answer:
            break
    found = _STATUS.match(answer)
    return int(found[1]) if found else None


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left
