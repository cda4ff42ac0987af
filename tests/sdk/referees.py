"""Real referees for tests: `python -m damrak_referee` in a separate process."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Timer

from damrak.remote.address import parse_address
from damrak.remote.control import Control
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_wire.boards import board_bytes
from damrak_wire.lobby import BotToken
from damrak_wire.orders import BlockOrder, House, MatchOrder, Place, Remote, SeatOrder

CONTROL = TimeControl(decision_ms=20_000, bank_ms=120_000, increment_ms=1_000, grace_ms=20_000)
TOKENS = {"anna": "dmk_anna", "bert": "dmk_bert"}


def tokens_of(tokens: dict[str, str], expires: int = 0) -> list[BotToken]:
    """Return the tokens as they are sent to a referee."""
    return [
        BotToken(bot, hashlib.sha256(text.encode()).hexdigest(), expires)
        for bot, text in tokens.items()
    ]


class Referee:
    """A referee that accepts the tokens of anna and bert."""

    def __init__(self, listen: str = "127.0.0.1:0", options: Sequence[str] = ()) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dmk"))  # paths of sockets must be short
        self._options = options
        self.process = self._start(listen)
        self._watchdog = Timer(600, lambda: self.process.kill())
        self._watchdog.start()
        self.control = Control(parse_address(f"unix:{self.folder}/r.sock"))
        self.control.set_tokens(tokens_of(TOKENS))

    def _start(self, listen: str) -> subprocess.Popen[str]:
        command = [
            *(sys.executable, "-m", "damrak_referee", "--listen", listen),
            *("--run", str(self.folder), "--control", f"unix:{self.folder}/r.sock"),
            *("--name", "r", *self._options),
        ]
        log = (self.folder / "log").open("a")
        with log:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
                env={**os.environ, "GRPC_VERBOSITY": "NONE"},
            )
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("listening on "):
                self.address = line.split()[-1]
            if line.startswith("control on "):
                return process
        raise AssertionError((self.folder / "log").read_text())

    def restart(self) -> None:
        """Kill the referee, and start another one at its address."""
        self.kill()
        self.process = self._start(self.address)
        self.control.set_tokens(tokens_of(TOKENS))

    def kill(self) -> None:
        """Kill the referee."""
        self.process.kill()
        self.process.communicate()

    def close(self) -> None:
        """Stop the referee, and remove its files."""
        self._watchdog.cancel()
        self.control.__exit__(None, None, None)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.communicate(timeout=60)
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def referee(listen: str = "127.0.0.1:0", *options: str) -> Iterator[Referee]:
    """Yield a running referee."""
    made = Referee(listen, options)
    try:
        yield made
    finally:
        made.close()


def block(
    name: str,
    *tables: tuple[Place, ...],
    board: str = "practice",
    control: TimeControl = CONTROL,
    attempt: int = 1,
) -> BlockOrder:
    """Return a block with one game for each table, whose seed follows from its number."""
    return BlockOrder(
        block=name,
        attempt=attempt,
        ladder="",
        board=board_bytes(load_board(board)),
        options={},
        control=control,
        matches=tuple(
            MatchOrder(f"{name}-{number}", seed_of(number), None, tuple(map(_seat, places)))
            for number, places in enumerate(tables)
        ),
    )


def seed_of(number: int) -> bytes:
    """Return the seed of a game."""
    return hashlib.sha256(f"game {number}".encode()).digest()


def _seat(place: Place) -> SeatOrder:
    match place:
        case House(spec):
            return SeatOrder(spec, "1", "house", place)
        case Remote(bot):
            return SeatOrder(bot, "1", "somebody", place)
        case _:
            return SeatOrder("guest", "1", "somebody", place)
