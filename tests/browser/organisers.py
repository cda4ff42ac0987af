"""An organiser in a browser: creates tournaments, enters bots, makes rulings, and takes files."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

PATIENCE_S = 7200.0  # a safety net; nothing here measures time
PAUSE_MS = 1000
PHASES = {
    "open": "open for entries",
    "closed": "entries closed",
    "running": "running",
    "over": "played, not yet final",
    "final": "final",
}


class Organiser:
    """A signed-in organiser on the pages of one tournament."""

    def __init__(self, tab: Page, url: str) -> None:
        self.tab, self.url = tab, f"{url}/en"
        self.slug = self.name = ""

    @property
    def desk(self) -> str:
        """The address of the desk."""
        return f"{self.url}/organise/tournaments/{self.slug}/"

    @property
    def public(self) -> str:
        """The address of the tournament for everyone."""
        return f"{self.url}/tournaments/{self.slug}/"

    def sign_in(self, name: str, password: str) -> None:
        """Log in through the form."""
        self.tab.goto(f"{self.url}/accounts/login/")
        self.tab.locator("[name=login]").fill(name)
        self.tab.locator("[name=password]").fill(password)
        self.tab.locator("main form button[type=submit]").first.click()
        self.tab.wait_for_url(lambda url: "/accounts/" not in url)

    def create(self, preset: str, name: str, slug: str, **fields: Any) -> None:
        """Create a tournament from a preset; fields of the form have `__` for the hyphen."""
        tab = self.tab
        tab.goto(f"{self.url}/")
        tab.get_by_role("link", name="Organise", exact=True).click()
        tab.get_by_role("link", name="My tournaments").first.click()
        tab.get_by_role("link", name=f"Use this preset {preset}").click()
        closed = tab.locator("main details:not([open]) > summary")
        while closed.count():
            closed.first.click()
        self.name, self.slug = name, slug
        tab.get_by_label("Name", exact=True).fill(name)
        tab.get_by_label("Address", exact=True).fill(slug)
        for field, value in fields.items():
            self._fill(field.replace("__", "-"), value)
        tab.get_by_role("button", name="Create the tournament").click()
        expect(tab.get_by_text("The tournament is created.")).to_be_visible()

    def enter(self, names: list[str]) -> None:
        """Enter these bots with one list, and look at the preview first."""
        tab = self.tab
        tab.goto(self.desk)
        tab.get_by_role("link", name="Add several bots").click()
        tab.get_by_label("Bots", exact=True).fill("\n".join(names))
        tab.get_by_role("button", name="Preview").click()
        expect(tab.get_by_text(f"{len(names)} bots would be entered.")).to_be_visible()
        tab.get_by_role("button", name=f"Confirm: add {len(names)} bots").click()
        expect(tab.get_by_role("heading", name="Entrants")).to_be_visible()

    def act(self, button: str, reason: str = "") -> None:
        """Perform an act from the desk."""
        self.tab.goto(self.desk)
        self.tab.get_by_role("link", name=f"{button}…", exact=True).click()
        self.confirm(reason)

    def confirm(self, reason: str = "") -> None:
        """Confirm the shown preview, or a newer one if results arrived meanwhile."""
        tab = self.tab
        while True:
            expect(tab.get_by_role("heading", name="This would change")).to_be_visible()
            if reason:
                tab.get_by_role("textbox", name="Reason").fill(reason)
            tab.get_by_role("button", name="Confirm").click()
            expect(tab.locator("main h1")).to_be_visible()
            if "/acts/" not in tab.url:
                return
            # The platform has acted meanwhile, for example paired a round: the page says so.
            expect(tab.locator("main [role=alert]")).to_contain_text("The preview below is new.")

    def act_on_round(self, number: int, link: str, stage: int = 0) -> None:
        """Follow a link on the page of a round."""
        self.tab.goto(f"{self.desk}rounds/{stage}/{number}/")
        self.tab.get_by_role("link", name=link).first.click()

    def wait_for_phase(self, phase: str) -> None:
        """Reload the desk until the tournament is in this phase."""
        self.reload_until(self.desk, f".head .tag:text-is('{PHASES[phase]}')")

    def wait_for_round(self, number: int) -> None:
        """Reload the desk until this round is paired."""
        self.reload_until(self.desk, f".tournament-rounds a[href$='/rounds/0/{number}/']")

    def wait_for_running_block(self) -> None:
        """Reload the pages of the rounds until a block is being played."""
        self.reload_until(self.desk, ".tournament-rounds a")
        tab, end = self.tab, time.monotonic() + PATIENCE_S
        while True:
            tab.goto(self.desk)
            tab.get_by_role("link", name="Rounds", exact=True).click()
            if tab.locator("td .tag:text-is('running')").count():
                return
            assert time.monotonic() < end, "no block is played"
            tab.wait_for_timeout(PAUSE_MS / 4)

    def reload_until(
        self, address: str, selector: str, needs: subprocess.Popen[bytes] | None = None
    ) -> None:
        """Open a page again and again until it has this element, which needs this process."""
        tab, end = self.tab, time.monotonic() + PATIENCE_S
        while True:
            tab.goto(address)
            if tab.locator(selector).count():
                return
            assert time.monotonic() < end, f"{address} never has {selector}"
            assert needs is None or needs.poll() is None, f"{needs.args} has ended"
            tab.wait_for_timeout(PAUSE_MS)

    def export(self, folder: Path, tab: Page | None = None) -> tuple[Path, dict[str, Any]]:
        """Download the JSON of the tournament from its page, as the organiser or in another tab."""
        tab = tab or self.tab
        tab.goto(self.public)
        with tab.expect_download() as found:
            tab.get_by_role("link", name="JSON", exact=True).click()
        path = folder / f"{time.monotonic_ns()}-{found.value.suggested_filename}"
        found.value.save_as(path)
        return path, json.loads(path.read_text())

    def _fill(self, name: str, value: Any) -> None:
        field = self.tab.locator(f"main form [name={name!r}]")
        if isinstance(value, bool):
            field.set_checked(value)
        elif isinstance(value, list):
            for box in field.all():
                box.set_checked(box.get_attribute("value") in value)
        elif field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(str(value))
