"""The pictures of the README: a ladder and a replay, from a platform that really plays.

    python -m web.pictures [minutes], in the folder `tests`

It starts a platform in a data folder of its own, enters some bots, lets them play for so many
minutes, and then looks at it with Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from cli import COMMAND
from embedded.platforms import Platform, new_home, run
from ports import free_port
from web.conftest import NAMES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
MINUTES = 6.0
LARGEST = 200_000
WIDTH = 1280
MARGIN = 12

# Bots that are entered: whose they are, what they are made of, and how often they are careless.
BOTS = {
    "canal-rat": ("ada", "MctsBot", "iterations=15", 0.0),
    "night-ferry": ("bo", "PlannerBot", "", 0.04),
    "tulip": ("cleo", "PlannerBot", "", 0.12),
    "herring": ("ada", "PlannerBot", "", 0.3),
    "drawbridge": ("dov", "GreedyBot", "", 0.08),
}
BOT = """
from damrak.bots import {base}


class Entered({base}):
    def __init__(self):
        super().__init__({settings})

    def choose(self, view):
        if self.rng.random() < {careless}:
            return self.rng.choice(view.legal)
        return super().choose(view)
"""
TOKEN = """
from django.utils import timezone
from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.tokens import issue
user, _ = User.objects.get_or_create(username={name!r}, email="{name}@example.org")
print(issue(user, {bot!r}, ["read", "submit"], timezone.now())[1])
"""
MATCH = """
SELECT match.id FROM matches_match match
JOIN matches_block block ON block.id = match.block_id
JOIN matches_seat seat ON seat.match_id = match.id
WHERE block.state = 'recorded' AND block.purpose = 'ladder'
GROUP BY match.id ORDER BY COUNT(seat.id) = {seats} DESC, match.id DESC LIMIT 1
"""
SEATS = 3
WEBP = """async ([png, quality]) => {
  const bytes = Uint8Array.from(atob(png), (one) => one.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext("2d").drawImage(picture, 0, 0);
  const blob = await canvas.convertToBlob({ type: "image/webp", quality });
  const kept = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(kept, (one) => String.fromCharCode(one)).join(""));
}"""
QUALITIES = (1, 0.95, 0.9, 0.8)  # the first is lossless


def main() -> None:
    """Make both."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with playing() as platform, sync_playwright() as playwright:
        enter(platform)
        sys.stdout.write(f"playing for {minutes:g} minutes\n")
        time.sleep(60 * minutes)
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = chromium.new_context(
            viewport={"width": WIDTH, "height": 800},
            color_scheme="light",
            locale="en-GB",
            reduced_motion="reduce",
        )
        page = context.new_page()
        site = f"http://127.0.0.1:{platform.port}"
        page.goto(f"{site}/en/ladders/amsterdam/")
        keep("ladder", page, ".ranking")
        page.goto(f"{site}/en/matches/{platform.count(MATCH.format(seats=SEATS))}/?eyes=0")
        page.wait_for_selector("#viewer[data-ready='0']")
        last = int(page.locator("[data-scrub]").get_attribute("max") or 0)
        page.locator("[data-scrub]").fill(str(last * 3 // 5))
        page.locator("[data-scrub]").blur()
        keep("replay", page, ".viewer__stage")
        chromium.close()


@contextmanager
def playing() -> Iterator[Platform]:
    """A platform that plays as much as it can."""
    with new_home() as home, Platform(home, free_port(), "--workers", "2") as platform:
        yield platform.wait_until_up()


def enter(platform: Platform) -> None:
    """Submit the bots, as their authors would."""
    site = f"http://127.0.0.1:{platform.port}"
    with tempfile.TemporaryDirectory() as folder:
        for name, (owner, base, settings, careless) in BOTS.items():
            bot = Path(folder) / f"{name}.py"
            bot.write_text(BOT.format(base=base, settings=settings, careless=careless))
            code = TOKEN.format(name=owner, bot=name)
            made = run(platform.home, platform.port, "manage", "shell", "-v", "0", "-c", code)
            submit = [*COMMAND, "submit", str(bot), "--bot", name, "--no-check", "--to", site]
            variables = os.environ | {"DAMRAK_API_TOKEN": made.stdout.strip()}
            subprocess.run(submit, env=variables, check=True, cwd=folder)


def keep(name: str, page: Page, selector: str) -> None:
    """Write the page down to the end of that part of it."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    above = page.evaluate("scrollY")  # boxes are where they are in the window
    height = int(above + box["y"] + box["height"]) + MARGIN
    shot = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": height}, full_page=True)
    empty = page.context.new_page()
    for quality in QUALITIES:
        packed = b64decode(empty.evaluate(WEBP, [b64encode(shot).decode(), quality]))
        if len(packed) <= LARGEST:
            break
    else:
        raise SystemExit(f"{name}: {len(packed):,} bytes are too many")
    empty.close()
    (FOLDER / f"{name}.webp").write_bytes(packed)
    sys.stdout.write(f"{name}.webp: {WIDTH} x {height}, {len(packed):,} bytes\n")


if __name__ == "__main__":
    main()
