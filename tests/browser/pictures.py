"""The pictures of the documentation: a ladder, a replay and the desk of a tournament, all real.

    python -m browser.pictures [minutes] [picture ...], in the folder `tests`

It starts a platform in a new data folder, enters some bots, lets them play for the given number of
minutes, and then takes screenshots with Chromium.
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

from browser.conftest import NAMES, PATIENCE_MS
from browser.organisers import Organiser
from cli import COMMAND
from ladder.embedded.platforms import Platform, new_home, run
from ports import free_port

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
MINUTES = 6.0
LARGEST = 200_000
WIDTH = 1280
MARGIN = 12

# The entered bots: their owner, base class, settings, and rate of careless moves.
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
CUP = ["random", "greedy", "planner", *(f"mcts:iterations={count}" for count in range(1, 14))]
QUALITIES = (1, 0.95, 0.9, 0.8)  # the first is lossless


def main() -> None:
    """Create the pictures, or those that are named."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    wanted = sys.argv[2:] or list(PICTURES)
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with playing() as platform, sync_playwright() as playwright:
        if wanted != ["desk"]:
            enter(platform)
            sys.stdout.write(f"playing for {minutes:g} minutes\n")
            time.sleep(60 * minutes)
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in wanted:
            context = chromium.new_context(
                viewport={"width": WIDTH, "height": 800},
                color_scheme="light",
                locale="en-GB",
                reduced_motion="reduce",
            )
            PICTURES[name](platform, context.new_page())
            context.close()
        chromium.close()


def ladder(platform: Platform, page: Page) -> None:
    """The table of a ladder."""
    page.goto(f"http://127.0.0.1:{platform.port}/en/ladders/amsterdam/")
    keep("ladder", page, ".ranking")


def replay(platform: Platform, page: Page) -> None:
    """A match in the viewer."""
    match = platform.count(MATCH.format(seats=SEATS))
    page.goto(f"http://127.0.0.1:{platform.port}/en/matches/{match}/?eyes=0")
    page.wait_for_selector("#viewer[data-ready='0']")
    last = int(page.locator("[data-scrub]").get_attribute("max") or 0)
    page.locator("[data-scrub]").fill(str(last * 3 // 5))
    page.locator("[data-scrub]").blur()
    keep("replay", page, ".viewer__stage")


def desk(platform: Platform, page: Page) -> None:
    """The desk of a cup while its second round is played."""
    page.set_default_timeout(PATIENCE_MS)
    organiser = Organiser(page, f"http://127.0.0.1:{platform.port}")
    organiser.sign_in(platform.admin, (platform.home / "admin-password").read_text().strip())
    cup = {"stage0__format": "swiss", "stage0__players": "2", "rules__boards": "practice"}
    organiser.create("Evening cup", "Spring cup", "spring-cup", **cup)
    organiser.act("Open entries")
    organiser.enter(CUP)
    organiser.act("Close entries")
    organiser.act("Start the tournament")
    organiser.wait_for_round(2)
    keep("desk", page, "main .table")


PICTURES = {"ladder": ladder, "replay": replay, "desk": desk}


@contextmanager
def playing() -> Iterator[Platform]:
    """Yield a platform that plays at full speed."""
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
    """Save a picture of the page down to the end of the selected element."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    above = page.evaluate("scrollY")  # boxes are relative to the window
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
