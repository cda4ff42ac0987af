"""The front page at first sight: the game in two sentences, and the board of a running game."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context
from browser.sites import running_site
from browser.stepped_game import played_in

DESKTOPS = ((1024, 768), (1366, 768), (1440, 800), (1920, 1080))
PHONE = {"width": 360, "height": 740}
BOARD = "#live-table svg.damrak"


def test_sentences_and_doors_are_beside_the_board_above_the_fold(
    browser: Browser, tmp_path: Path, shots: Path
) -> None:
    context = new_context(browser, locale="en-GB")
    page = context.new_page()
    with played_in(tmp_path) as game, running_site(tmp_path) as site:
        game.begin()
        game.go_on(8)
        page.goto(f"{site.url}/en/")
        expect(page.locator("#live-table [data-pause]")).to_be_visible()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width, height in DESKTOPS:
                page.set_viewport_size({"width": width, "height": height})
                page.screenshot(path=shots / f"home-{width}-{scheme}.png")
                board = box_of(page, BOARD)
                assert 0 <= board.top < board.bottom <= height
                assert board.right - board.left >= width * 0.45 or width > 1440
                for part in (".doors__game", ".doors ul", "#now", ".live-table ol"):
                    box = box_of(page, part)
                    assert board.right < box.left < box.right <= width, (width, part, box)
                    assert 0 <= box.top < box.bottom <= height, (width, part, box)
                said, told = box_of(page, ".doors ul"), box_of(page, ".live-table__told")
                assert said.bottom <= told.top
        page.set_viewport_size(PHONE)
        page.screenshot(path=shots / "home-phone.png")
        assert box_of(page, ".doors ul").bottom <= box_of(page, BOARD).top
    context.close()


class Box(NamedTuple):
    """The place of an element in the window, in CSS pixels."""

    left: float
    top: float
    right: float
    bottom: float


def box_of(page: Page, part: str) -> Box:
    """Return the place of the only element with this selector."""
    box = page.locator(part).bounding_box()
    assert box is not None
    return Box(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])
