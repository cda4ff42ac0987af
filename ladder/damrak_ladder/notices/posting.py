"""Post a signed body to somebody's webhook, and believe nothing that comes back."""

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
"""Seconds that connecting, sending and hearing an answer may take together."""

LARGEST_ANSWER: Final = 16_384
"""Bytes of the answer that are read; only its first line matters."""

_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: [^\r\n]*)?\r?\n")


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a post."""

    is_good: bool
    trouble: str = ""  # one line; empty if it is good


@dataclass(frozen=True, slots=True)
class Postman:
    """The way out. Tests give another resolver, and certificates of their own."""

    allow_loopback: bool
    resolve: Resolve = resolve
    tls: ssl.SSLContext | None = None  # None: the usual authorities
    patience: float = PATIENCE

    def check(self, url: str) -> tuple[Target, list[Address]]:
        """Where a post to this URL goes.

        Raises:
            BadWebhook: nothing is posted there.
        """
        return destination_of(url, self.allow_loopback, self.resolve)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Post the body once; it has arrived if the answer is a 2xx. Redirects are not followed."""
        deadline = monotonic() + self.patience
        try:
            target, places = self.check(url)
            status = self._exchange(target, places[0], _request(target, body, headers), deadline)
        except BadWebhook as problem:
            return Answer(False, str(problem))
        except TimeoutError:
            return Answer(False, _("There was no answer in time."))
        except ssl.SSLCertVerificationError as problem:
            return _trouble(_("The certificate is no good: {why}"), why=problem.verify_message)
        except OSError as problem:
            return _trouble(
                _("No connection: {why}"), why=problem.strerror or type(problem).__name__
            )
        if status is None:
            return Answer(False, _("The answer was not HTTP."))
        if 300 <= status < 400:
            return _trouble(
                _("The answer was {status}, and redirects are not followed."), status=status
            )
        if not 200 <= status < 300:
            return _trouble(_("The answer was {status}."), status=status)
        return Answer(True)

    def _exchange(
        self, target: Target, place: Address, request: bytes, deadline: float
    ) -> int | None:
        with socket.create_connection((str(place), target.port), _left(deadline)) as plain:
            if not target.is_encrypted:
                return _converse(plain, request, deadline)
            # The name is what the certificate must be for, whatever the address is.
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
        # The whole time counts: an answer that drips byte by byte gets no more of it.
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
