"""Account pages in a real browser, on a site that requires second factors."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.people import log_in
from browser.sites import Site, running_site, seeded
from ladder.passwords import PASSWORD

PERIOD_S = 30


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a site that requires a second factor for organisers and staff."""
    home = tmp_path_factory.mktemp("strict") / "home"
    shutil.copytree(seeded(tmp_path_factory.getbasetemp(), blocks=4), home)
    with running_site(home, DAMRAK_LADDER_SECOND_FACTOR="yes") as running:
        yield running


def test_staff_is_led_to_a_second_factor_and_changes_a_role(strict: Site, page: Page) -> None:
    log_in(page, strict, "sam")
    page.get_by_role("link", name="Organise", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Organisers and staff need a second factor"
    )
    page.get_by_role("link", name="Set up a second factor").click()
    secret = page.locator("#authenticator_secret").input_value()
    page.locator("[name=code]").fill(_code(secret))
    page.locator("main form button[type=submit]").first.click()
    expect(page.get_by_text("Your role is suspended")).to_have_count(0)
    page.goto(f"{strict.url}/en/organise/")
    page.get_by_role("link", name="Users and roles").click()
    page.get_by_label("User name or its first letters").fill("bo")
    page.get_by_role("button", name="Search").last.click()
    page.get_by_role("link", name="Change role… bo").click()
    page.get_by_label("organiser:").check()
    page.get_by_role("button", name="Change role").click()
    expect(page.get_by_text("The role of bo was changed.")).to_be_visible()


def test_author_ends_a_session_takes_the_data_and_leaves(
    strict: Site, page: Page, tmp_path: Path
) -> None:
    other = page.context.browser
    assert other is not None
    elsewhere = other.new_page(user_agent="Mozilla/5.0 (X11; Linux) Firefox/140.0")
    log_in(elsewhere, strict, "ada")
    log_in(page, strict, "ada")
    page.get_by_role("link", name="Dashboard").click()
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("link", name="Sessions").click()
    page.get_by_role("button", name=re.compile("End Firefox, Linux")).click()
    expect(page.get_by_text("The session has ended.")).to_be_visible()
    elsewhere.goto(f"{strict.url}/en/desk/")
    assert "/accounts/login/" in elsewhere.url
    elsewhere.close()

    page.get_by_role("link", name="Your data").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download my data").click()
    started.value.save_as(tmp_path / "data.json")
    found = json.loads((tmp_path / "data.json").read_text())
    assert found["account"]["email"] == "ada@example.org"

    page.get_by_role("link", name="Delete my account").click()
    page.get_by_label("Your user name, to confirm").fill("ada")
    page.get_by_role("button", name="Delete my account").click()
    expect(page.get_by_text("Your account is deleted.")).to_be_visible()
    page.goto(f"{strict.url}/en/bots/canal-rat/")
    expect(page.get_by_text("by former author")).to_be_visible()
    page.goto(f"{strict.url}/en/accounts/login/")
    page.get_by_label("Login").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main form button[type=submit]").first.click()
    expect(page.locator("main .errorlist")).to_be_visible()


def _code(secret: str) -> str:
    """Return the current code of an authenticator app (RFC 6238)."""
    counter = int(time.time() // PERIOD_S).to_bytes(8, "big")
    digest = hmac.digest(base64.b32decode(secret), counter, hashlib.sha1)
    start = digest[-1] & 15
    value = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
    return f"{value % 10**6:06}"
