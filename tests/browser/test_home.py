"""The front page at first sight: the game in two sentences, and the board of a running game."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from browser.conftest import new_context
from browser.playing import played_in
from browser.sites import running_site

LAPTOP = {"width": 1366, "height": 768}


def test_sentences_doors_and_board_are_above_the_fold_of_a_laptop(
    browser: Browser, tmp_path: Path, shots: Path
) -> None:
    context = new_context(browser, viewport=LAPTOP, locale="en-GB")
    page = context.new_page()
    with played_in(tmp_path) as game, running_site(tmp_path) as site:
        game.begin()
        game.go_on(8)
        page.goto(f"{site.url}/en/")
        expect(page.locator("#live-table [data-pause]")).to_be_visible()
        page.screenshot(path=shots / "home-laptop.png")
        for part in (".doors__game", ".doors ul", "#live-table svg.damrak"):
            box = page.locator(part).bounding_box()
            assert box is not None
            assert 0 <= box["y"] < box["y"] + box["height"] <= LAPTOP["height"], (part, box)
    context.close()
