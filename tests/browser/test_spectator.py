"""A spectator on the front page of a running platform, who stays for three games."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser

from browser.conftest import new_context, watch
from ladder.embedded.platforms import NEEDS_LINUX, PATIENCE, Platform, new_home
from ports import free_port

pytestmark = [pytest.mark.soak, NEEDS_LINUX]

GAMES = 3
LOOK_MS = 2_000
SHORTEST_MS = 700
FINAL = "Final result"
OBSERVE = """
window.captions = [];
new MutationObserver(() => {
  const table = document.querySelector("#live-table[data-files]");
  const text = table?.querySelector("[data-says]").textContent.trim();
  const last = window.captions.at(-1);
  if (!text || (last?.text === text && last.table === table.dataset.files)) return;
  const at = performance.now();
  window.captions.push({ at, text, table: table.dataset.files });
}).observe(document, { childList: true, characterData: true, subtree: true });
"""
SEEN = """() => ({
  captions: window.captions,
  title: document.querySelector("#live-table h2")?.textContent,
  table: document.querySelector("#live-table")?.dataset.files,
})"""


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    with new_home() as home, Platform(home, free_port(), "--workers", "1") as running:
        yield running.wait_until_up()


def test_spectator_sees_three_games_to_the_end_and_can_read_every_caption(
    browser: Browser, platform: Platform
) -> None:
    complaints: list[str] = []
    context = new_context(browser, viewport={"width": 1366, "height": 768}, locale="en-GB")
    context.add_init_script(OBSERVE)
    page = context.new_page()
    watch(page, complaints)
    page.goto(f"http://127.0.0.1:{platform.port}/en/")
    watched: set[str] = set()
    captions: list[dict[str, float | str]] = []
    until = time.monotonic() + 3 * PATIENCE
    while len(watched) < GAMES:
        assert time.monotonic() < until, captions[-20:]
        page.wait_for_timeout(LOOK_MS)  # through Playwright: the test must not fill the page's time
        seen = page.evaluate(SEEN)
        captions = seen["captions"]
        if seen["title"] == FINAL:
            watched.add(seen["table"])
    context.close()
    brief = [
        (round(after["at"] - one["at"]), one["text"])
        for one, after in pairwise(captions)
        if after["at"] - one["at"] < SHORTEST_MS
    ]
    assert len({one["table"] for one in captions}) >= GAMES
    assert not brief, (len(captions), brief)
    assert not complaints
