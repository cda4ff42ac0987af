"""Actions of users in a browser."""

from __future__ import annotations

import email
import email.policy
import re

from playwright.sync_api import Page

from browser.sites import Site
from ladder.passwords import PASSWORD

MOST_STEPS = 80
NEW_PASSWORD = "nine-bridges-2030"
"""The password of users that `join` creates."""


def log_in(page: Page, site: Site, name: str) -> None:
    """Log in through the form."""
    page.goto(f"{site.url}/en/accounts/login/")
    page.get_by_label("Login").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url(lambda url: "/accounts/" not in url)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element that matches the selector has the focus."""
    for _ in range(MOST_STEPS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {selector} by keyboard")


def address_in_mail(site: Site, to: str) -> str:
    """Return the address in the latest mail to this user."""
    sent = sorted((site.home / "mail").iterdir(), key=lambda file: file.stat().st_mtime)
    mails = [
        email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in sent
    ]
    body = [mail for mail in mails if to in mail["To"]][-1].get_body(("plain",))
    assert body is not None
    found = re.search(r"http://127\.0\.0\.1:\d+/\S+", body.get_content())
    assert found, body.get_content()
    return found[0]


def join(site: Site, page: Page, name: str) -> None:
    """Register through the form, follow the link in the mail, and log in."""
    page.goto(f"{site.url}/en/")
    page.get_by_role("link", name="Sign up", exact=True).click()
    for field, text in (
        ("email", f"{name}@example.org"),
        ("username", name),
        ("password1", NEW_PASSWORD),
        ("password2", NEW_PASSWORD),
    ):
        page.locator(f"[name={field}]").fill(text)
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url("**/confirm-email/")
    page.goto(address_in_mail(site, f"{name}@example.org"))
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url(lambda url: "confirm-email" not in url)
    if "/accounts/login/" in page.url:
        fill_in_login(page, name, NEW_PASSWORD)
        page.wait_for_url(lambda url: "/accounts/" not in url)


def fill_in_login(page: Page, name: str, password: str) -> None:
    """Fill in the form of the shown page, and send it."""
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill(password)
    page.locator("main form button[type=submit]").first.click()
