"""Real referees for tests: separate processes, controlled over gRPC."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import grpc

from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_proto.v1 import control_pb2 as pb, control_pb2_grpc
from damrak_wire.boards import board_bytes
from damrak_wire.lobby import BotToken, encode_tokens
from damrak_wire.orders import BlockOrder, House, MatchOrder, Place, SeatOrder, encode_block
from damrak_wire.reports import BlockEnded, BlockNews, decode_news

PATIENCE = 600.0  # a safety net; nothing here measures time
UNHURRIED = TimeControl(decision_ms=600_000, bank_ms=600_000, increment_ms=1_000, grace_ms=600_000)


@contextmanager
def short_folder() -> Iterator[Path]:
    """Yield a folder whose path is short enough for names of sockets."""
    folder = Path(tempfile.mkdtemp(prefix="dmk", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Driver:
    """A client of the Control service of a referee."""

    def __init__(self, channel: grpc.Channel, key: str = "") -> None:
        self.control = control_pb2_grpc.ControlStub(channel)
        self._metadata = [("authorization", f"Bearer {key}")] if key else []

    def start(self, order: BlockOrder) -> pb.StartBlockResponse:
        """Start a block."""
        return self.control.StartBlock(
            encode_block(order), metadata=self._metadata, timeout=PATIENCE
        )

    def follow(self, order: BlockOrder) -> Iterator[BlockNews]:
        """Follow a block and return its events from now on."""
        request = pb.FollowBlockRequest(block=order.block, attempt=order.attempt)
        call = self.control.FollowBlock(request, metadata=self._metadata, timeout=PATIENCE)
        return map(_understood, call)

    def play(self, order: BlockOrder) -> list[BlockNews]:
        """Start a block and return all its events."""
        self.start(order)
        return list(self.follow(order))

    def set_tokens(self, *tokens: BotToken) -> None:
        """Set the remote bots that may wait in the lobby."""
        request = encode_tokens(tokens)
        self.control.SetBotTokens(request, metadata=self._metadata, timeout=PATIENCE)

    def status(self) -> pb.GetStatusResponse:
        """Return the status of the referee."""
        return self.control.GetStatus(
            pb.GetStatusRequest(), metadata=self._metadata, timeout=PATIENCE
        )


def _understood(message: pb.FollowBlockResponse) -> BlockNews:
    news = decode_news(message)
    assert news is not None
    return news


class RefereeProcess(Driver):
    """A referee that listens on its own port, and on a Unix socket for control."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        name: str = "one",
        key: str = "",
        environment: dict[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.log = folder / f"{name}.log"
        ready = folder / f"{name}.json"
        defaults = {
            "--listen": "127.0.0.1:0",
            "--run": str(folder / "run"),
            "--store": str(folder / "store"),
            "--name": name,
            "--ready-file": str(ready),
            "--first-patience": str(PATIENCE),
            "--join-seconds": str(PATIENCE),
            "--ping-seconds": str(PATIENCE),
            "--log-format": "json",
            "--log-level": "debug",
        }
        given = [f"{key}={value}" for key, value in defaults.items()]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("DAMRAK_REFEREE_")}
        with self.log.open("ab") as log:
            self._logged_before = log.tell()
            self.process = subprocess.Popen(
                [sys.executable, "-m", "damrak_referee", *given, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**clean, **(environment or {})},
            )
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        assert readable, "the referee says nothing"
        lines = [self.process.stdout.readline().decode() for _ in range(2)]
        assert lines[0].startswith("listening on "), self.log.read_text()
        assert lines[1].startswith("control on ")
        self.listen = lines[0].split()[-1]
        self.control_address = lines[1].split()[-1]
        if ready.exists():
            assert json.loads(ready.read_text())["listen"] == self.listen
        self.channel = grpc.insecure_channel(
            self.control_address, [("grpc.max_receive_message_length", 16 << 20)]
        )
        super().__init__(self.channel, key)

    def __enter__(self) -> RefereeProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self.channel.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            while self.process.poll() is None and not self._is_draining():
                time.sleep(0.02)
            self.process.send_signal(signal.SIGTERM)  # two pending signals would be merged into one
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
        if self.process.stdout is not None:
            self.process.stdout.close()
        if kind is not None:
            sys.stderr.write(self.log.read_text()[-8000:])

    def _is_draining(self) -> bool:
        """Return whether it has received the signal to stop."""
        return b"draining" in self.log.read_bytes()[self._logged_before :]

    def logged(self) -> list[dict[str, object]]:
        """Return the entries that it has logged so far."""
        whole = self.log.read_text().rpartition("\n")[0]  # the last line may be incomplete
        return [json.loads(line) for line in whole.splitlines()]


def block(
    places: Sequence[Place],
    *,
    name: str = "b",
    attempt: int = 1,
    matches: int = 1,
    parallel: int = 0,
    control: TimeControl = UNHURRIED,
    start_limit_ms: int = 600_000,
    watch_delay_ms: int = 0,
    jitter_ms: int = 0,
) -> BlockOrder:
    """Return a block on the practice board, with these places at each of its tables."""
    return BlockOrder(
        block=name,
        attempt=attempt,
        ladder="test",
        board=board_bytes(load_board("practice")),
        options={},
        control=control,
        matches=tuple(
            MatchOrder(
                match=f"{name}.{number}",
                seed=bytes([number]) * 32,
                first=None,
                seats=tuple(
                    SeatOrder(f"bot{seat}", "1", "me", place) for seat, place in enumerate(places)
                ),
            )
            for number in range(matches)
        ),
        parallel=parallel,
        start_limit_ms=start_limit_ms,
        watch_delay_ms=watch_delay_ms,
        jitter_ms=jitter_ms,
    )


GREEDY = (House("greedy"), House("greedy"))


def ending(news: Iterable[BlockNews]) -> BlockEnded:
    """Return the last event of a block."""
    *_, last = news
    assert isinstance(last, BlockEnded)
    return last
