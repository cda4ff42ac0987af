"""What people do in a browser."""

from __future__ import annotations

from playwright.sync_api import Page

from ladder_django.passwords import PASSWORD
from web.sites import Site


def log_in(page: Page, site: Site, name: str) -> None:
    """Log in by the form."""
    page.goto(f"{site.url}/en/accounts/login/")
    page.get_by_label("Login").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url(lambda url: "/accounts/" not in url)
