"""Addresses that are built as strings match those of Django."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.urls import get_script_prefix, reverse, set_script_prefix
from django.utils.translation import override

from damrak_ladder import web
from damrak_ladder.web.site.links import address

PAGES = [
    ("web:bot", ["canal-rat"]),
    ("web:version", ["canal-rat", 12]),
    ("web:match", [700_000_000_000_000]),
    ("web:person", ["ada@home+1 äö"]),
    ("web:compare", []),
]


@pytest.mark.parametrize("language", ["en", "da", "pl"])
@pytest.mark.parametrize(("name", "values"), PAGES)
def test_an_address_equals_that_of_reverse(
    language: str, name: str, values: list[str | int]
) -> None:
    with override(language):
        assert address(name, *values) == reverse(name, args=values)
        before = get_script_prefix()
        set_script_prefix("/site/")
        try:
            assert address(name, *values) == reverse(name, args=values)
        finally:
            set_script_prefix(before)


def test_links_to_matches_name_a_moment_so_that_nobody_sees_a_result_first() -> None:
    templates = [path.read_text() for path in Path(web.__path__[0]).rglob("*.html")]
    links = re.findall(r"address 'web:match' [\w.]+ %\}(.)", "".join(templates))
    assert len(links) > 10
    assert set(links) <= {"?", "#"}
