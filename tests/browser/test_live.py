"""A running match in a real browser: from a referee, through a site that is restarted."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from browser.sites import running_site
from browser.stepped_game import played_in
from ports import free_port

PATIENCE_MS = 90_000
LOST = "Connection lost. Reconnecting …"


def test_interrupted_watcher_of_a_match_is_notified_and_catches_up(
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
            game.go_on(4)
            assert "You predict that" in predict(page, f"{site.url}/en/matches/{game.match}/")
            shows(page, game.go_on(8))
            expect(page.locator("[data-on-air]")).to_be_visible(timeout=PATIENCE_MS)
            expect(state).to_have_text("running")
        expect(page.locator("[data-told]")).to_have_text(LOST, timeout=PATIENCE_MS)
        expect(page.locator("[data-on-air]")).to_be_hidden(timeout=PATIENCE_MS)
        page.screenshot(path=shots / "live-lost.png")
        # While a site restarts, its reverse proxy rejects requests.
        with page.expect_response("**/live/", timeout=PATIENCE_MS):
            page.route("**/live/", lambda route: route.fulfill(status=502))
        page.unroute("**/live/")
        events = game.go_on(12)
        with running_site(tmp_path, port=port) as site:
            shows(page, events)
            expect(page.locator("[data-told]")).to_have_text("", timeout=PATIENCE_MS)
            expect(page.locator("[data-on-air]")).to_be_visible(timeout=PATIENCE_MS)
            page.screenshot(path=shots / "live-again.png")
            events = game.go_on(1000)
            stranger = browser.new_context().new_page()
            # The broadcast of the stranger would begin now: the tap is accepted, for fun.
            assert "You predict that" in predict(stranger, f"{site.url}/en/matches/{game.match}/")
            shows(page, events)
            expect(page.locator("[data-told]")).to_contain_text(
                "The game is over.", timeout=PATIENCE_MS
            )
            page.evaluate("window.before = true")
            game.record()
            # The broadcast plays on through the scoring to the result, without a reload.
            expect(page.locator("#viewer")).not_to_have_attribute(
                "data-live", re.compile(".*"), timeout=PATIENCE_MS
            )
            expect(page.locator(".viewer__says")).to_contain_text("win")
            result = page.locator("[data-result=result] tbody").first.locator("td strong")
            scores = page.locator(".seat__score").all_inner_texts()
            assert sorted(result.all_inner_texts()) == sorted(scores)
            expect(page.locator("#viewer-eyes option")).to_have_count(4)
            page.select_option("#viewer-eyes", "all")
            page.wait_for_selector("#viewer[data-ready='all']")
            expect(page.locator("[data-verify]")).to_be_visible()
            assert page.evaluate("window.before") is True
            page.screenshot(path=shots / "live-result.png", full_page=True)
    context.close()


def predict(page: Page, match: str) -> str:
    """Return the answer of a site, which asks the referee, to a prediction of this visitor."""
    how = {"HX-Request": "true"}
    return page.request.post(f"{match}predict/", form={"seat": "1"}, headers=how).text()


def test_captions_stand_long_enough_however_fast_the_bots_are(
    browser: Browser, tmp_path: Path
) -> None:
    """All decisions arrive at once; the clock of the page is advanced by the test."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.add_init_script(CAPTIONS)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.clock.install(time=0)
    with played_in(tmp_path) as game, running_site(tmp_path) as site:
        game.begin()
        page.goto(f"{site.url}/en/matches/{game.match}/")
        page.clock.pause_at(5_000)
        game.go_on(2)
        run_until(page, "#viewer[data-ready='table']")
        events = game.go_on(40)
        expect(page.locator("[data-events] li")).to_have_count(events)
        for _ in range(30):
            page.clock.run_for(1_000)
        assert page.locator("[data-on-air]").inner_text().lower() == "30 s behind"
        captions = stood(page)
        page.clock.run_for(900)
        page.get_by_role("button", name="Jump to live").click()
        expect(page.locator("[data-on-air]")).to_have_text("live")
        assert int(page.locator("[data-scrub]").input_value()) == events - 1
        jumped = len(stood(page))
        events = game.go_on(6)
        expect(page.locator("[data-events] li")).to_have_count(events)
        for _ in range(30):
            page.clock.run_for(100)
        assert min(stood(page)[jumped:]) >= 700

        home = context.new_page()
        home.goto(f"{site.url}/en/")
        says = home.locator("#live-table [data-says]")
        run_until(home, "#live-table [data-pause]:not([hidden])")
        home.clock.run_for(3_000)
        game.go_on(1000)
        while "behind" not in home.locator("[data-on-air]").inner_text():
            home.clock.run_for(1_000)
        home.get_by_role("button", name="Pause").click()
        line = says.inner_text()
        home.clock.run_for(3_000)
        assert says.inner_text() == line
        watch = home.locator("[data-watch]").get_attribute("href") or ""
        moment = int(re.fullmatch(r".*/\?at=0#(\d+)", watch)[1])  # type: ignore[index]
        match_page = context.new_page()
        match_page.goto(watch)
        run_until(match_page, "#viewer[data-ready='table']")
        assert moment <= int(match_page.locator("[data-scrub]").input_value()) <= moment + 3
        match_page.close()
        home.get_by_role("button", name="Pause", pressed=True).click()
        game.record()
        with home.expect_response("**/moments/table.json"):
            home.get_by_role("button", name="Jump to live").click()
            home.clock.run_for(10_000)
        with home.expect_request(re.compile(r"/live-table/\?after=\d+")):
            home.clock.run_for(120_000)
        expect(home.locator("#now")).to_have_text("Final result")
        expect(says).to_contain_text("win")
        texts = [text for _, text in page.evaluate("window.captions")]
    context.close()
    assert len(captions) > 20
    assert min(captions) >= 700
    assert max(captions[1:]) <= 2_100  # two draws of a turn may have the same caption
    assert not [text for text in texts if "New in the row" in text]


