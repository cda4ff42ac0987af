"""Addresses that are built as strings match those of Django."""

from __future__ import annotations

import pytest
from django.urls import get_script_prefix, reverse, set_script_prefix
from django.utils.translation import override

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
