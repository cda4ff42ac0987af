"""The analysis of a match in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context, watch
from browser.films import recorded_in
from browser.queued_analyses import analyse_in
from browser.sites import Site, running_site
from browser.test_viewer import RULES, Cinema, at, opened


@pytest.fixture(scope="module")
def cinema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cinema]:
    home = tmp_path_factory.mktemp("cinema")
    matches = recorded_in(home)
    with running_site(home) as site:
        yield Cinema(site, matches)


def analysed(page: Page, cinema: Cinema, name: str) -> Page:
    opened(page, cinema.address(name))
    button = page.get_by_role("button", name="Analyse this match")
    if button.count():  # otherwise another test has requested it
        button.click()
        expect(page.locator("#insight")).to_contain_text("Analysis in progress")
    home: Site = cinema.site
    analyse_in(home.home)
    page.wait_for_selector("#insight [data-chances]")
    return page


def test_the_analysis_appears_automatically_and_follows_the_moment(
    page: Page, cinema: Cinema
) -> None:
    analysed(page, cinema, "two")
    graph = page.locator("[data-chances]")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    scrub = page.locator("[data-scrub]")
    last = scrub.get_attribute("max") or ""
    expect(scrub).not_to_have_value(last)
    assert at(page) / int(last) == pytest.approx(0.5, abs=0.1)
    line = float(page.locator("#insight .cursor").get_attribute("x1") or 0)
    page.keyboard.press("Home")
    expect(scrub).to_have_value("0")
    bar = page.locator("[data-chance-bar]")
    start = bar.get_attribute("aria-label") or ""
    page.keyboard.press("End")
    expect(bar).not_to_have_attribute("aria-label", start)
    expect(bar).to_have_attribute("aria-label", re.compile(r"^Chance of winning: gable-. \d+ %, "))
    expect(bar.locator(".chance")).to_have_count(2)
    expect(page.locator(".insight__story")).to_contain_text("won")
    page.keyboard.press("Home")
    page.keyboard.press("n")
    assert 0 < at(page) < int(last)
    page.keyboard.press("Home")
    expect(scrub).to_have_value("0")
    assert float(page.locator("#insight .cursor").get_attribute("x1") or 0) < line


def test_a_row_of_the_analysis_leads_to_its_moment(page: Page, cinema: Cinema) -> None:
    analysed(page, cinema, "four")
    page.locator("#insight .insight__contracts summary, #insight figure summary").first.click()
    link = page.locator("#insight figure tbody a").nth(5)
    moment = int(link.inner_text())
    link.click()
    expect(page.locator("[data-scrub]")).to_have_value(str(moment))


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_the_analysis_is_public(browser: Browser, cinema: Cinema, width: int, scheme: str) -> None:
    context = new_context(
        browser,
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    complaints: list[str] = []
    watch(page, complaints)
    analysed(page, cinema, "three")
    for summary in page.locator("#insight summary").all():
        summary.click()
    options = {"runOnly": {"type": "tag", "values": RULES}}
    found = Axe().run(page, context="#insight", options=options)
    assert not found.response["violations"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
    assert not complaints


def test_without_javascript_it_is_there_when_the_page_is_loaded_again(
    browser: Browser, cinema: Cinema
) -> None:
    context = new_context(browser, java_script_enabled=False)
    page = context.new_page()
    address = f"{cinema.site.url}/en/matches/{cinema.matches['four, second game']}/"
    page.goto(address)
    page.get_by_role("button", name="Analyse this match").click()
    expect(page.locator("#insight")).to_contain_text("Analysis in progress")
    analyse_in(cinema.site.home)
    page.goto(address)
    expect(page.locator("#insight")).to_contain_text("Luck and play")
    assert page.locator("#insight .band").count() == 4
    context.close()
