"""Every page type: accessible in both themes, no wider than the window, without console errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from browser.conftest import new_context, newest_game, watch
from browser.people import log_in
from browser.sites import Site
from ladder.passwords import PASSWORD

LONGEST = "sluicegatekeepersofthewaterwaysofholland"  # the longest name on the site, in one word
MISSING = "/nothing/"

PUBLIC = [
    "/",
    "/ladders/",
    "/tournaments/",
    "/tournaments/evening/",
    "/tournaments/evening/chances/0/",
    "/tournaments/evening/live/",
    "/leagues/",
    "/leagues/house/",
    "/ladders/amsterdam/",
    "/ladders/new-boards/?seats=3&sort=games",
    f"/ladders/amsterdam/?bots=gable&bots={LONGEST}&owner=cleo",
    "/compare/",
    f"/compare/?a=gable&b={LONGEST}&ladder=amsterdam",
    "/compare/?a=canal&b=tulip",
    "/ladders/amsterdam/blocks/",
    "/ladders/amsterdam/matrix/",
    "/ladders/amsterdam/knockout/",
    "/bots/canal-rat/",
    "/bots/canal-rat/1/",
    "/bots/canal-rat/3/",
    "/owners/ada/",
    "/blocks/{block}/",
    "/matches/{match}/",
    "/matches/{match}/embed/",
    "/matches/{match}/verify/",
    "/learn/",
    "/highlights/",
    "/highlights/?week=",
    "/records/",
    "/predictions/",
    "/puzzles/",
    "/puzzles/all/",
    "/rules/",
    "/docs/",
    "/docs/bot-authors/tutorial/",
    "/queue/",
    "/play/",
    "/hosts/",
    "/runtime/",
    "/data/",
    f"/search/?q={LONGEST}",
    MISSING,
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
]
ADA = [
    "/desk/",
    "/desk/submit/",
    "/desk/remote/",
    "/desk/bots/canal-rat/",
    "/desk/bots/canal-rat/2/",
    "/desk/bots/canal-rat/3/",
    "/desk/bots/canal-rat/2/live/",
    "/desk/tests/",
    "/desk/tokens/",
    "/desk/notices/",
    "/desk/webhooks/",
    "/desk/webhooks/1/",
    "/desk/webhooks/1/remove/",
    "/following/",
    "/desk/bots/canal-rat/token/",
    "/device/",
    "/device/?code=BCDF-GHJK",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/2fa/",
    "/accounts/2fa/totp/activate/",
    "/accounts/sessions/",
    "/account/second-factor/",
    "/account/data/",
    "/account/delete/",
    "/accounts/logout/",
]
SAM = [
    "/tournaments/evening/collusion/",
    "/tournaments/evening/verify/",
    "/organise/",
    "/organise/hosts/2/trust/",
    "/organise/security/",
    "/organise/tournaments/",
    "/organise/leagues/house/",
    "/organise/tournaments/new/?preset=final",
    "/organise/tournaments/evening/",
    "/organise/tournaments/evening/entrants/",
    "/organise/tournaments/evening/entrants/add/",
    "/organise/tournaments/evening/next-season/",
    "/organise/tournaments/evening/rounds/0/1/",
    "/organise/tournaments/evening/log/",
    "/organise/tournaments/evening/people/",
    "/organise/tournaments/evening/acts/disqualify/?entrant=1&ruling=award",
    "/organise/tournaments/evening/reveal/0/1/",
    "/tournaments/evening/rules/",
    "/organise/users/",
    "/organise/users/1/role/",
    "/matches/{match}/seats/0/log/",
]
WIDTHS = (320, 360, 768, 1440)
NO_SCROLLING = 360  # from this width on, the most important tables need no horizontal scrolling
HAS_TO_BE_SCROLLED = """[...document.querySelectorAll(".ranking, .table:has(> .blocks)")].some(
    (table) => table.scrollWidth > table.clientWidth
)"""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
EVERYTHING = {"type": "tag", "values": TAGS}
COLOURS = {"type": "rule", "values": ["color-contrast"]}


@pytest.mark.parametrize(("name", "paths"), [(None, PUBLIC), ("ada", ADA), ("sam", SAM)])
def test_pages_are_accessible_and_fit_the_window(
    site: Site, browser: Browser, shots: Path, name: str | None, paths: list[str]
):
    context = new_context(
        browser, viewport={"width": 1440, "height": 900}, locale="en-GB", reduced_motion="reduce"
    )
    tab = context.new_page()
    complaints: list[str] = []
    watch(tab, complaints)
    if name is not None:
        log_in(tab, site, name)
    newest = newest_game(tab, site)
    for path in paths:
        tab.emulate_media(color_scheme="light")
        tab.set_viewport_size({"width": 1440, "height": 900})
        answer = tab.goto(f"{site.url}/en{path.format(**newest)}")
        if answer is None or answer.status != (404 if path == MISSING else 200):
            complaints.append(f"{path}: {answer and answer.status}")
        if "/reauthenticate/" in tab.url:
            tab.locator("[name=password]").fill(PASSWORD)
            tab.locator("main form button[type=submit]").first.click()
            tab.wait_for_url(f"**{path}")
        complaints += _wrong(tab, path, EVERYTHING)
        _shoot(tab, shots, path, "wide-light")
        for width in WIDTHS:
            tab.set_viewport_size({"width": width, "height": 900})
            found = tab.evaluate("document.documentElement.scrollWidth")
            if found > width:
                complaints.append(f"{path} is {found} wide in a window of {width}")
            if width >= NO_SCROLLING and tab.evaluate(HAS_TO_BE_SCROLLED):
                complaints.append(f"{path}: a ranking or blocks have to be scrolled at {width}")
        tab.set_viewport_size({"width": 360, "height": 800})
        tab.emulate_media(color_scheme="dark")
        complaints += _wrong(tab, path, COLOURS)
        _shoot(tab, shots, path, "phone-dark")
    context.close()
    assert not complaints, "\n".join(complaints)


def _wrong(tab: Page, path: str, rules: dict[str, object]) -> list[str]:
    found = Axe().run(tab, options={"runOnly": rules, "resultTypes": ["violations"]})
    return [
        f"{path}: {one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found.response["violations"]
        for node in one["nodes"][:3]
    ]


def _shoot(tab: Page, shots: Path, path: str, kind: str) -> None:
    name = re.sub("[^a-z0-9]+", "-", path).strip("-") or "home"
    tab.screenshot(path=shots / f"{name}-{kind}.png", full_page=True)
