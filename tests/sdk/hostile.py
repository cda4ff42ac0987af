"""Games with the bots under `bots/`.

Only those that hang need a short clock; all others are not timed, because machines may be slow.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from damrak.hosting.limits import MIB, Limits
from damrak.local import GamePlan, GameRecord, play_game
from damrak.specs import parse_spec
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl

BOTS = Path(__file__).parent / "bots"
BOARD = load_board("amsterdam")
SEED = bytes(range(32))
PATIENT = TimeControl(decision_ms=60_000, bank_ms=600_000)
QUICK = TimeControl(decision_ms=500, bank_ms=2_000, increment_ms=100)
SMALL = Limits(memory_bytes=400 * MIB, start_seconds=120.0, finish_seconds=60.0)


def play(
    *bots: str, seed: bytes = SEED, control: TimeControl = PATIENT, limits: Limits = SMALL
) -> GameRecord:
    """Play a game of these bots; names with a dot are files under `bots/`."""
    specs = tuple(parse_spec(str(BOTS / bot) if "." in bot else bot) for bot in bots)
    return play_game(GamePlan(BOARD, specs, seed, control=control, limits=limits))


def eventually(holds: Callable[[], bool], seconds: float = 120.0) -> bool:
    """Return whether a condition becomes true in this time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def is_alive(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    if sys.platform != "linux":
        return True
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False  # it has just exited


def pids_in(path: Path) -> list[int]:
    """Return the process ids that a bot recorded."""
    return [int(line) for line in path.read_text().split()] if path.exists() else []
