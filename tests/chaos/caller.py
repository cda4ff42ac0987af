"""Has every block played, and records each finished one once: `python -m chaos.caller`.

It may be killed at any line. All state is in SQLite: a block's attempt is incremented before it is
started, and its matches are written together, by the first process that finds it unfinished.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
import traceback
from collections import deque
from pathlib import Path

import grpc

from chaos.plan import Plan, archives
from damrak_proto.v1 import control_pb2, control_pb2_grpc

THREADS = 2
PAUSE = 0.05
PIECE = 256 * 1024
CHANNEL = (
    ("grpc.enable_retries", 0),  # otherwise gRPC itself could retry a server that stops without end
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 200),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)

TABLES = """
create table if not exists block (id text primary key, attempt integer not null default 0,
                                  done integer not null default 0);
create table if not exists result (match text not null, attempt integer not null,
                                   replay blob not null);
"""


def connect(journal: Path) -> sqlite3.Connection:
    """Open the journal, for one thread, in autocommit mode, so that transactions are explicit."""
    database = sqlite3.connect(journal, timeout=600, isolation_level=None)
    database.execute("pragma journal_mode = wal")
    database.executescript(TABLES)
    return database


class LostBlock(Exception):
    """The referee does not know the block any more, or reports that it is void."""


class Caller:
    """One thread that has blocks played."""

    def __init__(self, plan: Plan, control: str, journal: Path, todo: deque[str]) -> None:
        self._plan = plan
        self._journal = journal
        self._todo = todo
        self._stub = control_pb2_grpc.ControlStub(grpc.insecure_channel(control, CHANNEL))

    def run(self) -> None:
        """Work until all blocks are done; an error ends the process."""
        try:
            self._work()
        except BaseException:  # noqa: BLE001 - whatever it is, the other threads must not go on
            traceback.print_exc()
            os._exit(1)

    def _work(self) -> None:
        self._database = connect(self._journal)
        while True:
            try:
                block = self._todo.popleft()
            except IndexError:
                return
            while not self._play(block):
                time.sleep(PAUSE)

    def _play(self, block: str) -> bool:
        self._database.execute("update block set attempt = attempt + 1 where id = ?", [block])
        row = self._database.execute("select attempt from block where id = ?", [block])
        attempt = int(row.fetchone()[0])
        try:
            self._start(block, attempt)
            reports = self._follow(block, attempt)
        except LostBlock:
            return False
        self._record(block, attempt, reports)
        return True

    def _start(self, block: str, attempt: int) -> None:
        order = self._plan.order(block, attempt)
        while True:
            try:
                self._stub.StartBlock(order, timeout=10)
                return
            except grpc.RpcError as problem:
                if problem.code() == grpc.StatusCode.FAILED_PRECONDITION:
                    self._upload()
                else:
                    _expect_trouble(problem)
                time.sleep(PAUSE)

    def _upload(self) -> None:
        for name, data in archives().items():
            pieces = [
                control_pb2.UploadRequest(sha256=name, data=data[at : at + PIECE])
                for at in range(0, len(data), PIECE)
            ]
            try:
                self._stub.Upload(iter(pieces), timeout=10)
            except grpc.RpcError as problem:
                _expect_trouble(problem)

    def _follow(self, block: str, attempt: int) -> list[control_pb2.MatchReport]:
        request = control_pb2.FollowBlockRequest(block=block, attempt=attempt)
        while True:
            reports = []  # a new follower receives everything again
            try:
                for said in self._stub.FollowBlock(request, timeout=120):
                    if said.HasField("finished"):
                        reports.append(said.finished)
                    elif said.HasField("ended"):
                        if said.ended.outcome == control_pb2.BLOCK_OUTCOME_FINISHED:
                            return reports
                        raise LostBlock
            except grpc.RpcError as problem:
                if problem.code() == grpc.StatusCode.NOT_FOUND:
                    raise LostBlock from None
                _expect_trouble(problem)
            time.sleep(PAUSE)

    def _record(self, block: str, attempt: int, reports: list[control_pb2.MatchReport]) -> None:
        database = self._database
        database.execute("begin immediate")
        done = database.execute("update block set done = 1 where id = ? and done = 0", [block])
        if done.rowcount:
            database.executemany(
                "insert into result values (?, ?, ?)",
                [(report.match, attempt, report.replay) for report in reports],
            )
        database.execute("commit")


def _expect_trouble(problem: grpc.RpcError) -> None:
    """Re-raise errors that a kill does not explain."""
    expected = (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNKNOWN,  # a stream cut in the middle of a frame
        grpc.StatusCode.INTERNAL,
    )
    if problem.code() not in expected:
        raise problem


def main() -> None:
    """Run `python -m chaos.caller CONTROL JOURNAL BLOCKS SEED`."""
    control, journal, blocks, seed = sys.argv[1:]
    plan = Plan(int(blocks), seed)
    database = connect(Path(journal))
    database.executemany("insert or ignore into block (id) values (?)", [[b] for b in plan.names])
    todo = deque(row[0] for row in database.execute("select id from block where not done"))
    callers = [Caller(plan, control, Path(journal), todo) for _ in range(THREADS)]
    threads = [threading.Thread(target=caller.run) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
