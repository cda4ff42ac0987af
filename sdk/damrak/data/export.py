"""Decisions as a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from damrak.data.decision_arrays import Array, Decisions
from damrak.env.layout import LAYOUT


def _numbers(name: str, kind: Any, meaning: str) -> Any:
    """Return a column of lists; without nulls, it is written faster."""
    numbers = pa.list_(pa.field("element", kind, nullable=False))
    return pa.field(name, numbers, nullable=False, metadata={"meaning": meaning})


SCHEMA: Final = pa.schema(
    [
        pa.field("match", pa.string(), metadata={"meaning": "the match's id, or the file's name"}),
        pa.field("board", pa.string(), metadata={"meaning": "the id of the board"}),
        pa.field("players", pa.int8(), metadata={"meaning": "the number of seats"}),
        pa.field("bot", pa.string(), metadata={"meaning": "the bot that decided"}),
        pa.field("seat", pa.int8(), metadata={"meaning": "its seat, from 0"}),
        pa.field("action", pa.int32(), metadata={"meaning": "the id of its action"}),
        pa.field("reward", pa.float32(), metadata={"meaning": "its result, from -1 to 1"}),
        pa.field("place", pa.int8(), metadata={"meaning": "its final place, from 1"}),
        pa.field("total", pa.int32(), metadata={"meaning": "its final points"}),
        _numbers("observation", pa.float32(), "what it knew"),
        _numbers("mask", pa.int8(), "1 for each legal action"),
    ],
    metadata={"layout": LAYOUT},
)
NAMES: Final = ("match", "board", "bot")  # columns with few different values


def write_parquet(batches: Iterable[Decisions], path: Path) -> int:
    """Write decisions to a file and return their number; the file appears when it is complete.

    Raises:
        DamagedFile: a replay is damaged; nothing is written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    rows = 0
    try:
        # A batch is written while the next one is played; at most two are in memory.
        with _writer(draft) as writer, ThreadPoolExecutor(1) as pool:
            written = pool.submit(int)
            for batch in batches:
                written.result()
                written = pool.submit(writer.write_batch, _record_batch(batch))
                rows += len(batch)
            written.result()
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return rows


def _writer(path: Path) -> Any:
    return parquet.ParquetWriter(
        path,
        SCHEMA,
        compression="zstd",
        compression_level=1,
        use_dictionary=[*NAMES],
        write_statistics=[*NAMES],
    )


def _record_batch(batch: Decisions) -> Any:
    rules, number = batch.rules, len(batch)
    names = pa.array([match.header.match or match.name for match in batch.matches], pa.string())
    bots = pa.array([bot for match in batch.matches for bot in match.bots], pa.string())
    columns = [
        names.take(pa.array(batch.of_match)),
        pa.repeat(rules.board.id, number),
        pa.array(np.full(number, rules.seats, np.int8)),
        bots.take(pa.array(batch.of_match * rules.seats + batch.seats)),
        pa.array(batch.seats),
        pa.array(batch.actions),
        pa.array(batch.rewards),
        pa.array(batch.places),
        pa.array(batch.totals),
        _lists(batch.observations, SCHEMA.field("observation").type),
        _lists(batch.masks, SCHEMA.field("mask").type),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _lists(rows: Array, kind: Any) -> Any:
    number, size = rows.shape
    offsets = np.arange(number + 1, dtype=np.int32) * size
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(rows.reshape(-1)), type=kind)
