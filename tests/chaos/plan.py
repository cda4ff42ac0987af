"""The blocks of a trial, determined by the seed, and the archives of their bots."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from damrak_engine.block import rotations
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_proto.v1 import control_pb2
from damrak_wire.boards import board_bytes
from damrak_wire.clocks import encode_control

BOTS = Path(__file__).parent / "bots"
CONTROL = TimeControl(decision_ms=600_000, bank_ms=600_000, increment_ms=1_000)


@dataclass(frozen=True, slots=True)
class Plan:
    """A number of blocks of two mirrored matches."""

    blocks: int
    seed: str

    @property
    def matches(self) -> list[str]:
        """All matches to be played."""
        return [f"{block}.{turn}" for block in self.names for turn in range(2)]

    @property
    def names(self) -> list[str]:
        """The ids of the blocks."""
        return [f"b{number:04}" for number in range(self.blocks)]

    def order(self, block: str, attempt: int) -> control_pb2.StartBlockRequest:
        """Return the referee's order for a block."""
        seed = hashlib.sha256(f"{self.seed} {block}".encode()).digest()
        bots = list(archives())
        return control_pb2.StartBlockRequest(
            block=block,
            attempt=attempt,
            board=board_bytes(load_board("practice")),
            control=encode_control(CONTROL),
            matches=[
                control_pb2.MatchOrder(
                    match=f"{block}.{turn}",
                    seed=seed,
                    seats=[
                        control_pb2.SeatOrder(
                            bot=f"bot {bot}", version="1", owner="chaos", archive=bots[bot]
                        )
                        for bot in rotation
                    ],
                )
                for turn, rotation in enumerate(rotations(2))
            ],
        )


def archives() -> dict[str, bytes]:
    """Return the bots by the name of their archive."""
    made = [_archive(BOTS / f"{name}.py") for name in ("steady", "dicey")]
    return {hashlib.sha256(data).hexdigest(): data for data in made}


def _archive(source: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        # A fixed date: the name of an archive is the hash of its bytes.
        archive.writestr(zipfile.ZipInfo("bot.py", (2026, 1, 1, 0, 0, 0)), source.read_bytes())
    return content.getvalue()
