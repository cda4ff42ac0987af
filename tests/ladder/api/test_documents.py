"""The documentation of the API names every operation and every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.urls import URLResolver, get_resolver

from damrak_ladder.api.description.refusals import CODES
from ladder.api.declared import description

PAGE: Final = (Path(__file__).parents[3] / "docs" / "api.md").read_text()
_PLACES: Final = {
    "slug": "SLUG",
    "name": "NAME",
    "ladder": "LADDER",
    "seat": "N",
    "number": "N",
    "bot": "BOT",
    "subject": "SUBJECT",
    "code": "CODE",
}


def pages(resolver: URLResolver | None = None, space: str = "") -> Iterator[str]:
    """The names of all pages and forms."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "api":
                yield from pages(pattern, f"{pattern.namespace}:" if pattern.namespace else space)
        else:
            yield f"{space}{pattern.name}"


def operations() -> set[str]:
    """All operations, as the documentation names them."""
    found = set()
    for path, methods in description()["paths"].items():
        short = path.removeprefix("/api/v1")
        named = re.sub(r"\{(\w+)\}", lambda match: _PLACES.get(match[1], "ID"), short)
        found |= {f"{method.upper()} {named}" for method in methods}
    return found


def test_every_page_is_listed_with_its_request() -> None:
    listed = set(re.findall(r"`([\w:*-]+)`", PAGE[PAGE.index("## Pages and forms") :]))
    groups = tuple(name.removesuffix("*") for name in listed if name.endswith("*"))
    missing = {name for name in pages() if name not in listed and not name.startswith(groups)}
    assert not missing
    assert {name for name in listed if ":" in name} <= set(pages())


def test_every_request_of_that_list_exists() -> None:
    listed = re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`?]*)[^`]*`", PAGE)
    assert len(listed) > 60
    assert {f"{method} {path}" for method, path in listed} <= operations()


def test_every_code_of_a_problem_is_listed() -> None:
    table = PAGE[PAGE.index("## Errors") : PAGE.index("## Pagination")]
    listed = set(re.findall(r"`([a-z-]+)`", table))
    assert set(CODES) <= listed


def test_every_path_is_documented() -> None:
    for operation in operations():
        path = operation.partition(" ")[2]
        last = "/" + path.rpartition("/")[2]
        assert path in PAGE or last in PAGE, operation
