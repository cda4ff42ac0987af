"""The main tasks of users: by keyboard alone, and without JavaScript."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context
from browser.people import MOST_STEPS, address_in_mail, log_in, tab_to
from browser.sites import Site


def test_a_visitor_joins_and_submits_by_keyboard_alone(site: Site, page: Page, tmp_path: Path):
    page.goto(f"{site.url}/en/")
    page.keyboard.press("Tab")
    assert "Skip to content" in _focused(page)
    _go(page, "Sign up")
    page.wait_for_url("**/accounts/signup/")
    for name, text in [
        ("email", "eve@example.org"),
        ("username", "eve"),
        ("password1", "nine-bridges-2030"),
        ("password2", "nine-bridges-2030"),
    ]:
        tab_to(page, f"[name={name}]")
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    page.wait_for_url("**/confirm-email/")

    page.goto(address_in_mail(site, "eve@example.org"))
    tab_to(page, "main button[type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "confirm-email" not in url)
    if "/accounts/login/" in page.url:
        tab_to(page, "[name=login]")
        page.keyboard.type("eve")
        tab_to(page, "[name=password]")
        page.keyboard.type("nine-bridges-2030")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "/accounts/" not in url)

    _go(page, "Dashboard")
    expect(
        page.get_by_role("heading", name="Your first bot is three commands away")
    ).to_be_visible()
    _go(page, "Submit on this site")
    tab_to(page, "[name=name]")
    page.keyboard.type("night-ferry")
    tab_to(page, "[name=archive]")
    page.locator("[name=archive]").set_input_files(_archive(tmp_path))  # the system's own dialogue
    tab_to(page, "main form button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/desk/bots/night-ferry/1/")
    journey = page.locator("#journey")
    expect(journey).to_contain_text("Checked")
    expect(journey).to_contain_text("qualifying")

    _go(page, "Dashboard")
    expect(page.get_by_role("link", name="night-ferry")).to_be_visible()


def test_pages_renew_themselves_where_something_happens(site: Site, page: Page):
    log_in(page, site, "ada")
    page.goto(f"{site.url}/en/desk/bots/canal-rat/4/")
    with page.expect_response(lambda said: said.url.endswith("/desk/bots/canal-rat/4/")) as renewed:
        pass
    assert renewed.value.request.headers["hx-request"] == "true"
    expect(page.locator("#journey")).to_contain_text("Queued")
    assert page.locator("#journey").count() == 1


def test_pages_do_not_refresh_during_input_or_when_paused(site: Site, page: Page):
    page.clock.install(time=0)
    page.clock.pause_at(1)  # from now on the test advances it
    page.goto(f"{site.url}/en/queue/")
    page.evaluate("window.asked = 0")
    page.evaluate("document.addEventListener('htmx:beforeSend', () => (window.asked += 1))")
    tab_to(page, "#queue th a")
    page.clock.run_for(11_000)
    assert page.evaluate("window.asked") == 0
    expect(page.locator("#queue th a").first).to_be_focused()
    pause = page.get_by_role("button", name="Pause")
    pause.focus()
    with page.expect_response(lambda said: said.url.endswith("/queue/")):
        page.clock.run_for(6_000)
    pause.click()
    asked = page.evaluate("window.asked")
    page.clock.run_for(11_000)
    assert page.evaluate("window.asked") == asked


def test_a_version_goes_live_and_a_token_is_revoked(site: Site, page: Page):
    log_in(page, site, "ada")
    page.goto(f"{site.url}/en/desk/bots/canal-rat/")
    page.get_by_role("link", name="Make v2 live…").click()
    page.get_by_role("button", name="Make it live").click()
    expect(page.get_by_text("Version 2 is live now.")).to_be_visible()
    page.goto(f"{site.url}/en/desk/tokens/")
    page.get_by_label("Name", exact=True).fill("robot")
    page.get_by_role("button", name="Create token").click()
    expect(page.locator("pre")).to_contain_text("damrak_")
    page.goto(f"{site.url}/en/desk/tokens/")
    expect(page.locator("main")).not_to_contain_text("Copy the token now")
    page.get_by_role("link", name="Revoke… robot").click()
    page.get_by_role("button", name="Revoke token").click()
    expect(page.get_by_text("The token robot was revoked.")).to_be_visible()


def test_everything_works_without_javascript(site: Site, browser: Browser):
    context = new_context(browser, java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(f"{site.url}/en/queue/")
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)  # it would have no effect
    page.goto(f"{site.url}/en/ladders/amsterdam/")
    page.get_by_label("Sort by").select_option("games")
    page.get_by_label("Bots", exact=True).select_option("remote")
    page.get_by_role("button", name="Show").click()
    assert "sort=games" in page.url
    names = page.locator(".ranking tbody th.name")
    expect(names).to_have_count(1)
    expect(names).to_contain_text("tulip")
    page.get_by_text("Show as a table").click()
    page.get_by_role("button", name="Dark", exact=True).click()
    assert "sort=games" in page.url
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(f"{site.url}/en/search/?q=canal")
    page.get_by_role("link", name="canal-rat").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("canal-rat")
    log_in(page, site, "bo")
    page.goto(f"{site.url}/en/desk/")
    expect(page.get_by_role("link", name="tulip")).to_be_visible()
    context.close()


def test_rankings_print_as_tables_and_nothing_else(site: Site, page: Page):
    page.goto(f"{site.url}/en/ladders/amsterdam/")
    page.get_by_role("button", name="Dark", exact=True).click()
    page.set_viewport_size({"width": 700, "height": 1000})  # a sheet of paper
    page.emulate_media(media="print")
    expect(page.locator(".masthead")).to_be_hidden()
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.locator(".ranking table")).to_be_visible()
    for column in ("95 % interval", "Trend", "Faults", "Language", "Owner"):
        expect(page.locator(".ranking thead th", has_text=column)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    soft = page.locator(".ranking td .soft").first
    # As in the light theme.
    assert soft.evaluate("one => getComputedStyle(one).color") == "rgb(86, 96, 95)"


def test_a_matrix_of_many_prints_on_a_sheet(site: Site, page: Page):
    page.goto(f"{site.url}/en/ladders/amsterdam/matrix/")
    matrix = page.locator(".matrix")
    matrix.evaluate(
        """matrix => {
            for (const row of matrix.rows)
                while (row.cells.length <= 20) row.append(row.cells[1].cloneNode(true));
        }"""
    )
    page.set_viewport_size({"width": 1000, "height": 700})  # landscape format
    page.emulate_media(media="print")
    expect(matrix).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    assert matrix.evaluate("one => getComputedStyle(one.closest('main')).page") == "across"


def test_a_bracket_of_sixteen_prints_on_a_sheet(site: Site, page: Page):
    page.goto(f"{site.url}/en/ladders/amsterdam/knockout/")
    bracket = page.locator(".bracket")
    bracket.evaluate(
        """bracket => {
            const first = bracket.firstElementChild, sixteen = first.cloneNode(true);
            const list = sixteen.querySelector("ol");
            while (list.children.length < 8) list.append(list.firstElementChild.cloneNode(true));
            while (bracket.children.length < 4) first.after(first.cloneNode(true));
            bracket.prepend(sixteen);
            for (const name of bracket.querySelectorAll(".bot"))
                name.textContent = "the-longest-name-of-a-bot-that-there-is v12";
        }"""
    )
    page.set_viewport_size({"width": 1000, "height": 700})  # landscape format
    page.emulate_media(media="print")
    expect(page.locator(".masthead")).to_be_hidden()
    expect(page.locator(".tabs")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    assert bracket.evaluate("one => getComputedStyle(one.closest('main')).page") == "across"
    assert page.evaluate("document.querySelector('.bracket').getBoundingClientRect().bottom") <= 700
    assert bracket.evaluate("one => getComputedStyle(one).breakInside") == "avoid"
    joints = page.locator(".bracket__round").nth(1).locator("li").first
    assert joints.evaluate("one => getComputedStyle(one, '::before').borderTopStyle") == "solid"


def _go(page: Page, name: str) -> None:
    """Follow the link of that name by keyboard."""
    for _ in range(MOST_STEPS):
        if re.match(rf"{re.escape(name)}\b", _focused(page)):
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {name!r} by keyboard")


def _focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent")).strip()


def _archive(folder: Path) -> Path:
    path = folder / "night-ferry.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bot.py", "from damrak import Bot\n\n\nclass Ferry(Bot):\n    pass\n")
    return path