def test_game_that_was_over_is_shown_from_its_first_caption(
    browser: Browser, tmp_path: Path
) -> None:
    """The end of the game is known some time after its moments; neither is shown in passing."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.add_init_script(CAPTIONS)
    context.set_default_timeout(PATIENCE_MS)
    context.clock.install(time=0)
    context.clock.pause_at(1_000)
    with played_in(tmp_path) as game, running_site(tmp_path) as site:
        game.begin()
        game.go_on(1000)
        for path in ("", f"matches/{game.match}/"):
            page = context.new_page()
            closed = FeedsClosed(page)
            page.goto(f"{site.url}/en/{path}")
            closed.wait()
            while len(stood(page)) < 5:
                page.clock.run_for(100)
            assert min(stood(page)) >= 700, page.evaluate("window.captions")
            assert "The cards are dealt" in page.evaluate("window.captions[1][1]")
    context.close()


class FeedsClosed:
    """The feeds of live games whose connection has been closed, by the site or by the page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._urls: list[str] = []
        for event in ("requestfinished", "requestfailed"):
            page.on(event, lambda request: self._urls.append(request.url))

    def wait(self) -> None:
        """Wait until there is one.

        `Response.finished` is not used: it waits for ever if the page closes the connection first.
        """
        end = time.monotonic() + PATIENCE_MS / 1000
        while not any(url.endswith("/live/") for url in self._urls):
            assert time.monotonic() < end
            self._page.wait_for_timeout(50)


CAPTIONS = """
window.captions = [];
new MutationObserver(() => {
  const says = document.querySelector(".viewer__says, #live-table [data-says]");
  const text = says?.textContent.trim();
  if (!text || text === window.captions.at(-1)?.[1]) return;
  window.captions.push([performance.now(), text]);
}).observe(document, { childList: true, characterData: true, subtree: true });
"""


def stood(page: Page) -> list[float]:
    """Return how long each caption has been shown that was followed by another one, in ms."""
    captions = page.evaluate("window.captions")
    return [later - at for (at, _), (later, _) in pairwise(captions)]


def run_until(page: Page, selector: str) -> None:
    """Advance the clock of the page, which stands still otherwise, until this element exists."""
    while not page.locator(selector).count():
        page.clock.run_for(1_000)


def shows(page: Page, events: int) -> None:
    """Wait until the page shows this number of events, each once, and is at the last one."""
    page.select_option("[data-speed]", "60")
    expect(page.locator("[data-events] li")).to_have_count(events, timeout=PATIENCE_MS)
    expect(page.locator("[data-at]")).to_contain_text(
        f"{events - 1} / {events - 1}", timeout=PATIENCE_MS
    )
