"""A smoke run in Firefox: a replay, the course, a game of a person, and a live match."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.films import recorded_in
from browser.firefox import Firefox, firefox_path, running_firefox
from browser.sites import running_site
from browser.stepped_game import played_in
from browser.test_play import relay
from referee_process import RefereeProcess, short_folder

pytestmark = pytest.mark.soak

EVENTS = "document.querySelectorAll('[data-events] li').length"
LINE = "document.querySelector('#live-table [data-says]').textContent"
ASKED = "document.querySelector('#table')?.dataset.decision"


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    path = firefox_path()
    if path is None:
        pytest.skip("no Firefox: run .ci/browser")
    with running_firefox(path, tmp_path) as running:
        yield running


def test_replay_course_play_and_live_match_work_in_firefox(firefox: Firefox) -> None:
    with short_folder() as folder:
        home = folder / "home"
        home.mkdir()
        matches = recorded_in(home)
        with RefereeProcess(folder) as referee, running_site(home) as site, relay(home, referee):
            replays(firefox, f"{site.url}/en/matches/{matches['four']}/?at=0")
            learns(firefox, f"{site.url}/en/learn/")
            plays(firefox, f"{site.url}/en/play/")
            watches(firefox)
    assert not firefox.errors()
    firefox.run("setTimeout(() => { throw new Error('wrong'); })")
    firefox.until("new Promise((done) => setTimeout(done, 50, true))")
    assert len(firefox.errors()) == 1  # an error would have been found


def test_moves_of_a_live_match_arrive_in_firefox(firefox: Firefox) -> None:
    with short_folder() as home, played_in(home) as game, running_site(home) as site:
        game.begin()
        events = game.go_on(6)
        firefox.open(f"{site.url}/en/matches/{game.match}/")
        firefox.until(f"{EVENTS} === {events}")
        for _ in range(2):  # moves that are made while the page is open
            events = game.go_on(4)
            firefox.until(f"{EVENTS} === {events}")
        firefox.until(f"document.querySelector('[data-scrub]').value === '{events - 1}'")
        firefox.open(f"{site.url}/en/")
        firefox.until("document.querySelector('#live-table [data-on-air]')?.hidden === false")
        line = firefox.run(f"return {LINE}")
        game.go_on(10)
        firefox.until(f"{LINE} !== {json.dumps(line)}")
        game.go_on(1000)
        game.record()
        firefox.click("#live-table [data-jump]:not([hidden])")
        firefox.until("document.querySelector('#now').textContent === 'Final result'")
        assert not firefox.errors()


def replays(firefox: Firefox, url: str) -> None:
    firefox.open(url)
    firefox.until("document.querySelector('#viewer').dataset.ready")
    firefox.run("document.querySelector('[data-speed]').value = '60'")
    firefox.run("document.querySelector('[data-speed]').dispatchEvent(new Event('change'))")
    firefox.click("[data-do=play]")
    firefox.until("document.querySelector('[data-scrub]').value > 20")
    firefox.until("document.querySelectorAll('.carts[data-seat] use').length > 0")


def learns(firefox: Firefox, url: str) -> None:
    firefox.open(url)
    firefox.click("[data-to='2']")
    firefox.until("document.querySelector('[data-step=\"2\"]').getBoundingClientRect().height > 0")
    firefox.click("[data-step='2'] .try--good summary")
    firefox.until("document.querySelector('[data-step=\"2\"] .try--good').open")


def plays(firefox: Firefox, url: str) -> None:
    firefox.open(url)
    firefox.run("document.querySelector('#board').value = 'practice'")
    firefox.click(".play-choice .button")
    for _ in range(6):
        decision = firefox.until(ASKED)
        firefox.click("[data-actions] > button")
        firefox.until(f"{ASKED} !== '{decision}'")
    firefox.until(ASKED)


def watches(firefox: Firefox) -> None:
    """Open the running game as its spectators do; this site has no host to follow."""
    firefox.run("location = document.querySelector('#table').dataset.matches")
    firefox.until("document.querySelector('#viewer[data-live] svg.damrak')")
    firefox.until("document.querySelector('[data-do=help]')?.hidden === false")
