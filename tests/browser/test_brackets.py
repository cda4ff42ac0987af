"""Brackets of 64 entrants on a screen, on paper and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.brackets import FORMATS, brackets_in
from browser.sites import Site, running_site

BETWEEN = 18  # between the columns of the drawing
BEYOND = """(between) => [...document.querySelectorAll("svg.knockout g")].flatMap((column) => {
  const boxes = [...column.querySelectorAll("rect")];
  const edge = Math.max(...boxes.map((box) => box.getBoundingClientRect().right));
  return [...column.querySelectorAll("text")].filter((text) => {
    const more = text.classList.contains("knockout__round") ? between : 1;
    return text.getBoundingClientRect().right > edge + more;
  }).map((text) => text.textContent);
})"""
"""The texts that are wider than their box or, for the names of rounds, their column."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a site with knockouts of 64 bots."""
    home = tmp_path_factory.mktemp("brackets")
    brackets_in(home)
    with running_site(home) as made:
        yield made


@pytest.mark.parametrize("format_", FORMATS)
def test_bracket_of_64_is_readable_on_a_screen_and_fits_on_a_sheet(
    site: Site, page: Page, shots: Path, format_: str
) -> None:
    page.goto(f"{site.url}/en/tournaments/{format_.partition('-')[0]}/bracket/0/")
    drawing = page.locator("svg.knockout")
    expect(drawing).to_be_visible()
    expect(page.locator(".knockout-list")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    box = drawing.bounding_box()
    assert box is not None
    assert 12.5 * box["width"] / 1180 >= 12  # the size of letters in pixels
    assert drawing.locator("a").count() >= 64
    assert page.evaluate(BEYOND, BETWEEN) == []
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True))
    assert len(pages) == 1
    page.screenshot(path=shots / f"bracket-{format_}.png", full_page=True)
    for language in ("fi", "nl", "pl"):  # with the longest names of rounds
        page.goto(page.url.replace("/en/", f"/{language}/"))
        assert page.evaluate(BEYOND, BETWEEN) == []
        page.go_back()


@pytest.mark.parametrize("format_", FORMATS)
def test_bracket_of_64_is_a_list_on_a_phone(site: Site, page: Page, format_: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{site.url}/en/tournaments/{format_.partition('-')[0]}/bracket/0/")
    expect(page.locator("svg.knockout")).to_be_hidden()
    expect(page.locator(".knockout-list")).to_be_visible()
    assert page.locator(".knockout-list li").count() >= 63
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
