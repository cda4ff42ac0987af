"""How soon a bot's answer is on the screens of many people who play at once."""

from __future__ import annotations

import http.client
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from damrak_ladder.benchmark.platform import (
    Tell,
    run_python,
    running_platform,
    spent_by_part,
    variables_of,
)

TARGET_MS: Final = 300.0
PATIENCE_S: Final = 120.0
_SEED: Final = """
from datetime import UTC, datetime
from damrak_ladder.management import load
load()
from django.core.management import call_command
call_command("migrate", verbosity=0, interactive=False)
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
now = datetime.now(UTC)
common = {"boards": ("amsterdam",), "shares": {2: 1.0}, "house": ("random", "greedy")}
for slug in ("amsterdam", "daily"):
    create_ladder(LadderPlan(slug=slug, name="Closed", is_open=False, **common), now)
"""


@dataclass(frozen=True, slots=True)
class Times:
    """The times from a person's answer to the bot's next one on the page, in milliseconds."""

    people: int
    seconds: float
    answers: tuple[float, ...]
    failures: tuple[str, ...]
    load: float
    cpu: dict[str, float]  # seconds of processor time, by part of the platform

    def share(self, part: float) -> float:
        """Return the time within which this part of the answers was on the screen."""
        ordered = sorted(self.answers)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0

    def costs(self) -> dict[str, float]:
        """Return the processor time for each answer in milliseconds, most expensive part first."""
        parts = sorted(self.cpu.items(), key=lambda part: -part[1])
        return {part: 1000 * spent / max(1, len(self.answers)) for part, spent in parts}

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON output."""
        return {
            "people": self.people,
            "seconds": round(self.seconds, 1),
            "answers": len(self.answers),
            "median_ms": round(self.share(0.5), 1),
            "p95_ms": round(self.share(0.95), 1),
            "failures": len(self.failures),
            "cpu_ms_per_answer": {part: round(ms, 2) for part, ms in self.costs().items()},
            "load": round(self.load, 2),
        }


@dataclass(slots=True)
class _Person:
    """A simulated person, who plays `greedy` and thinks before each answer."""

    port: int
    think: tuple[float, float]
    chance: random.Random
    until: threading.Event
    answers: list[float] = field(default_factory=list)
    failure: str = ""

    def play(self) -> None:
        """Play one game after another."""
        try:
            while not self.until.is_set():
                self._game()
        except (OSError, http.client.HTTPException, ValueError, KeyError) as problem:
            if not self.until.is_set():
                self.failure = f"{type(problem).__name__}: {problem}"

    def _game(self) -> None:
        form = {"second": "greedy", "board": "amsterdam", "pace": "calm"}
        answer = self._post("/en/play/", form, "")
        path, cookie = answer.headers["Location"], answer.headers["Set-Cookie"].split(";")[0]
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        line.request("GET", f"{path}stream/", headers={"Cookie": cookie})
        sent, own, has_bot_moved = 0.0, -1, False
        for name, data in _events(line.getresponse()):
            if self.until.is_set() or name == "recorded":
                break
            if name == "setting":
                own = int(data["eyes"])
            elif name == "moments":
                seats = {event.get("seat", own) for event, _ in data["moments"]}
                has_bot_moved = has_bot_moved or seats != {own}
            elif name == "ask" and data["chosen"] is None:
                if sent and has_bot_moved:
                    self.answers.append(1000 * (time.perf_counter() - sent))
                self.until.wait(self.chance.uniform(*self.think))
                chosen = self._choice(data["actions"])
                has_bot_moved, sent = False, time.perf_counter()
                said = {"decision": data["decision"], "action": chosen["id"]}
                self._post(f"{path}answer/", said, cookie)
        line.close()

    def _choice(self, actions: list[dict[str, Any]]) -> dict[str, Any]:
        claims = [action for action in actions if action["event"] == "claim"]
        return self.chance.choice(claims or actions)

    def _post(self, path: str, form: dict[str, Any], cookie: str) -> http.client.HTTPResponse:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "X-Requested-With": "fetch",
            "Cookie": cookie,
        }
        line.request("POST", path, urlencode(form), headers)
        answer = line.getresponse()
        answer.read()
        line.close()
        if answer.status not in (204, 302):
            raise ValueError(f"{path}: status {answer.status}")
        return answer


def measure(people: int, seconds: float, think: float, database: str | None, tell: Tell) -> Times:
    """Start a private platform, and let people play on it who think for `think` s on average."""
    with tempfile.TemporaryDirectory(prefix="damrak-bench-") as folder:
        variables = variables_of(Path(folder), database) | {
            "DAMRAK_LADDER_PEOPLE_GAMES": str(people),
            "DAMRAK_LADDER_PEOPLE_GAMES_PER_ADDRESS": str(10 * people),
        }
        run_python(_SEED, variables)
        with running_platform(variables, 1, tell) as root:
            return _played(root, int(variables["DAMRAK_PORT"]), people, seconds, think, tell)


def _played(root: int, port: int, people: int, seconds: float, think: float, tell: Tell) -> Times:
    until = threading.Event()
    crowd = [
        _Person(port, (think / 2, 1.5 * think), random.Random(seed), until)  # noqa: S311
        for seed in range(people)
    ]
    threads = [threading.Thread(target=person.play, daemon=True) for person in crowd]
    tell(f"{people} people sit down")
    for thread in threads:
        thread.start()
    end = time.monotonic() + PATIENCE_S
    while any(not person.answers and not person.failure for person in crowd):
        if time.monotonic() > end:
            break
        time.sleep(0.2)
    begun, used = time.monotonic(), spent_by_part(root)
    before = [len(person.answers) for person in crowd]
    tell(f"{people} people play for {seconds:.0f} s")
    time.sleep(seconds)
    load = os.getloadavg()[0]
    answers = [
        took for person, first in zip(crowd, before, strict=True) for took in person.answers[first:]
    ]
    after = spent_by_part(root)
    until.set()
    failures = tuple(person.failure for person in crowd if person.failure)
    cpu = {part: after[part] - used.get(part, 0.0) for part in after}
    return Times(people, time.monotonic() - begun, tuple(answers), failures, load, cpu)


def _events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Yield server-sent events: the name and the data of each."""
    name = ""
    for line in answer:
        text = line.decode().rstrip("\n")
        if text.startswith("event: "):
            name = text[7:]
        elif text.startswith("data: "):
            yield name, json.loads(text[6:])
