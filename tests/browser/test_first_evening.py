"""A fresh platform and its first visitor, who learns the game, plays it and shares the replay."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context, watch
from browser.test_play import PHONE, answer
from ladder.embedded.platforms import NEEDS_LINUX, Platform, new_home
from ports import free_port

pytestmark = [pytest.mark.soak, NEEDS_LINUX]


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    with new_home() as home, Platform(home, free_port(), "--workers", "1") as running:
        yield running.wait_until_up()


def test_a_newcomer_learns_the_game_plays_against_planner_and_shares_the_replay(
    browser: Browser, platform: Platform
) -> None:
    complaints: list[str] = []
    context = new_context(browser, viewport=PHONE, has_touch=True, locale="en-GB")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    watch(page, complaints)
    page.goto(f"http://127.0.0.1:{platform.port}/en/learn/")
    learn(page)
    page.get_by_role("button", name="Play your first game").click()
    expect(page.locator("#table[data-decision]")).to_be_visible()
    expect(page.get_by_text("Three tips for your first game")).to_be_visible()
    page.get_by_role("button", name="Leave the game").click()
    page.select_option("#second", label="planner")
    page.get_by_role("button", name="Play").click()
    answer(page, 1000)
    result = page.locator("[data-result][open]")
    expect(result.locator("li")).to_have_count(2)
    result.get_by_role("button", name="Copy a link to the game").click()
    expect(result.locator("[data-result-told]")).to_have_text("The link was copied.")
    shared = page.evaluate("navigator.clipboard.readText()")
    friend = new_context(browser, locale="en-GB").new_page()
    watch(friend, complaints)
    friend.goto(shared)
    expect(friend).to_have_title(re.compile("Guest|planner"))
    expect(friend.locator("#viewer[data-ready]")).to_be_visible()
    assert not complaints


def learn(page: Page) -> None:
    """Answer the question of each step, by touch."""
    for number in range(1, 7):
        step = page.locator(f"[data-step='{number}']")
        expect(step).to_be_visible()
        step.locator(".try--good summary").first.tap()
        expect(step.locator(".try--good[open]")).to_have_count(1)
        step.locator("[data-next]").tap()
