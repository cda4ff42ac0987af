"""The cost of the viewer in a real browser.

python -m browser.bench_viewer, in the folder `tests`. It asserts nothing: machines differ. Elapsed
times depend on the load of the machine; the renderer's processor time hardly does.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from browser.conftest import NAMES
from browser.films import recorded_in
from browser.sites import running_site

LOADS = 5

LOADED = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return {
    server: page.responseStart - page.requestStart,
    paint: paint?.startTime ?? NaN,
    ready: performance.getEntriesByName("viewer-ready")[0]?.startTime ?? NaN,
    long: window.longTasks.length,
    longest: Math.max(0, ...window.longTasks),
  };
}"""

WATCH = """window.longTasks = [];
new PerformanceObserver((list) => {
  window.longTasks.push(...list.getEntries().map((task) => task.duration));
}).observe({ type: "longtask", buffered: true });
new MutationObserver((changes, watch) => {
  if (!document.querySelector("#viewer[data-ready]")) return;
  watch.disconnect();
  performance.mark("viewer-ready");
}).observe(document, { subtree: true, childList: true, attributeFilter: ["data-ready"] });
"""

STEP = """async () => {
  const scrub = document.querySelector("[data-scrub]");
  const steps = Number(scrub.max);
  for (let at = 1; at <= steps; at++) {
    await new Promise(requestAnimationFrame);
    scrub.value = at;
    scrub.dispatchEvent(new Event("input", { bubbles: true }));
  }
  await new Promise(requestAnimationFrame);
  return steps;
}"""

PLAY = """async (speed) => {
  const choice = document.querySelector("[data-speed]");
  choice.value = speed;
  choice.dispatchEvent(new Event("change"));
  const button = document.querySelector("[data-do=play]");
  window.longTasks = [];
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
  return { rate: pictures / seconds, pictures, late, seconds, long: window.longTasks.length };
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
                address = f"{site.url}/en/matches/{number}/"
                lines = [*_loading(chromium, address), *_playing(chromium, address)]
                sys.stdout.write("\n  ".join([name, *lines]) + "\n")
            chromium.close()


def _loading(chromium: Browser, address: str) -> list[str]:
    """Measure cold loads: each in a new browser context without a cache."""
    loads = [_load(chromium, address) for _ in range(LOADS)]
    best = {key: min(load[key] for load in loads) for key in loads[0]}
    usual = {key: median(load[key] for load in loads) for key in loads[0]}
    return [
        f"{usual['bytes']:,.0f} bytes in {usual['answers']:.0f} answers",
        f"first picture after {usual['paint']:.0f} ms, usable after {usual['ready']:.0f} ms"
        f" (median of {LOADS}; best {best['paint']:.0f} and {best['ready']:.0f}),"
        f" of which {usual['server']:.0f} ms for the page to come",
        f"renderer {usual['cpu']:.0f} ms of processor time until usable,"
        f" {usual['long']:.0f} long tasks, the longest {usual['longest']:.0f} ms",
    ]


def _load(chromium: Browser, address: str) -> dict[str, float]:
    page, session = _tab(chromium)
    sizes: list[int] = []
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda told: sizes.append(int(told["encodedDataLength"])))
    page.goto(address)
    page.wait_for_selector("#viewer[data-ready]")
    spent = _metrics(session)
    page.wait_for_load_state("networkidle")
    found: dict[str, float] = page.evaluate(LOADED)
    page.context.close()
    return found | {
        "bytes": sum(sizes),
        "answers": len(sizes),
        "cpu": 1000 * spent["TaskDuration"],
    }


def _playing(chromium: Browser, address: str) -> list[str]:
    page, session = _tab(chromium)
    page.goto(address)
    page.wait_for_selector("#viewer[data-ready]")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Home")
    before = _metrics(session)
    steps = page.evaluate(STEP)
    after = _metrics(session)
    spent = {
        name: 1000 * (after[f"{name}Duration"] - before[f"{name}Duration"]) / steps
        for name in ("Task", "Script", "RecalcStyle", "Layout")
    }
    lines = [
        f"each of {steps} steps {spent['Task']:.2f} ms of the renderer's processor time: script"
        f" {spent['Script']:.2f}, style {spent['RecalcStyle']:.2f}, layout {spent['Layout']:.2f}"
    ]
    for speed in ("15", "60"):
        page.keyboard.press("Home")
        found = page.evaluate(PLAY, speed)
        lines.append(
            f"at {speed} times the speed {found['rate']:.1f} pictures a second,"
            f" {found['late']} of {found['pictures']} late, {found['long']} long tasks"
        )
    page.context.close()
    return lines


def _tab(chromium: Browser) -> tuple[Page, CDPSession]:
    page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(WATCH)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return page, session


def _metrics(session: CDPSession) -> dict[str, float]:
    """Return the renderer's metrics, such as its processor time since the start, in seconds."""
    told: dict[str, Any] = session.send("Performance.getMetrics")
    return {one["name"]: one["value"] for one in told["metrics"]}


if __name__ == "__main__":
    main()
