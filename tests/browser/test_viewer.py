"""The replay viewer in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context, watch
from browser.films import recorded_in
from browser.sites import Site, running_site

PRESSED = ".contract[aria-pressed=true]"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@dataclass(frozen=True)
class Cinema:
    """A site with recorded matches."""

    site: Site
    matches: dict[str, int]

    def address(self, name: str, more: str = "") -> str:
        return f"{self.site.url}/en/matches/{self.matches[name]}/{more}"

    def file(self, name: str, path: str) -> str:
        return f"{self.site.url}/matches/{self.matches[name]}/{path}"


@pytest.fixture(scope="module")
def cinema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cinema]:
    home = tmp_path_factory.mktemp("cinema")
    matches = recorded_in(home)
    with running_site(home) as site:
        yield Cinema(site, matches)


def opened(page: Page, address: str, eyes: str = "all") -> Page:
    page.goto(address)
    page.wait_for_selector(f"#viewer[data-ready='{eyes}']")
    return page


def carts(page: Page) -> int:
    return page.locator(".carts[data-seat]").count()


def at(page: Page) -> int:
    return int(page.locator("[data-scrub]").input_value())


def test_scrubbing_moves_everything_together(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("four", "#0"))
    assert carts(page) == 0
    moments = page.request.get(cinema.file("four", "moments/all.json")).json()["moments"]
    claims = [i for i, (event, _) in enumerate(moments) if event["event"] == "claim"]
    for number, claim in enumerate(claims[:6], 1):
        page.locator("[data-scrub]").fill(str(claim))
        assert carts(page) == number
        current = page.locator("[data-events] [aria-current]")
        expect(current).to_have_attribute("href", f"?at={claim}#viewer")
        expect(page.locator("#board-says")).to_contain_text(current.inner_text())
    page.locator("[data-scrub]").fill(str(claims[0] - 1))
    assert carts(page) == 0


@pytest.mark.parametrize("eyes", ["all", "table", "0", "1", "2"])
def test_each_perspective_sees_its_own_information(page: Page, cinema: Cinema, eyes: str) -> None:
    opened(page, cinema.address("three", f"?eyes={eyes}#20"), eyes)
    assert at(page) == 20
    for seat in range(3):
        panel = page.locator(f".seat--{seat}")
        sees = eyes in ("all", str(seat))
        assert (panel.locator(".card.back:visible").count() == 0) or not sees
        assert panel.locator(".contract--back").count() == 0 or not sees
        assert panel.locator("button.contract").count() > 0 or not sees
    if eyes == "table":
        assert page.locator("button.contract").count() == 0
    page.keyboard.press("End")
    assert page.locator(".contract--back").count() == 0
    assert page.locator(".seat__badge:visible").count() == 3


def test_other_eyes_see_the_same_moment(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("two", "#30"))
    page.select_option("#viewer-eyes", "1")
    page.wait_for_selector("#viewer[data-ready='1']")
    assert at(page) == 30
    expect(page).to_have_url(cinema.address("two", "?eyes=1#30"))
    page.keyboard.press("t")
    page.wait_for_selector("#viewer[data-ready='table']")
    assert at(page) == 30


def test_address_holds_the_moment(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("two", "#42"))
    assert at(page) == 42
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(cinema.address("two", "#43"))
    page.evaluate("location.hash = '#7'")
    expect(page.locator("[data-at]")).to_have_text(re.compile(r"^\s*7 /"))
    opened(page, cinema.address("two", "#99999"))
    scrub = page.locator("[data-scrub]")
    expect(scrub).to_have_value(scrub.get_attribute("max") or "")


def test_keys_do_what_they_promise(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("two"))
    last = at(page)
    for key, expected in (
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", last),
    ):
        page.keyboard.press(key)
        assert at(page) == expected
        stops = page.locator("[data-events] a:not([tabindex='-1'])")
        expect(stops).to_have_count(1)  # hundreds would make it hard to reach what follows
        expect(stops).to_have_attribute("href", re.compile(rf"[#=]{expected}(#|$)"))
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator("[data-turn]").input_value() == "1"
    page.keyboard.press("+")
    assert page.locator("[data-speed]").input_value() == "2"
    page.keyboard.press("z")
    expect(page.locator(".viewer__board")).to_have_class("viewer__board zoomed")
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_contain_text("Play or pause")
    page.locator("[data-single-keys]").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    before = at(page)
    page.keyboard.press("z")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".viewer__board")).to_have_class("viewer__board zoomed")
    assert at(page) == before + 1
    page.reload()
    page.wait_for_selector("#viewer[data-ready='all']")
    expect(page.locator("[data-single-keys]")).not_to_be_checked()


def test_the_key_for_the_full_screen_shows_the_viewer_on_it_and_ends_it(
    page: Page, cinema: Cinema
) -> None:
    opened(page, cinema.address("two", "#10"))
    page.evaluate(COUNT_REQUESTS)
    for press in (
        lambda: page.keyboard.press("f"),
        lambda: page.locator("[data-do=full]").click(),
    ):
        press()
        expect(page.locator("#viewer:fullscreen")).to_be_visible()
        board, controls = (page.locator(part) for part in (".viewer__board svg", "[data-scrub]"))
        for part in (board, controls):
            expect(part).to_be_in_viewport(ratio=1)
        assert page.evaluate(IS_ON_TOP)
        page.keyboard.press("ArrowRight")
        press()
        expect(page.locator(":fullscreen")).to_have_count(0)
        assert not page.evaluate(IS_ON_TOP)
    assert at(page) == 12
    assert page.evaluate("window.requests") == 2
    page.keyboard.press("?")
    page.locator("[data-single-keys]").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.keyboard.press("ArrowRight")
    assert at(page) == 13
    assert page.evaluate("window.requests") == 2


# Whether the viewer is where the masthead is otherwise.
IS_ON_TOP = """() => {
  scrollTo(0, 0);
  return document.querySelector("#viewer").contains(document.elementFromPoint(innerWidth / 2, 5));
}"""

COUNT_REQUESTS = """() => {
  const { requestFullscreen } = Element.prototype;
  window.requests = 0;
  Element.prototype.requestFullscreen = function () {
    window.requests++;
    return requestFullscreen.call(this);
  };
}"""


def test_zooming_leads_to_the_latest_claim(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("four", "#0"))
    moments = page.request.get(cinema.file("four", "moments/all.json")).json()["moments"]
    claims = [(at, event) for at, (event, _) in enumerate(moments) if event["event"] == "claim"]
    for moment, event in (claims[0], claims[-1]):
        page.locator("[data-scrub]").fill(str(moment + 1))
        page.keyboard.press("z")
        apart = page.evaluate(APART, event["route"])
        assert all(distance <= 0 for distance in apart), (event, apart)
        page.keyboard.press("z")


APART = """route => {
  const part = document.querySelector(`[data-carts="${route}"]`).getBoundingClientRect();
  const frame = document.querySelector(".viewer__board").getBoundingClientRect();
  const [x, y] = [part.left + part.width / 2, part.top + part.height / 2];
  return [frame.left - x, x - frame.right, frame.top - y, y - frame.bottom];
}"""


def test_points_rise_at_the_seat_that_scores(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("four", "?eyes=table#0"), "table")
    page.evaluate(WATCH, ".viewer__seats .rise")
    page.select_option("[data-speed]", "5")
    page.locator("[data-do=play]").click()
    while not page.evaluate("window.seen.length"):
        page.wait_for_timeout(50)
    assert re.fullmatch(r"\+\d+", page.evaluate("window.seen[0]"))


def test_keys_that_scroll_a_table_do_nothing_else(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("two", "#10"))
    page.locator(".table").first.focus()
    page.keyboard.press("ArrowRight")
    assert at(page) == 10


def test_playing_goes_on_by_itself_until_stopped(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("two", "#0"))
    page.keyboard.press("Space")
    button = page.locator("[data-do=play]")
    expect(button).to_have_attribute("aria-pressed", "true")
    # Set late, so that it does not end before it was checked.
    page.select_option("[data-speed]", "60")
    expect(button).to_have_attribute("aria-pressed", "false")  # at the end
    assert at(page) == int(page.locator("[data-scrub]").get_attribute("max") or 0)


WATCH = """selector => {
  window.seen = [];
  const look = () => {
    for (const part of document.querySelectorAll(selector)) window.seen.push(part.textContent);
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def test_cards_and_carts_move_unless_motion_is_reduced(browser: Browser, cinema: Cinema) -> None:
    for motion, moves in (("no-preference", True), ("reduce", False)):
        context = new_context(browser, reduced_motion=motion)
        page = context.new_page()
        opened(page, cinema.address("four", "#0"))
        moments = page.request.get(cinema.file("four", "moments/all.json")).json()["moments"]
        for kind in ("take", "blind", "claim"):
            at = next(i for i, (event, _) in enumerate(moments) if event["event"] == kind)
            page.locator("[data-scrub]").fill(str(at - 1))
            page.evaluate(WATCH, ".flight")
            height = page.evaluate("document.documentElement.scrollHeight")
            page.locator("[data-do=step]").click()
            assert bool(page.evaluate("window.seen.length")) == moves
            assert page.evaluate("document.documentElement.scrollHeight") == height
            expect(page.locator(".flight")).to_have_count(0)
        context.close()


def test_captions_state_intent_only_for_eyes_that_know_the_contracts(
    page: Page, cinema: Cinema
) -> None:
    page.clock.install()
    for eyes in ("all", "table"):
        opened(page, cinema.address("four", f"?eyes={eyes}#0"), eyes)
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
        page.evaluate(WATCH, "#board-says")
        page.locator("[data-speed]").select_option("60")
        page.locator("[data-do=play]").click()
        while page.locator("[data-do=play]").get_attribute("aria-pressed") == "true":
            page.clock.run_for(160)  # ten frames, each with one decision: none is skipped
        page.clock.resume()
        said = [line for line in page.evaluate("window.seen") if "It fulfils" in line]
        assert bool(said) == (eyes == "all")


def test_sound_is_off_until_it_is_turned_on(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("four"))
    page.locator("[data-do=help]").click()
    sound = page.get_by_label("Sound")
    expect(sound).not_to_be_checked()
    sound.check()
    opened(page, cinema.address("four"))
    page.locator("[data-do=help]").click()
    expect(sound).to_be_checked()
    sound.uncheck()
    page.keyboard.press("Escape")
    page.locator("[data-do=back]").click()


def test_contract_shows_its_route(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("two", "#10"))
    contract = page.locator("button.contract").first
    contract.click()
    assert page.locator(".way-end").count() == 2
    expect(page.locator("#board-says")).to_contain_text(":")
    for key in ("End", "ArrowLeft"):
        page.keyboard.press(key)
        expect(contract).to_have_attribute("aria-pressed", "true")
        expect(contract).to_be_focused()
    contract.click()
    assert page.locator(".way-end").count() == 0
    contract.click()
    page.keyboard.press("ArrowLeft")
    page.select_option("#viewer-eyes", "table")
    page.wait_for_selector("#viewer[data-ready='table']")
    assert page.locator(".way-end").count() == (2 if page.locator(PRESSED).count() else 0)
    page.keyboard.press("Home")
    assert page.locator(".way-end").count() == 0


def test_verifying_reports_what_was_checked(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("four"))
    page.click("[data-verify]")
    expect(page.locator(".verdict--good")).to_contain_text("This replay is valid.")
    expect(page.locator(".verdict--good li")).to_have_count(8)


def test_position_can_be_taken_away_as_pixels(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("four", "#40"))
    page.click(".viewer__share summary")
    with page.expect_download() as found:
        page.click("[data-png]")
    assert found.value.suggested_filename.endswith("-40.png")
    assert found.value.path().read_bytes().startswith(b"\x89PNG")
    expect(page.locator("[data-link]")).to_have_value(cinema.address("four", "#40"))
    expect(page.locator(".viewer__embed textarea")).to_have_value(re.compile(r'/embed/#40" '))


def test_embedded_page_works_in_a_frame(page: Page, cinema: Cinema) -> None:
    page.goto(cinema.address("two", "embed/#5"))
    page.wait_for_selector("#viewer[data-ready='all']")
    assert at(page) == 5


def test_frame_on_a_wall_plays_from_the_start(browser: Browser, cinema: Cinema) -> None:
    context = new_context(browser, viewport={"width": 300, "height": 360}, locale="en-GB")
    page = opened(context.new_page(), cinema.address("four", "embed/?at=0#play"))
    expect(page.get_by_role("button", name="Pause")).to_be_in_viewport()
    expect(page.locator(".viewer__board")).to_be_in_viewport(ratio=0.9)
    expect(page.locator(".viewer__eyes")).to_be_hidden()
    expect(page.locator("[data-scrub]")).not_to_have_value(re.compile("^[01]$"))
    assert at(page) < int(page.locator("[data-scrub]").get_attribute("max") or 0)
    page.get_by_role("button", name="Pause").click()
    stopped = at(page)
    page.wait_for_timeout(2500)
    assert at(page) == stopped
    assert page.evaluate("document.documentElement.scrollHeight") <= 360
    context.close()


def test_swiping_steps(browser: Browser, cinema: Cinema) -> None:
    context = new_context(browser, viewport={"width": 360, "height": 740}, has_touch=True)
    page = opened(context.new_page(), cinema.address("two", "#10"))
    swipe = """([from, to]) => {
      const board = document.querySelector(".viewer__board");
      const touch = { pointerType: "touch", clientY: 300, bubbles: true };
      board.dispatchEvent(new PointerEvent("pointerdown", { ...touch, clientX: from }));
      board.dispatchEvent(new PointerEvent("pointerup", { ...touch, clientX: to }));
    }"""
    page.evaluate(swipe, [250, 100])
    assert at(page) == 11
    page.evaluate(swipe, [100, 250])
    assert at(page) == 10
    page.locator("[data-turn]").fill("3")
    page.locator("[data-turn]").press("Enter")
    assert page.locator("[data-turn]").input_value() == "3"
    assert at(page) != 10
    scores = page.locator(".seat__score").all_inner_texts()
    assert page.locator("[data-brief] b").all_inner_texts() == scores
    expect(page.locator("[data-brief]")).to_be_visible()
    context.close()


COVERED = """() => {
  const names = [...document.querySelectorAll(".viewer__board [data-location]")].map(
    (place) => [...place.querySelectorAll("text")].map((line) => line.getBoundingClientRect()));
  const meet = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return names.flatMap((some, i) => names.slice(i + 1).flatMap((others) =>
    some.flatMap((a) => others.filter((b) => meet(a, b))))).length;
}"""


def test_on_a_phone_no_name_covers_another(browser: Browser, cinema: Cinema) -> None:
    context = new_context(browser, viewport={"width": 1440, "height": 900})
    page = opened(context.new_page(), cinema.address("three"))
    for width in (1440, 360, 1440, 360):
        page.set_viewport_size({"width": width, "height": 740})
        expect(page.locator(".viewer__board .name[textLength]").first).to_be_attached(
            attached=width > 360
        )
        assert page.evaluate(COVERED) == 0, width
    context.close()


@pytest.mark.parametrize("eyes", ["all", "table", "0", "1", "2"])
def test_without_a_script_each_kind_of_eyes_steps_through_the_match(
    browser: Browser, page: Page, cinema: Cinema, shots: Path, eyes: str
) -> None:
    """The server draws the same as the script, at every moment that is compared."""
    context = new_context(browser, java_script_enabled=False, locale="en-GB")
    plain = context.new_page()
    plain.goto(cinema.address("three"))
    plain.select_option("#viewer-eyes", eyes)
    plain.click("[data-plain]")
    opened(page, cinema.address("three", f"?eyes={eyes}"), eyes)
    expect(plain.locator(".viewer__controls[hidden]")).to_be_hidden()
    plain.wait_for_load_state()
    assert shown(plain) == shown(page)
    moments = [at(page)]
    for name in ("Previous turn", "Previous event", "Go to the start", "Next turn", "Next event"):
        plain.get_by_role("link", name=name).click()
        moment = int(re.search(r"at=(\d+)", plain.url)[1])
        page.evaluate(f"location.hash = '#{moment}'")
        expect(page.locator("[data-at]")).to_have_text(re.compile(rf"^\s*{moment} /"))
        expect(plain.locator("nav .viewer__at")).to_have_text(
            page.locator("[data-at]").inner_text()
        )
        plain.wait_for_load_state()
        assert shown(plain) == shown(page)
        moments.append(moment)
    assert len(set(moments)) == 6
    if eyes == "1":
        plain.screenshot(path=shots / "viewer-plain.png", full_page=True)
    plain.locator("[data-events] a").nth(40).click()
    expect(plain.locator("nav .viewer__at")).to_contain_text("40 /")
    expect(plain.locator("#viewer-eyes")).to_have_value(eyes)
    expect(plain.locator("[data-events] [aria-current]")).to_have_count(1)
    context.close()


def shown(page: Page) -> list[str]:
    """Return the text on the board, beside it and below it."""
    beside = page.locator(".row .card, .market-facts, .seat, .viewer__knows, #board-says")
    owners = [
        f"{group.get_attribute('data-carts')}: {group.get_attribute('data-seat')}"
        for group in page.locator(".carts[data-seat]").all()
    ]
    marks = [page.locator(what).count() for what in (".seat.acts", ".contract--done")]
    texts = [" ".join(text.split()) for text in beside.all_inner_texts()]
    return [*texts, *owners, *map(str, marks)]


def test_address_without_script_leads_a_script_to_the_moment(page: Page, cinema: Cinema) -> None:
    opened(page, cinema.address("two", "?eyes=1&at=30"), "1")
    assert at(page) == 30
    expect(page).to_have_url(cinema.address("two", "?eyes=1#30"))


SIZES = ((360, 740), (740, 360), (768, 800), (1366, 768), (1440, 800), (1920, 1080))
PARTS = """() => ["svg.damrak", ".viewer__dock", "[data-do=play]", ".masthead"].map((what) => {
  const { left, top, right, bottom } = document.querySelector(what).getBoundingClientRect();
  return [left, top, right, bottom];
})"""


def test_whole_board_is_visible_on_arrival_at_every_size(
    browser: Browser, cinema: Cinema, shots: Path
) -> None:
    context = new_context(browser, reduced_motion="reduce")
    page = context.new_page()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for name in ("three", "four"):
            opened(page, cinema.address(name, "#50"))
            page.screenshot(path=shots / f"stage-{name}-{width}x{height}.png")
            board, dock, play, mast = page.evaluate(PARTS)
            assert 0 <= board[0] <= board[2] <= width, (width, board)
            assert mast[3] <= board[1] <= board[3] <= height, (width, board, mast)
            assert dock[1] >= board[3] or dock[0] >= board[2], (width, board, dock)
            assert play[3] <= height, (width, play)
            share = (board[2] - board[0]) * (board[3] - board[1]) / (width * height)
            assert share >= (0.3 if width < 740 else 0.45), (width, share)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_page_is_small(browser: Browser, cinema: Cinema) -> None:
    context = new_context(browser)
    page = context.new_page()
    sizes: dict[str, int] = {}
    session = context.new_cdp_session(page)
    urls: dict[str, str] = {}
    session.send("Network.enable")
    session.on(
        "Network.responseReceived", lambda e: urls.update({e["requestId"]: e["response"]["url"]})
    )
    session.on(
        "Network.loadingFinished",
        lambda e: sizes.update({urls.get(e["requestId"], "?"): int(e["encodedDataLength"])}),
    )
    opened(page, cinema.address("four"))
    page.wait_for_load_state("networkidle")
    context.close()
    assert sum(sizes.values()) <= 150_000, sizes


def test_viewer_is_accessible_and_fits_the_window(
    browser: Browser, cinema: Cinema, shots: Path
) -> None:
    context = new_context(browser, locale="en-GB", reduced_motion="reduce")
    page = context.new_page()
    complaints: list[Any] = []
    watch(page, complaints)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width, height in ((1440, 900), (360, 740)):
            page.set_viewport_size({"width": width, "height": height})
            opened(page, cinema.address("four", "?eyes=1#60"), "1")
            page.locator("button.contract").first.click()
            page.screenshot(path=shots / f"viewer-{width}-{scheme}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            if (scheme, width) == ("light", 1440):
                wanted = {"type": "tag", "values": RULES}
            elif (scheme, width) == ("dark", 360):
                wanted = {"type": "rule", "values": ["color-contrast", "target-size"]}
            else:
                continue
            found = Axe().run(page, options={"runOnly": wanted})
            complaints += [
                (
                    scheme,
                    width,
                    one["id"],
                    one["help"],
                    [node["html"][:200] for node in one["nodes"]],
                )
                for one in found.response["violations"]
            ]
    context.close()
    assert not complaints, "\n".join(map(str, complaints))
