"""Bots that write to wrong places."""

import contextlib
import json
import os
import pickle
import sys
from pathlib import Path

from damrak import Bot, View


def everywhere(data: bytes) -> None:
    """Write to every descriptor except the standard ones."""
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, data)


class Flood(Bot):
    """Occasionally prints without end."""

    def choose(self, view: View) -> int:
        for number in range(2_000):
            print(f"line {number} of turn {view.turns}", file=sys.stderr)  # noqa: T201
        return view.legal[0]


class EndlessFlood(Bot):
    def choose(self, view: View) -> int:
        while True:
            os.write(1, b"x" * 65536)


class Garbage(Bot):
    def choose(self, view: View) -> int:
        everywhere(b"\x00\xff garbage\n")
        return view.legal[0]


class HugeLine(Bot):
    def choose(self, view: View) -> int:
        for _ in range(100):
            everywhere(b"[" * 65536)
        return view.legal[0]


class DeepJson(Bot):
    def choose(self, view: View) -> int:
        everywhere(b"[" * 100_000 + b"\n")
        return view.legal[0]


class ExtraAnswers(Bot):
    def choose(self, view: View) -> int:
        if view.turns > 1:
            answer = {"decision": 1, "action": view.legal[0], "note": None}
            everywhere(json.dumps(answer).encode() + b"\n")
        return view.legal[0]


class WrongType(Bot):
    def choose(self, view: View) -> int:
        everywhere(b'{"decision": 1, "action": 1e3, "note": null}\n')
        return view.legal[0]


class HostFault(Bot):
    """Blames the host for a fault."""

    def choose(self, view: View) -> int:
        everywhere(b'{"reason": "disconnect", "detail": "host", "traceback": ""}\n')
        return view.legal[0]


class Mark:
    """Creates a file when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (Path(os.environ["MARK"]),))


class Pickled(Bot):
    def choose(self, view: View) -> int:
        everywhere(pickle.dumps(Mark()) + b"\n")
        return view.legal[0]


class ClosesEverything(Bot):
    def choose(self, view: View) -> int:
        os.closerange(0, 64)
        return view.legal[0]


class ClosesAndHangs(Bot):
    def choose(self, view: View) -> int:
        os.closerange(0, 64)
        while True:
            pass


class ClosesOutput(Bot):
    """Closes its output, which is allowed."""

    def choose(self, view: View) -> int:
        with contextlib.suppress(OSError):
            os.close(1)
            os.close(2)
        return view.legal[0]
