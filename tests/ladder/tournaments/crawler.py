"""A crawler that asks for every address of the site's URL tables, and keeps the whole answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, get_resolver

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.accounts.tokens import issue
from ladder.people import NOW
from ladder.visitors import visitor

Values = Mapping[str, Sequence[object]]
"""The values of each parameter of an address, named by the folder before it and its name."""

PARAMETER: Final = re.compile(r"(?:(?P<folder>[\w-]+)/)?<(?:\w+:)?(?P<name>\w+)>")
SCOPES: Final = (Scope.READ, Scope.SUBMIT, Scope.PLAY, Scope.SETTINGS)

ASKED: Final = {
    "api/v1/search": ("q=cup", "q={match}", "q={block}"),
    "api/v1/matches": ("", "bot=cup-1", "state=waiting", "state=running", "tournament=cup"),
    "api/v1/blocks": ("", "bot=cup-1", "fault=any", "state=waiting", "state=running"),
    "api/v1/tournaments/<slug:slug>/standings": ("", "format=csv"),
    "api/v1/tournaments/<slug:slug>/rounds/<int:number>": ("", "stage=1"),
    "en/search/": ("q=cup", "q={match}", "q={block}"),
    "en/compare/": ("a=cup-1&b=cup-2",),
    "en/bots/<slug:slug>/": ("", "results=tournament", "seats=2"),
    "oembed/": ("url=http://127.0.0.1/en/matches/{match}/",),
}
"""The queries of addresses that need or take some."""

STREAMS: Final = ("/api/v1/stream", "/api/v1/tournaments/cup/feed")
TOKEN: Final = re.compile(rb'"token":"[\w-]+",')
"""A position in a stream, encrypted with a random number."""

LEFT_OUT: Final = frozenset(
    {
        "api/v1/openapi.json",  # long, and made from the code alone
        "language/",
        "documents/<path:name>",
        "en/docs/<path:name>/",
        "notices/stop/<str:token>/",
        "en/theme/",
        "data/<slug:table>/<str:name>",  # files that were written before
        "en/desk/tokens/",  # shows the beginning of the token, which is random
    }
)
"""Addresses that read no table of games."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its headers; cookies are left out."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def about(self, old: str, new: str) -> Answer:
        """Return the answer with one key in place of another, as a whole word or number."""
        part = r"\d" if old.isdecimal() else r"[\w-]"  # "q%3D123" has the number 123

        def swapped(text: str) -> str:
            return re.sub(rf"(?<!{part}){re.escape(old)}(?!{part})", new, text)

        headers = tuple((name, swapped(value)) for name, value in self.headers)
        return Answer(self.status, headers, swapped(self.body.decode("latin-1")).encode("latin-1"))


def routes() -> list[str]:
    """Return all routes of the site, API and files included, except those of allauth."""
    found = dict.fromkeys(_routes(get_resolver().url_patterns))
    return [one for one in found if "accounts/" not in one and "(?P<" not in one]


def addresses(values: Values) -> list[str]:
    """Return every address, with all combinations of the values of its parameters.

    Raises:
        KeyError: a route has a parameter without values.
    """
    found = []
    for route in routes():
        if route not in LEFT_OUT:
            for path in _filled(route, values):
                found += [f"/{path}{query}" for query in _queries(route, values)]
    return found


class Crawler:
    """A visitor with a browser and, if signed in, an API token."""

    def __init__(self, user: User | None) -> None:
        self._browser = visitor(user)
        self._program = Client(HTTP_HOST="127.0.0.1")
        if user is not None:
            _, secret = issue(user, "crawler", SCOPES, NOW)
            self._program.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"

    def get(self, address: str) -> Answer:
        """Return the answer to this visitor."""
        cache.clear()  # rate limits
        client = self._program if address.startswith("/api/") else self._browser
        found = client.get(address)
        assert found.status_code != 429, address
        if found.streaming:
            body = b"" if found.is_async else b"".join(found.streaming_content)
        else:
            body = found.content
        if address.startswith(STREAMS):
            body = TOKEN.sub(b"", body)
        headers = tuple(sorted((name, value) for name, value in found.items()))
        return Answer(found.status_code, headers, body)


def _routes(patterns: Any, before: str = "") -> Iterator[str]:
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield route
        else:
            yield from _routes(one.url_patterns, route)


def _filled(route: str, values: Values) -> Iterator[str]:
    """Yield the route with every combination of values; a folder may be a parameter itself."""
    found = list(PARAMETER.finditer(route))
    choices = [values[f"{one['folder'] or ''}/{one['name']}"] for one in found]
    for chosen in product(*choices):
        path, end = "", 0
        for one, value in zip(found, chosen, strict=True):
            begin = one.end("folder") + 1 if one["folder"] else one.start()
            path, end = f"{path}{route[end:begin]}{value}", one.end()
        yield path + route[end:]


def _queries(route: str, values: Values) -> list[str]:
    found = []
    for query in ASKED.get(route, ("",)):
        if "{" not in query:
            found.append(query and f"?{query}")
        else:
            found += [
                f"?{query.format(match=match, block=block)}"
                for match, block in zip(values["matches/pk"], values["blocks/pk"], strict=False)
            ]
    return found
