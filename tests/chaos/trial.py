"""A plan carried out by a referee and a caller that are killed repeatedly."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos.caller import connect
from chaos.leftovers import leftovers
from chaos.plan import Plan
from chaos.victims import Victim, command_line, kill_child_of
from processes import children_of

TICK = 0.02
LONGEST_WAIT = 0.5
PATIENCE = 600.0  # seconds without a finished block: something is stuck
Tell = Callable[[str], None]


class Stuck(Exception):
    """No block has been finished for too long."""


@dataclass(slots=True)
class Outcome:
    """The outcome of a trial."""

    # By match: the events of each result.
    results: dict[str, list[Any]] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)
    attempts: int = 0
    seconds: float = 0.0


def carry_out(plan: Plan, folder: Path, kills: int = 0, tell: Tell = lambda line: None) -> Outcome:
    """Play the whole plan, with kills spread over it; the folder must be new, its path short."""
    folder.mkdir(parents=True)
    run = folder / "run"
    control = f"unix:{folder}/c.sock"
    journal = folder / "journal.sqlite"
    referee = Victim(
        "referee",
        [
            *("-m", "damrak_referee", "--listen", f"unix:{folder}/l.sock", "--control", control),
            *("--run", str(run), "--store", str(folder / "store"), "--capacity", "8"),
            *("--ready-file", str(folder / "ready.json"), "--start-limit", "600"),
        ],
        folder / "referee.log",
    )
    caller = Victim(
        "caller",
        ["-m", "chaos.caller", control, str(journal), str(plan.blocks), plan.seed],
        folder / "caller.log",
    )
    outcome = Outcome()
    orphans: set[int] = set()  # of killed referees
    rng = random.Random(plan.seed)
    began = progressed = time.monotonic()
    next_kill = began + 1.5
    done = 0
    connect(journal).close()
    database = connect(journal)
    try:
        while True:
            if referee.keep() is not None:
                raise Stuck(f"the referee gave up; see {folder}/referee.log")
            status = caller.keep()
            if status == 0:
                break
            if status is not None:
                raise Stuck(f"the caller failed with {status}; see {folder}/caller.log")
            now = time.monotonic()
            finished = database.execute("select count(*) from result").fetchone()[0]
            if finished != done:
                done, progressed = finished, now
                tell(f"{done} of {len(plan.matches)} matches, {outcome.kills.total()} kills")
            if now - progressed > PATIENCE:
                raise Stuck(f"nothing was finished for {PATIENCE:.0f} s; see {folder}")
            # In step with the finished matches, so that the kills are spread over the whole plan.
            wanted = 2 + kills * (done + 4) // len(plan.matches)
            if kills and outcome.kills.total() < wanted and now >= next_kill:
                name = rng.choice(("referee", "runner", "caller"))
                if name == "referee" and referee.pid is not None:
                    orphans |= children_of(referee.pid)
                if _kill(name, referee, caller):
                    outcome.kills[name] += 1
                next_kill = now + rng.uniform(0, LONGEST_WAIT)
            time.sleep(TICK)
        referee.end(PATIENCE)
        # They remove what they have created.
        while any("runner" in command_line(pid) for pid in orphans):
            time.sleep(TICK)
        _sweep(referee, folder / "ready.json")
    finally:
        caller.kill()
        referee.kill()
    outcome.seconds = time.monotonic() - began
    for match, replay in database.execute("select match, replay from result"):
        outcome.results.setdefault(match, []).append(_events(replay))
    outcome.attempts = database.execute("select sum(attempt) from block").fetchone()[0]
    database.close()
    outcome.left = leftovers(run)
    return outcome


def compare(plan: Plan, disturbed: Outcome, undisturbed: Outcome) -> tuple[int, int, int]:
    """Return the numbers of matches that were lost, counted twice, and different."""
    found = disturbed.results
    lost = sum(match not in found for match in plan.matches)
    double = sum(len(results) > 1 for results in found.values())
    different = sum(results != undisturbed.results.get(match) for match, results in found.items())
    return lost, double, different


def _kill(name: str, referee: Victim, caller: Victim) -> bool:
    if name == "referee":
        return referee.kill()
    if name == "caller":
        return caller.kill()
    return kill_child_of(referee.pid, "damrak_referee.runner")


def _sweep(referee: Victim, ready: Path) -> None:
    """Start and stop a referee once more, because it removes the remains of killed ones."""
    ready.unlink(missing_ok=True)
    give_up = time.monotonic() + PATIENCE
    while not ready.exists():
        if referee.keep() is not None or time.monotonic() > give_up:
            raise Stuck("the referee did not start again")
        time.sleep(TICK)
    referee.end(PATIENCE)


def _events(replay: bytes) -> list[Any]:
    """Return the events without the times, which differ between games."""
    events = json.loads(replay)["events"]
    for event in events:
        event.pop("ms", None)
    return list(events)
