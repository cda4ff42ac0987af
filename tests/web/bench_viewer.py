"""What the viewer costs in a real browser: bytes, time until it can be used, pictures a second.

python -m web.bench_viewer, in the folder `tests`. It asserts nothing: machines differ.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from web.conftest import NAMES
from web.films import recorded_in
from web.sites import running_site

PLAY = """async (speed) => {
  const choice = document.querySelector("[data-speed]");
  choice.value = speed;
  choice.dispatchEvent(new Event("change"));
  const button = document.querySelector("[data-do=play]");
  let pictures = 0;
  let late = 0;
  let before = performance.now();
  const start = before;
  button.click();
  await new Promise((done) => {
    const tick = (now) => {
      pictures += 1;
      if (now - before > 25) late += 1;
      before = now;
      if (button.getAttribute("aria-pressed") === "true") requestAnimationFrame(tick);
      else done();
    };
    requestAnimationFrame(tick);
  });
  const seconds = (performance.now() - start) / 1000;
  return { rate: pictures / seconds, late, seconds };
}"""


def main() -> None:
    """Measure and print."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        matches = recorded_in(home)
        with running_site(home) as site, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            for name, number in matches.items():
                page = chromium.new_page()
                lines = _measured(page, f"{site.url}/en/matches/{number}/")
                sys.stdout.write("\n  ".join([name, *lines]) + "\n")
                page.close()
            chromium.close()


def _measured(page: Page, address: str) -> list[str]:
    sizes: list[int] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda told: sizes.append(int(told["encodedDataLength"])))
    start = time.monotonic()
    page.goto(address)
    page.wait_for_selector("#viewer[data-ready]")
    ready = time.monotonic() - start
    page.wait_for_load_state("networkidle")
    lines = [f"{sum(sizes):,} bytes in {len(sizes)} answers, usable after {ready:.2f} s"]
    for speed in ("15", "60"):
        page.keyboard.press("Home")
        found = page.evaluate(PLAY, speed)
        lines.append(
            f"at {speed} times the speed {found['rate']:.1f} pictures a second,"
            f" {found['late']} late"
        )
    return lines


if __name__ == "__main__":
    main()
