"""From "Sign up" to watching one's own bot, in a real browser on a platform with real games."""

from __future__ import annotations

import os
import re
import signal
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context, watch
from browser.people import fill_in_login, join, tab_to
from browser.sites import Site
from ladder.embedded.platforms import NEEDS_LINUX, Platform, new_home
from ports import free_port

pytestmark = NEEDS_LINUX

WIDTHS = {"desktop": (1280, 800), "phone": (360, 740)}
DEVICES = list(WIDTHS)
SLOW = """
import time

from damrak import Bot


class Ferry(Bot):
    \"\"\"Slow enough to be watched.\"\"\"

    def choose(self, view):
        time.sleep(0.12)
        return view.legal[0]
"""


@pytest.fixture(scope="module")
def processes() -> Iterator[Platform]:
    """Yield a platform with real games, for all tests of this module."""
    with new_home() as home:
        made = Platform(home, free_port(), "--workers", "2")
        try:
            yield made.wait_until_up()
        finally:
            made.stop()


@pytest.fixture(scope="module")
def platform(processes: Platform) -> Site:
    """Return its site."""
    return Site(f"http://127.0.0.1:{processes.port}", processes.home)


@pytest.fixture(params=DEVICES)
def tab(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """Yield an empty tab of a computer or a phone; an error in its console fails the test."""
    yield from _tab(browser, request.param)


@pytest.fixture
def desktop(browser: Browser) -> Iterator[Page]:
    """Yield an empty tab of a computer."""
    yield from _tab(browser, "desktop")


def _tab(browser: Browser, device: str) -> Iterator[Page]:
    width, height = WIDTHS[device]
    context = new_context(
        browser,
        viewport={"width": width, "height": height},
        has_touch=device == "phone",
        locale="en-GB",
        reduced_motion="reduce",
    )
    complaints: list[str] = []
    context.on("page", lambda opened: watch(opened, complaints))
    yield context.new_page()
    context.close()
    assert not complaints


def test_a_visitor_joins_submits_and_watches_the_bot_qualify(
    processes: Platform, platform: Site, tab: Page, shots: Path, tmp_path: Path
) -> None:
    device = _device(tab)
    name = f"eve-{device}"
    join(platform, tab, name)

    tab.get_by_role("link", name="Dashboard").click()
    tab.get_by_role("link", name="Submit on this site").click()
    bot = f"ferry-{device}"
    tab.get_by_label("Name of the new bot").fill(bot)
    tab.get_by_label("Archive").set_input_files(_archive(tmp_path, bot))
    with nothing_begun(processes):
        tab.get_by_role("button", name="Submit", exact=True).click()
        tab.wait_for_url(f"**/desk/bots/{bot}/1/")
        tab.evaluate("window.before = true")  # lost if the page is ever reloaded
        _shoot(tab, shots, "submitted")
        journey = tab.locator("#journey")

        # In another tab, one of its games while it is played.
        tab.get_by_role("link", name="View block").first.wait_for()
        other = tab.context.new_page()
        other.goto(tab.url)
        other.get_by_role("link", name="View block").first.click()
        other.get_by_role("link", name="Game 1").first.click()
        other.wait_for_selector("#viewer[data-live]")
        assert other.locator("[data-events] li").count() == 0
        other.evaluate("window.before = true")
    _watch_it_flow_in(other)
    other.screenshot(path=shots / f"journey-live-{device}.png", full_page=True)
    expect(journey).to_contain_text("is being played")
    other.select_option("[data-speed]", "15")  # it is played to its end, without a reload
    expect(other.locator("#viewer")).not_to_have_attribute("data-live", re.compile(".*"))
    other.close()

    expect(journey).to_contain_text("Qualified: it played all")
    expect(journey).to_contain_text("Live, and entered on")
    assert tab.evaluate("window.before") is True
    _shoot(tab, shots, "qualified")


def test_a_replay_is_seen_by_all_eyes_and_verified(platform: Site, tab: Page, shots: Path) -> None:
    tab.goto(f"{platform.url}/en/")
    _reload_until(tab, ".blocks .game")
    tab.locator(".blocks .game").first.click()
    tab.wait_for_selector("#viewer[data-ready='all']")
    for eyes in ("all", "table", "0", "1"):
        tab.select_option("#viewer-eyes", eyes)
        tab.wait_for_selector(f"#viewer[data-ready='{eyes}']")
        slider = tab.locator("[data-scrub]")
        for moment in ("0", slider.get_attribute("max") or "0", "25"):
            slider.fill(moment)
            row = tab.locator("[data-events] li").nth(int(moment))
            expect(row.locator("[aria-current]")).to_have_count(1)
        hidden = tab.locator(".contract--back").count()
        assert (hidden == 0) == (eyes == "all")
        _fits(tab)
    tab.locator("[data-verify]").click()
    expect(tab.locator(".verdict--good")).to_contain_text("This replay is valid.")
    _shoot(tab, shots, "verified")


def test_two_bots_are_compared_and_read_in_another_language_in_the_dark(
    platform: Site, tab: Page, shots: Path
) -> None:
    tab.goto(f"{platform.url}/en/compare/")
    tab.get_by_label("First bot").fill("house-greedy")
    tab.get_by_label("Second bot").fill("house-random")
    tab.get_by_role("button", name="Compare").click()
    expect(tab.locator("main")).to_contain_text("greedy")
    expect(tab.locator("main")).to_contain_text("random")
    _shoot(tab, shots, "compared")
    there = tab.url.removeprefix(f"{platform.url}/en")
    tab.select_option("#language", "fi")
    tab.locator(".languages button").click()
    tab.wait_for_url(f"{platform.url}/fi{there}")
    expect(tab.locator("html")).to_have_attribute("lang", "fi")
    tab.locator(".themes [value=dark]").click()
    expect(tab.locator("html")).to_have_attribute("data-theme", "dark")
    assert tab.url == f"{platform.url}/fi{there}"
    dark = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", dark)[:3])) < 80
    _shoot(tab, shots, "compared-dark")


def test_keys_alone_lead_to_a_running_match_and_to_a_comparison(
    platform: Site, desktop: Page
) -> None:
    desktop.goto(f"{platform.url}/en/")
    _reload_until(desktop, ".now a.button, .blocks .game")
    tab_to(desktop, ".now a.button, .blocks .game")
    desktop.keyboard.press("Enter")
    # A running match is loaded again when it is over, at the current position.
    desktop.wait_for_selector("#viewer[data-ready='all']")
    tab_to(desktop, "#viewer-eyes")
    tab_to(desktop, "[data-do=back]")
    desktop.keyboard.press("Home")
    expect(desktop.locator("[data-scrub]")).to_have_value("0")
    tab_to(desktop, "[data-do=step]")
    desktop.keyboard.press("Enter")
    expect(desktop.locator("[data-scrub]")).to_have_value("1")

    desktop.goto(f"{platform.url}/en/bots/house-greedy/")
    tab_to(desktop, "main a[href*='/compare/']")
    desktop.keyboard.press("Enter")
    desktop.wait_for_url("**/compare/**")
    tab_to(desktop, "[name=b]")
    desktop.keyboard.type("house-planner")
    desktop.keyboard.press("Enter")
    desktop.wait_for_url("**b=house-planner**")
    expect(desktop.locator("main")).to_contain_text("planner")


def test_the_administrator_sees_all_desks(
    processes: Platform, platform: Site, tab: Page, shots: Path
) -> None:
    password = (platform.home / "admin-password").read_text().strip()
    tab.goto(f"{platform.url}/en/organise/")
    fill_in_login(tab, processes.admin, password)
    tab.wait_for_url("**/organise/")
    expect(tab.get_by_role("heading", level=1)).to_contain_text("Organiser dashboard")
    _shoot(tab, shots, "organiser")
    for path in ("/desk/", "/desk/tests/", "/desk/tokens/", "/hosts/", "/queue/"):
        tab.goto(f"{platform.url}/en{path}")
        _shoot(tab, shots, "admin" + path.replace("/", "-").rstrip("-"))


@contextmanager
def nothing_begun(processes: Platform) -> Iterator[None]:
    """Suspend the worker, so that no block starts."""
    worker = processes.parts()["worker"]
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


def _watch_it_flow_in(tab: Page) -> None:
    """Check that an open page shows the start of a match; in one step, because it soon ends."""
    seen = tab.wait_for_function(
        """() => {
          const count = (what) => document.querySelectorAll(what).length;
          const isLive = count("#viewer[data-live][data-ready='table']");
          return window.before && isLive && count("[data-events] li") > 3 && {
            contracts: count("button.contract"),
            eyes: count("#viewer-eyes option"),
            fits: document.documentElement.scrollWidth <= innerWidth,
          };
        }"""
    )
    # Hidden information is not shown to any visitor while the match is played.
    assert seen.json_value() == {"contracts": 0, "eyes": 1, "fits": True}


def _reload_until(tab: Page, selector: str) -> None:
    """Reload the page until this element appears."""
    while not tab.locator(selector).count():
        tab.reload()


def _device(tab: Page) -> str:
    size = tab.viewport_size
    assert size is not None
    return next(name for name, (width, _) in WIDTHS.items() if width == size["width"])


def _shoot(tab: Page, shots: Path, name: str) -> None:
    _fits(tab)
    tab.screenshot(path=shots / f"journey-{name}-{_device(tab)}.png", full_page=True)


def _fits(tab: Page) -> None:
    assert not tab.evaluate("document.documentElement.scrollWidth > innerWidth"), tab.url


def _archive(folder: Path, name: str) -> Path:
    path = folder / f"{name}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bot.py", f"# {name}\n{SLOW}")
    return path
