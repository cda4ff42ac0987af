"""Requests to a ladder's site: answers as JSON, refusals as exceptions."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import IO, Any, Final
from urllib.parse import quote, urlencode

from damrak.errors import LadderError
from damrak.ladder.address import SiteAddress
from damrak.ladder.safe_text import plain
from damrak.local import package_version

API: Final = "/api/v1/"
SECONDS: Final = 30.0
UPLOAD_SECONDS: Final = 300.0
_LARGEST: Final = 64 << 20


class SiteRefusal(LadderError):
    """The site refused a request: `status` and `code` are for programs, the rest for people."""

    def __init__(self, status: int, said: dict[str, Any]) -> None:
        self.detail, self.cure = plain(str(said["detail"])), plain(str(said.get("cure", "")))
        super().__init__(self.with_cure(self.cure))
        self.status = status
        self.code = str(said["code"])
        self.more = said

    def with_cure(self, cure: str) -> str:
        """Return the message with this cure instead of the site's, which names requests."""
        return f"{self.detail.removesuffix('.')}: {cure}" if cure else self.detail


class SiteAway(LadderError):
    """The site is temporarily unavailable."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Rejects redirects, because a token is only for the site that the user named."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        """Reject the redirect."""


@dataclass(frozen=True, slots=True)
class Site:
    """A site, and the token for it, if there is one."""

    address: SiteAddress
    token: str | None = None

    def __repr__(self) -> str:
        return f"Site({self.address.text})"

    def page(self, path: str) -> str:
        """Return the address of a page of the site."""
        return f"{self.address.text}{path}"

    def get(self, path: str, **query: Any) -> Any:
        """Send a GET request for a path below the API.

        Raises:
            SiteRefusal, SiteAway, LadderError
        """
        return self._ask("GET", path, query, None, "")

    def download(self, path: str, **query: Any) -> bytes:
        """Return the content at a path below the API, as it is sent.

        Raises:
            SiteRefusal, SiteAway, LadderError
        """
        content: bytes = self._ask("GET", path, query, None, "", UPLOAD_SECONDS, is_raw=True)
        return content

    def file(self, path: str) -> bytes:
        """Return the content of a public file of the site, which is not part of the API.

        Raises:
            SiteRefusal, SiteAway, LadderError
        """
        url = self.page(path)
        headers = {"User-Agent": f"damrak/{package_version()}"}
        content: bytes = self._sent(
            urllib.request.Request(url, headers=headers),  # noqa: S310 - http only
            UPLOAD_SECONDS,
            self._content,
        )
        return content

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Send a POST request with a JSON body; names of headers have underscores.

        Raises:
            SiteRefusal, SiteAway, LadderError
        """
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        data = json.dumps(body or {}).encode()
        return self._ask("POST", path, {}, data, "application/json", headers=more)

    def send(self, path: str, data: bytes, kind: str, **query: Any) -> Any:
        """Upload data of this content type.

        Raises:
            SiteRefusal, SiteAway, LadderError
        """
        return self._ask("POST", path, query, data, kind, UPLOAD_SECONDS)

    def delete(self, path: str) -> Any:
        """Send a DELETE request.

        Raises:
            SiteRefusal, SiteAway, LadderError
        """
        return self._ask("DELETE", path, {}, None, "")

    def _ask(
        self,
        method: str,
        path: str,
        query: dict[str, Any],
        data: bytes | None,
        kind: str,
        seconds: float = SECONDS,
        *,
        is_raw: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        asked = f"?{urlencode(query)}" if query else ""
        url = f"{self.address.text}{API}{path.removeprefix(API)}{asked}"
        sent = {"Accept": "application/json", "User-Agent": f"damrak/{package_version()}"}
        sent |= headers or {}
        if kind:
            sent["Content-Type"] = kind
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(url, data, sent, method=method)  # noqa: S310 - http only
        return self._sent(request, seconds, self._content if is_raw else self._read)

    def _sent(
        self, request: urllib.request.Request, seconds: float, read: Callable[[Any], Any]
    ) -> Any:
        try:
            with opener(self.address).open(request, timeout=seconds) as answer:
                return read(answer)
        except urllib.error.HTTPError as problem:
            with problem:
                raise self._refusal(problem) from None
        except urllib.error.URLError as problem:
            raise self._away(problem.reason) from None
        except (OSError, HTTPException) as problem:
            raise self._away(problem) from None

    def _read(self, answer: Any) -> Any:
        content = self._content(answer)
        try:
            return json.loads(content) if content else None
        except ValueError:
            raise LadderError(f"{self.address.text}: this is not the URL of a ladder") from None

    def _content(self, answer: Any) -> bytes:
        content: bytes = answer.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise LadderError(f"{self.address.text}: what answers there is no ladder")
        return content

    def _refusal(self, problem: urllib.error.HTTPError) -> LadderError:
        if problem.code in (301, 302, 303, 307, 308):
            there = plain(problem.headers.get("Location", ""))
            return LadderError(
                f"{self.address.text}: it redirects to {there!r}; use that URL instead"
            )
        try:
            return SiteRefusal(problem.code, json.loads(problem.read(1 << 20)))
        except (ValueError, KeyError, TypeError, OSError, HTTPException):
            words = f"it returned {problem.code} {plain(str(problem.reason))}"
        if problem.code >= 500:
            return self._away(words)
        return LadderError(f"{self.address.text}: {words}; check that it is a Damrak ladder")

    def _away(self, reason: object) -> LadderError:
        name = self.address.text
        if isinstance(reason, ssl.SSLCertVerificationError):
            said = f"its certificate is not valid: {reason.verify_message}"
            return LadderError(f"{name}: {said}; check the address, or ask its operators")
        if isinstance(reason, ConnectionRefusedError):
            return SiteAway(f"{name}: connection refused; check that the site is running")
        if isinstance(reason, TimeoutError):
            return SiteAway(f"{name}: no answer in time; try again later")
        said = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        said = str(said).lower()
        if isinstance(reason, socket.gaierror):
            return SiteAway(f"{name}: {said}; check the address and your network")
        return SiteAway(f"{name}: {said}; check your network, or try again later")


def part(text: str) -> str:
    """Return a name quoted as a part of a path."""
    return quote(text, safe="")


def opener(address: SiteAddress) -> urllib.request.OpenerDirector:
    """Return what opens addresses of this site, without redirects."""
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if address.is_loopback:
        handlers.append(urllib.request.ProxyHandler({}))  # a proxy would connect to itself
    return urllib.request.build_opener(*handlers)
