"""An organiser runs an evening cup in a browser: form, entries, start, a ruling, and a reveal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context
from browser.people import log_in
from browser.sites import TESTS, Site

BOTS = ("canal-rat", "tulip", "gable", "herring")


@pytest.fixture
def organiser(browser: Browser, site: Site) -> Iterator[Page]:
    """Yield a tab of an organiser, without JavaScript."""
    context = new_context(
        browser,
        viewport={"width": 1366, "height": 900},
        locale="en-GB",
        java_script_enabled=False,
    )
    tab = context.new_page()
    log_in(tab, site, "sam")
    yield tab
    context.close()


@pytest.fixture
def projector(browser: Browser, site: Site) -> Iterator[Page]:
    """Yield a tab of the same organiser, with JavaScript."""
    context = new_context(browser, viewport={"width": 1366, "height": 900}, locale="en-GB")
    tab = context.new_page()
    log_in(tab, site, "sam")
    yield tab
    context.close()


def confirmed(tab: Page, button: str, reason: str = "", head: str = "Spring cup") -> None:
    """Follow a link to the preview of an act, and confirm it."""
    tab.get_by_role("link", name=f"{button}…").first.click()
    _confirm(tab, reason, head)


def _confirm(tab: Page, reason: str = "", head: str = "Spring cup") -> None:
    expect(tab.get_by_role("heading", name="This would change")).to_be_visible()
    if reason:
        tab.get_by_role("textbox", name="Reason").fill(reason)
    tab.get_by_role("button", name="Confirm").click()
    expect(tab.locator("main h1")).to_have_text(head)


def pair(site: Site) -> None:
    """Pair the first round, as the pipeline would."""
    variables = os.environ | {"DAMRAK_HOME": str(site.home), "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "browser.pairing_tournaments"]
    subprocess.run(command, env=variables, check=True)


def test_cup_is_created_run_corrected_and_revealed(
    organiser: Page, projector: Page, site: Site, shots: Path
) -> None:
    tab, slug = organiser, "spring-cup"
    tab.goto(f"{site.url}/en/organise/tournaments/")
    tab.get_by_role("link", name="Use this preset Evening cup").click()
    expect(tab.get_by_text("The best of 16 bots wins with")).to_be_visible()
    tab.screenshot(path=shots / "desk-form.png", full_page=True)
    tab.get_by_label("Name", exact=True).fill("Spring cup")
    tab.get_by_label("Address", exact=True).fill(slug)
    tab.locator("[name=stage0-format]").select_option("single-elimination")
    tab.locator("[name=stage0-players]").select_option("2")
    tab.get_by_label("Boards", exact=True).fill("practice")
    tab.locator("[name=rules-reveal]").select_option("hidden")
    tab.get_by_role("button", name="Create the tournament").click()
    expect(tab.get_by_text("The tournament is created.")).to_be_visible()

    confirmed(tab, "Open entries")
    for bot in BOTS:
        tab.get_by_role("link", name="Entrants", exact=True).click()
        tab.get_by_role("link", name="Add a bot").click()
        tab.get_by_label("Name of the bot").fill(bot)
        tab.get_by_role("button", name="Preview").click()
        _confirm(tab)
    confirmed(tab, "Close entries")
    confirmed(tab, "Start the tournament")
    tab.screenshot(path=shots / "desk.png", full_page=True)

    pair(site)
    reveal = f"{site.url}/en/organise/tournaments/{slug}/reveal/0/1/"
    projector.goto(reveal)
    button = projector.get_by_role("button", name="Make the result of table 2 public")
    expect(button).to_be_disabled()
    for table in (1, 2):
        tab.goto(f"{site.url}/en/organise/tournaments/{slug}/rounds/0/1/")
        tab.get_by_role("link", name=f"Set the result… {table}").click()
        places = tab.locator("input[type=number]")
        expect(places).to_have_count(2)
        for index, place in enumerate("12"):
            places.nth(index).fill(place)
        tab.get_by_role("button", name="Preview").click()
        tab.screenshot(path=shots / "desk-preview.png", full_page=True)
        _confirm(tab, f"The game at table {table} was played by hand.")
    expect(tab.get_by_role("cell", name="The game at table 2 was played by hand.")).to_be_visible()
    tab.screenshot(path=shots / "desk-running.png", full_page=True)

    public = f"{site.url}/en/tournaments/{slug}/rounds/0/1/"
    expect(button).to_be_enabled(timeout=30_000)  # without reloading the page
    expect(projector.get_by_text("being played")).to_have_count(0)
    tab.goto(reveal)
    tab.get_by_role("button", name="Make the result of table 2 public").click()
    expect(tab.get_by_role("button", name="One step back")).to_be_visible()
    tab.screenshot(path=shots / "desk-reveal.png", full_page=True)
    assert _hidden(organiser, public) == 1
    tab.get_by_role("button", name="One step back").click()
    expect(tab.get_by_role("button", name="Make the result of table 2 public")).to_be_visible()
    assert _hidden(organiser, public) == 2
    _end(tab, site, slug, shots)


def test_next_season_is_begun_by_hand(organiser: Page, site: Site, shots: Path) -> None:
    tab, desk = organiser, f"{site.url}/en/organise/tournaments/"
    tab.goto(desk)
    tab.get_by_role("link", name="Use this preset League season").click()
    for name, text in (
        *(("head-name", "Canals 1"), ("head-slug", "canals-1"), ("head-league", "canals")),
        *(("divisions-divisions", "2"), ("divisions-size", "3"), ("rules-boards", "practice")),
        *(("rules-daily", ""), ("stage0-blocks", "1")),
    ):
        tab.locator(f"[name={name}]").fill(text)
    tab.locator("[name=divisions-play_off]").uncheck()
    tab.get_by_text("More about this stage").first.click()
    tab.locator("[name=stage0-double]").uncheck()
    tab.get_by_role("button", name="Create the tournament").click()
    confirmed(tab, "Open entries", head="Canals 1")
    tab.get_by_role("link", name="Add several bots").click()
    tab.get_by_label("Bots", exact=True).fill("\n".join((*BOTS, "random", "greedy")))
    tab.get_by_role("button", name="Preview").click()
    tab.get_by_role("button", name="Confirm: add 6 bots").click()
    tab.goto(f"{desk}canals-1/")
    for button in ("Close entries", "Start the tournament"):
        confirmed(tab, button, head="Canals 1")
    for number in (1, 2, 3):
        pair(site)
        for stage in (0, 1):
            tab.goto(f"{desk}canals-1/rounds/{stage}/{number}/")
            tab.get_by_role("link", name="Set the result…").first.click()
            for index, place in enumerate("12"):
                tab.locator("input[type=number]").nth(index).fill(place)
            tab.get_by_role("button", name="Preview").click()
            _confirm(tab, "Played by hand.", head="Canals 1")
    pair(site)

    tab.goto(f"{desk}canals-1/")
    confirmed(tab, "Make the results final", head="Canals 1")
    tab.get_by_role("link", name="Next season…").click()
    expect(tab.locator("main")).to_contain_text("promoted from division 2 to 1")
    expect(tab.locator("main")).to_contain_text("relegated from division 1 to 2")
    tab.screenshot(path=shots / "desk-season.png", full_page=True)
    expect(tab.get_by_label("Address", exact=True)).to_have_value("canals-2")
    tab.get_by_role("button", name="Begin the season").click()
    expect(tab.get_by_text("The season is open for entries.")).to_be_visible()
    confirmed(tab, "Close entries", head="Canals 2")
    tab.get_by_role("link", name="Start the tournament…").first.click()
    expect(tab.locator("main")).to_contain_text("promoted from division 2 to 1")
    _confirm(tab, head="Canals 2")
    pair(site)
    tab.goto(f"{site.url}/en/leagues/canals/")
    expect(tab.get_by_role("heading", name="Season 2")).to_be_visible()
    expect(tab.get_by_role("heading", name="Moves since the season before")).to_be_visible()
    tab.screenshot(path=shots / "desk-league.png", full_page=True)


def _end(tab: Page, site: Site, slug: str, shots: Path) -> None:
    """Reveal the first round, play the final, make the results final, and announce the winner."""
    desk, cup = f"{site.url}/en/organise/tournaments/{slug}/", f"{site.url}/en/tournaments/{slug}/"
    _reveal_all(tab, 2)
    pair(site)
    tab.goto(f"{desk}rounds/0/2/")
    tab.get_by_role("link", name="Set the result… 1").click()
    for index, place in enumerate("21"):
        tab.locator("input[type=number]").nth(index).fill(place)
    tab.get_by_role("button", name="Preview").click()
    _confirm(tab, "The final was played by hand.")
    pair(site)
    tab.goto(desk)
    expect(tab.locator(".head .tag")).to_have_text("played, not yet final")
    confirmed(tab, "Make the results final")
    expect(tab.locator(".head .tag")).to_have_text("final")
    assert "running" in _seen(tab, cup)  # the final is not announced yet
    tab.goto(f"{desk}rounds/0/2/")
    tab.get_by_role("link", name="Reveal on a projector").click()
    _reveal_all(tab, 1)
    winner = tab.locator(".reveal__shown th").first.inner_text()
    page = _seen(tab, cup)
    assert "Result" in page
    assert page.index(winner) > page.index("Result")
    tab.goto(cup)
    tab.screenshot(path=shots / "desk-end.png", full_page=True)
    tab.get_by_role("link", name=winner, exact=True).first.click()
    expect(tab.get_by_text("Trophies")).to_be_visible()


def _reveal_all(tab: Page, tables: int) -> None:
    for table in range(tables, 0, -1):
        tab.get_by_role("button", name=f"Make the result of table {table} public").click()
    expect(tab.get_by_text("All results of this round are public.")).to_be_visible()


def _seen(organiser: Page, path: str) -> str:
    """Return what a visitor reads on a page."""
    browser = organiser.context.browser
    assert browser is not None
    context = new_context(browser)
    tab = context.new_page()
    tab.goto(path)
    text = tab.locator("main").inner_text()
    context.close()
    return text


def _hidden(organiser: Page, path: str) -> int:
    """Return the number of results that a visitor does not see."""
    browser = organiser.context.browser
    assert browser is not None
    context = new_context(browser)
    tab = context.new_page()
    tab.goto(path)
    found = tab.get_by_text("not released", exact=True).count()
    context.close()
    return found
