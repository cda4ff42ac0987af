"""Six languages in a real browser: detected, kept, switched, and narrow enough for a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from browser.conftest import new_context, newest_game, watch
from browser.sites import Site

ROW = 64  # pixels: the height of a masthead in one row is less
LANGUAGES = ("en", "da", "nb", "nl", "fi", "pl")
PAGES = (
    "",
    "ladders/",
    "ladders/amsterdam/",
    "queue/",
    "hosts/",
    "search/?q=x",
    "matches/{match}/",
    "blocks/{block}/",
    "rules/",
    "docs/",
    "accounts/login/",
    "accounts/signup/",
)


def test_a_visitor_gets_the_language_of_the_browser(site: Site, browser: Browser) -> None:
    context = new_context(browser, locale="da-DK")
    tab = context.new_page()
    tab.goto(f"{site.url}/rules/")
    assert tab.url == f"{site.url}/da/rules/"
    assert tab.locator("html").get_attribute("lang") == "da"
    assert tab.locator("h1").inner_text().startswith("Reglerne")
    context.close()


def test_a_changed_language_keeps_the_page_and_is_remembered(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/en/rules/")
    page.select_option("#language", "pl")
    page.locator(".languages button").click()
    page.wait_for_url(f"{site.url}/pl/rules/")
    page.goto(f"{site.url}/queue/")
    assert page.url == f"{site.url}/pl/queue/"
    # A shared link keeps its own language.
    page.goto(f"{site.url}/nl/queue/")
    assert page.locator("html").get_attribute("lang") == "nl"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_too_long_for_a_phone(site: Site, browser: Browser, language: str) -> None:
    context = new_context(browser, viewport={"width": 360, "height": 740}, locale=language)
    tab = context.new_page()
    wrong: list[str] = []
    watch(tab, wrong)
    newest = newest_game(tab, site)
    tab.goto(f"{site.url}/{language}/")
    for width in (360, 390):
        tab.set_viewport_size({"width": width, "height": 740})
        if tab.evaluate("document.querySelector('.masthead').offsetHeight") > ROW:
            wrong.append(f"the masthead has two rows at {width}")
    tab.set_viewport_size({"width": 360, "height": 740})
    for path in PAGES:
        answer = tab.goto(f"{site.url}/{language}/{path.format(**newest)}")
        assert answer
        if answer.status != 200:
            wrong.append(f"{path}: {answer.status}")
        if tab.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{path} is too wide")
        if tab.locator("html").get_attribute("lang") != language:
            wrong.append(f"{path} is in another language")
    context.close()
    assert wrong == []
