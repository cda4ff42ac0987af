"""Fixtures of browser tests: Chromium, and a site.

Both have module scope: Playwright keeps an event loop running, and Django refuses to work beside it
in the same process.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from browser.sites import Site, running_site, seeded

SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
PATIENCE_MS = 300_000  # a safety net; nothing here measures time
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a site with content on every page."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of the whole run
    home = tmp_path_factory.mktemp("site") / "home"
    shutil.copytree(seeded(folder, blocks=24), home)
    with running_site(home) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield the Chromium of the system."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium: run .ci/browser")
    with sync_playwright() as playwright:
        # Without its sandbox, because tests may run as root; it only loads pages of the test site.
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module", autouse=True)
def _patience() -> Iterator[None]:
    """Wait long for expected elements, however slow the machine is."""
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options()


def new_context(browser: Browser, **how: Any) -> BrowserContext:
    """Return a browser profile with equally long timeouts."""
    context = browser.new_context(**how)
    context.set_default_timeout(PATIENCE_MS)
    return context


def newest_game(tab: Page, site: Site) -> dict[str, str]:
    """Return the numbers of a match with a replay, and of its block."""
    tab.goto(f"{site.url}/en/")
    address = tab.locator(".blocks .game").first.get_attribute("href") or ""
    tab.goto(f"{site.url}{address}")
    links = address, tab.locator("main a[href*='/blocks/']").first.get_attribute("href") or ""
    match, block = (re.search(r"/(?:matches|blocks)/(\d+)/", link) for link in links)
    assert match
    assert block
    return {"match": match[1], "block": block[1]}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Yield an empty tab; an error in its console fails the test."""
    context = new_context(
        browser, viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce"
    )
    complaints: list[str] = []
    tab = context.new_page()
    watch(tab, complaints)
    yield tab
    context.close()
    assert not complaints


@pytest.fixture(scope="session")
def shots() -> Path:
    """Return the folder for screenshots."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return SHOTS


def watch(tab: Page, complaints: list[str]) -> None:
    """Record the browser's errors, and each request to other sites."""

    def asked(url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            complaints.append(f"asked for {url}")

    tab.on(
        "console",
        lambda said: (
            said.type in {"error", "warning"}
            and "404 (Not Found)" not in said.text
            and "403 (Forbidden)" not in said.text
            and complaints.append(f"{tab.url}: {said.text}")
        ),
    )
    tab.on("pageerror", lambda error: complaints.append(f"{tab.url}: {error}"))
    tab.on("request", lambda request: asked(request.url))
