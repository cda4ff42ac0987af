"""A running match in a real browser: from a referee, through a site that goes and comes back."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from ports import free_port
from web.playing import played_in
from web.sites import running_site

PATIENCE_MS = 90_000
LOST = "The connection is lost; trying again …"


def test_who_waits_for_a_match_and_is_cut_off_or_turned_away_is_told_so_and_catches_up(
    browser: Browser, shots: Path, tmp_path: Path
) -> None:
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    port = free_port()
    with played_in(tmp_path) as game:
        with running_site(tmp_path, port=port) as site:
            page.goto(f"{site.url}/en/matches/{game.match}/")
            expect(page.locator("[data-told]")).to_be_attached()
            expect(page.get_by_text("Waiting for the match to begin …")).to_be_visible()
            expect(page.locator("[data-events] li")).to_have_count(0)
            page.screenshot(path=shots / "live-waiting.png")
            state = page.locator("[data-state]")
            expect(state).to_have_text("waiting")
            game.begin()
            shows(page, game.go_on(12))
            expect(page.locator("[data-on-air]")).to_be_visible(timeout=PATIENCE_MS)
            expect(state).to_have_text("running")
        expect(page.locator("[data-told]")).to_have_text(LOST, timeout=PATIENCE_MS)
        expect(page.locator("[data-on-air]")).to_be_hidden(timeout=PATIENCE_MS)
        page.screenshot(path=shots / "live-lost.png")
        # While a site is started anew, what stands before it turns browsers away.
        with page.expect_response("**/live/", timeout=PATIENCE_MS):
            page.route("**/live/", lambda route: route.fulfill(status=502))
        page.unroute("**/live/")
        events = game.go_on(12)
        with running_site(tmp_path, port=port):
            shows(page, events)
            expect(page.locator("[data-told]")).to_have_text("", timeout=PATIENCE_MS)
            expect(page.locator("[data-on-air]")).to_be_visible(timeout=PATIENCE_MS)
            page.screenshot(path=shots / "live-again.png")
            shows(page, game.go_on(1000))
            expect(page.locator("[data-told]")).to_contain_text(
                "The match is over.", timeout=PATIENCE_MS
            )
    context.close()


def shows(page: Page, events: int) -> None:
    """Wait until the page shows so many events, none of them twice, and the last one."""
    expect(page.locator("[data-events] li")).to_have_count(events, timeout=PATIENCE_MS)
    expect(page.locator("[data-at]")).to_contain_text(
        f"{events - 1} / {events - 1}", timeout=PATIENCE_MS
    )
