"""What people do in a browser."""

from __future__ import annotations

import email
import email.policy
import re

from playwright.sync_api import Page

from ladder_django.passwords import PASSWORD
from web.sites import Site

MOST_STEPS = 80


def log_in(page: Page, site: Site, name: str) -> None:
    """Log in by the form."""
    page.goto(f"{site.url}/en/accounts/login/")
    page.get_by_label("Login").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url(lambda url: "/accounts/" not in url)


def tab_to(page: Page, selector: str) -> None:
    """Go on by the Tab key until something like that has the focus."""
    for _ in range(MOST_STEPS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {selector} by keyboard")


def address_in_mail(site: Site, to: str) -> str:
    """The address in the mail that somebody was sent last."""
    sent = sorted((site.home / "mail").iterdir(), key=lambda file: file.stat().st_mtime)
    mails = [
        email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in sent
    ]
    body = [mail for mail in mails if to in mail["To"]][-1].get_body(("plain",))
    assert body is not None
    found = re.search(r"http://127\.0\.0\.1:\d+/\S+", body.get_content())
    assert found, body.get_content()
    return found[0]
