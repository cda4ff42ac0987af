"""Requests to a ladder's site: answers as JSON, refusals as exceptions."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import IO, Any, Final
from urllib.parse import quote, urlencode

from damrak.errors import LadderError
from damrak.ladder.address import SiteAddress
from damrak.ladder.words import plain
from damrak.local import package_version

API: Final = "/api/v1/"
SECONDS: Final = 30.0
UPLOAD_SECONDS: Final = 300.0
_LARGEST: Final = 64 << 20


class SiteRefusal(LadderError):
    """The site refused a request: `status` and `code` are for programs, the rest for people."""

    def __init__(self, status: int, said: dict[str, Any]) -> None:
        detail, cure = plain(str(said["detail"])), plain(str(said.get("cure", "")))
        super().__init__(f"{detail}: {cure}" if cure else detail)
        self.status = status
        self.code = str(said["code"])
        self.more = said


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

    def post(self, path: str, body: Any = None) -> Any:
        """Send a POST request with a JSON body.

        Raises:
            SiteRefusal, SiteAway, LadderError
        """
        return self._ask("POST", path, {}, json.dumps(body or {}).encode(), "application/json")

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
    ) -> Any:
        asked = f"?{urlencode(query)}" if query else ""
        url = f"{self.address.text}{API}{path.removeprefix(API)}{asked}"
        headers = {"Accept": "application/json", "User-Agent": f"damrak/{package_version()}"}
        if kind:
            headers["Content-Type"] = kind
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - http only
        try:
            with _opener(self.address).open(request, timeout=seconds) as answer:
                return self._read(answer)
        except urllib.error.HTTPError as problem:
            with problem:
                raise self._refusal(problem) from None
        except urllib.error.URLError as problem:
            raise self._away(problem.reason) from None
        except (OSError, HTTPException) as problem:
            raise self._away(problem) from None

    def _read(self, answer: Any) -> Any:
        content = answer.read(_LARGEST + 1)
        if not content:
            return None
        try:
            if len(content) > _LARGEST:
                raise ValueError
            return json.loads(content)
        except ValueError:
            raise LadderError(f"{self.address.text}: what answers there is no ladder") from None

    def _refusal(self, problem: urllib.error.HTTPError) -> LadderError:
        if problem.code in (301, 302, 303, 307, 308):
            there = plain(problem.headers.get("Location", ""))
            return LadderError(
                f"{self.address.text}: it points elsewhere, to {there!r}; name that address instead"
            )
        try:
            return SiteRefusal(problem.code, json.loads(problem.read(1 << 20)))
        except (ValueError, KeyError, TypeError, OSError, HTTPException):
            words = f"it answers {problem.code} {plain(str(problem.reason))}"
        if problem.code >= 500:
            return self._away(words)
        return LadderError(f"{self.address.text}: {words}: is that a Damrak ladder?")

    def _away(self, reason: object) -> LadderError:
        name = self.address.text
        if isinstance(reason, ssl.SSLCertVerificationError):
            return LadderError(f"{name}: its certificate is not good: {reason.verify_message}")
        if isinstance(reason, ConnectionRefusedError):
            return SiteAway(f"{name}: nobody listens there; is the site running?")
        if isinstance(reason, TimeoutError):
            return SiteAway(f"{name}: no answer in time")
        said = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        return SiteAway(f"{name}: {str(said).lower()}")


def part(text: str) -> str:
    """Return a name quoted as a part of a path."""
    return quote(text, safe="")


def _opener(address: SiteAddress) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if address.is_loopback:
        handlers.append(urllib.request.ProxyHandler({}))  # a proxy would connect to itself
    return urllib.request.build_opener(*handlers)
