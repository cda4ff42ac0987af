"""The process of house bots: it seats one after another, with a new bot for every match.

    python -m damrak.remote.house

Each line of its input is an object with `address` and `bot`, such as

    {"address": "unix:/run/seat.sock", "bot": "mcts:ms=100"}

After the end of that match it writes `{"done": true}`. House bots are part of this package and keep
no state between matches. The process ends at the end of its input, because its parent has ended
then. Output of bots goes to standard error.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from queue import SimpleQueue
from threading import Thread
from typing import Final

from damrak.bots import HOUSE_BOTS
from damrak.errors import DamrakError
from damrak.remote.address import parse_address
from damrak.remote.channels import Security
from damrak.remote.connection import Line
from damrak.remote.local_bot import PresentBot
from damrak.remote.session import SeatRecord, Session
from damrak.specs import BotSpec, parse_spec

SOFTWARE: Final = "damrak-python (house)"
DONE: Final = b'{"done": true}\n'


def main() -> None:
    """Seat bots until the end of the input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    answers = os.dup(1)
    os.dup2(2, 1)
    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(lines,), daemon=True).start()
    gc.collect()
    gc.freeze()
    while True:
        line = lines.get()
        try:
            _report(_play(line))
        except Exception as problem:  # noqa: BLE001 - a failed match must not affect the next
            _say(f"{type(problem).__name__}: {problem}")
        os.write(answers, DONE)


def _read(lines: SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


def _play(line: bytes) -> SeatRecord:
    order = json.loads(line)
    address = parse_address(order["address"])
    spec = _house(order["bot"])
    there = Line(address, Security(is_encrypted=False), SOFTWARE)
    return Session(there, spec, PresentBot).play()


def _house(text: str) -> BotSpec:
    spec = parse_spec(text) if text.partition(":")[0] in HOUSE_BOTS else None
    if spec is None:
        raise DamrakError(f"{text!r} is no house bot")
    return spec


def _report(record: SeatRecord) -> None:
    """Print the faults of a match, if any."""
    for fault in (record.fault, record.late_fault):
        if fault is not None:
            _say(f"{record.match}: {record.name}: {fault.reason}: {fault.detail}")
            if fault.traceback:
                _say(fault.traceback)
    if record.lost is not None:
        _say(f"{record.match or 'no match'}: {record.lost}")


def _say(text: str) -> None:
    sys.stderr.write(text.rstrip("\n") + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
