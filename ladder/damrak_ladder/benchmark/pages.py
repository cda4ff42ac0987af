"""The server's cost of each kind of page."""

from __future__ import annotations

import gzip
import http.client
import math
import os
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.benchmark.large_tournament import large_tournament
from damrak_ladder.benchmark.places import Kind, kinds
from damrak_ladder.benchmark.site_process import running_site
from damrak_ladder.matches.models import Match
from damrak_ladder.population.population import MARK

BUDGET_MS: Final = 50.0
_TIMING: Final = re.compile(
    r"app;dur=([\d.]+), db;dur=([\d.]+), cpu;dur=([\d.]+), queries;desc=(\d+)"
)
_ASSET: Final = re.compile(r'(?:href|src)="(/static/[^"]+|/boards\.css[^"]*)"')
_IMPORT: Final = re.compile(rb'(?:from|import)\s*\(?\s*"(\.{1,2}/[^"]+)"')

Tell = Callable[[str], None]


@dataclass(slots=True)
class Sample:
    """The figures of one response, from its `Server-Timing` header."""

    app_ms: float
    db_ms: float
    cpu_ms: float
    queries: int
    bytes: int
    status: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one kind of page.

    Times are measured by the server, from request to response.
    """

    kind: str
    requests: int
    p50_ms: float
    p95_ms: float
    most_ms: float
    cpu_ms: float
    db_ms: float
    queries: list[int] = field(default_factory=list)
    bytes: int = 0  # as transferred, the maximum
    failures: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON output."""
        return asdict(self) | {"is_within": self.is_within}

    def as_row(self) -> dict[str, Any]:
        """Return the figures as a row of a printed table."""
        return {
            "page": self.kind,
            "requests": self.requests,
            "p50 ms": self.p50_ms,
            "p95 ms": self.p95_ms,
            "within": self.is_within,
            "cpu ms": self.cpu_ms,
            "db ms": self.db_ms,
            "queries": "-".join(map(str, sorted({self.queries[0], self.queries[-1]}))),
            "bytes": self.bytes,
            "failed": self.failures or "",
        }

    @property
    def is_within(self) -> bool:
        """Return whether the page keeps to the time budget and no request failed."""
        return self.p95_ms <= BUDGET_MS and not self.failures


def measure(rounds: int, only: str, tell: Tell) -> list[Measured]:
    """Return the figures of all kinds of pages whose name contains `only`.

    Each address is requested about once per round. The first round only warms up caches that are
    warm on any running site; it is not counted.
    """
    me = User.objects.get(username=MARK)
    tell("playing a tournament of 200 bots")
    large_tournament()
    every = [kind for kind in kinds(me, timezone.now().date()) if only in kind.name]
    samples: dict[str, list[Sample]] = {kind.name: [] for kind in every}
    with running_site("damrak_ladder.benchmark.observed:application") as port:
        browser = Browser(port, _session_of(me), _token_of(me))
        for number in range(rounds + 1):
            tell(f"round {number} of {rounds}" if number else "warming up")
            for place in range(max(len(kind.addresses) for kind in every)):
                for kind in every:
                    few = kind.addresses
                    if place < len(few) or (len(few) < 5 and place < 10):
                        sample = browser.get(kind, few[place % len(few)])
                        if number:
                            samples[kind.name].append(sample)
    return [_summed(name, found) for name, found in samples.items()]


def transferred() -> dict[str, int]:
    """Return the compressed sizes of all files of a match page, by address, for an empty cache."""
    match = Match.objects.exclude(replay="").order_by("-pk")[0].pk
    with running_site("damrak_ladder.benchmark.observed:application") as port:
        browser = Browser(port, "", "")
        sizes: dict[str, int] = {}
        todo = [f"/en/matches/{match}/", f"/matches/{match}/moments/all.json"]
        while todo:
            address = todo.pop()
            if address in sizes:
                continue
            body, size, kind = browser.read(address)
            sizes[address] = size
            if kind.startswith("text/html"):
                todo += _ASSET.findall(body.decode())
            elif "javascript" in kind:
                base = address.rpartition("/")[0]
                todo += [
                    os.path.normpath(f"{base}/{found.decode()}") for found in _IMPORT.findall(body)
                ]
        return sizes


class Browser:
    """An HTTP client that keeps its connection open and accepts gzip."""

    def __init__(self, port: int, session: str, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._session, self._token = session, token

    def get(self, kind: Kind, address: str) -> Sample:
        """Request an address and return the figures of the response."""
        headers = {"Accept-Encoding": "gzip", "Host": "127.0.0.1"}
        if kind.is_private and address.startswith("/api/"):
            headers["Authorization"] = f"Bearer {self._token}"
        elif kind.is_private:
            headers["Cookie"] = f"{settings.SESSION_COOKIE_NAME}={self._session}"
        self._connection.request("GET", address, headers=headers)
        answer = self._connection.getresponse()
        body = answer.read()
        found = _TIMING.search(answer.headers.get("Server-Timing", ""))
        app, db, cpu, queries = found.groups() if found else (0, 0, 0, 0)
        return Sample(float(app), float(db), float(cpu), int(queries), len(body), answer.status)

    def read(self, address: str) -> tuple[bytes, int, str]:
        """Return the contents, the transferred size including headers, and the content type."""
        self._connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
        answer = self._connection.getresponse()
        body = answer.read()
        size = len(body) + len(str(answer.headers))
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return body, size, answer.headers.get("Content-Type", "")


def _summed(name: str, found: Sequence[Sample]) -> Measured:
    times = sorted(sample.app_ms for sample in found)
    return Measured(
        kind=name,
        requests=len(found),
        p50_ms=round(statistics.median(times), 1),
        p95_ms=round(times[math.ceil(len(times) * 0.95) - 1], 1),
        most_ms=round(times[-1], 1),
        cpu_ms=round(statistics.median(sample.cpu_ms for sample in found), 1),
        db_ms=round(statistics.median(sample.db_ms for sample in found), 1),
        queries=sorted({sample.queries for sample in found}),
        bytes=max(sample.bytes for sample in found),
        failures=sum(sample.status != 200 for sample in found),
    )


def _session_of(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def _token_of(user: User) -> str:
    now = timezone.now()
    user.api_tokens.filter(revoked=None).update(revoked=now)
    return issue(user, "bench", [Scope.READ], now, timedelta(hours=1))[1]
