"""A draining referee accepts no new blocks and loses none."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.orders import BlockOrder, House, Open
from damrak_wire.reports import BlockEnded, MatchReport
from referee_process import GREEDY, PATIENCE, Driver, RefereeProcess, block, ending, short_folder
from sitter import Sitter

pytestmark = pytest.mark.process

# A ladder retries after all codes but these. A call that reaches a closing server may fail with
# several codes of gRPC itself.
LASTING = (
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNIMPLEMENTED,
)
WITH_OPEN_SEAT = (House("greedy"), Open())


def _sigterm(referee: RefereeProcess) -> None:
    referee.process.send_signal(signal.SIGTERM)


def _drain(referee: RefereeProcess) -> None:
    assert referee.control.Drain(pb.DrainRequest(), timeout=PATIENCE).running == 1


@pytest.mark.parametrize("stop", [_sigterm, _drain])
def test_running_block_ends_and_no_other_begins(stop: Callable[[RefereeProcess], None]) -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder) as referee,
        grpc.insecure_channel(referee.listen) as channel,
    ):
        order = block(WITH_OPEN_SEAT)
        [ticket] = referee.start(order).tickets
        news = referee.follow(order)
        sitter = Sitter(channel, ticket.ticket)
        sitter.play(1)
        health = health_pb2_grpc.HealthStub(referee.channel)
        watched = health.Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert next(watched).status == health_pb2.HealthCheckResponse.SERVING
        stop(referee)
        assert next(watched).status == health_pb2.HealthCheckResponse.NOT_SERVING
        assert referee.status().draining
        with pytest.raises(grpc.RpcError) as problem:
            referee.start(block(GREEDY, name="late"))
        assert problem.value.code() is grpc.StatusCode.UNAVAILABLE
        assert problem.value.details() == "this referee takes no more blocks"
        sitter.hang_up()
        assert sitter.welcome is not None
        assert Sitter(channel, sitter.welcome.rejoin_ticket).play()
        assert ending(news) == BlockEnded("finished")
        assert referee.process.wait(PATIENCE) == 0
        assert not list((folder / "run").iterdir())


def test_idle_referee_stops_at_once() -> None:
    with short_folder() as folder, RefereeProcess(folder) as referee:
        _sigterm(referee)
        assert referee.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("again", ["signal", "limit", "control"])
def test_block_that_does_not_end_is_cut_short(again: str) -> None:
    limit = "0.2" if again == "limit" else "600"
    with short_folder() as folder, RefereeProcess(folder, f"--drain-seconds={limit}") as referee:
        order = block(WITH_OPEN_SEAT)
        referee.start(order)
        news = referee.follow(order)
        referee.status()  # handled after the following, which is therefore active
        _sigterm(referee)
        if again == "signal":
            while not any(line["event"] == "draining" for line in referee.logged()):
                assert referee.process.poll() is None
                time.sleep(0.02)
            _sigterm(referee)
        elif again == "control":
            referee.control.Drain(pb.DrainRequest(deadline_ms=100), timeout=PATIENCE)
        assert ending(news) == BlockEnded("cancelled", "the referee stops")
        assert referee.process.wait(PATIENCE) == 1
        assert not list((folder / "run").iterdir())


class Caller(threading.Thread):
    """Has blocks played one after the other, on any referee that accepts them."""

    def __init__(self, addresses: list[str]) -> None:
        super().__init__()
        self._addresses = addresses
        self.enough = threading.Event()
        self.wanted: list[tuple[str, int]] = []
        self.reports: list[tuple[str, int]] = []

    def run(self) -> None:
        for number in count():
            if self.enough.is_set():
                return
            order = block(GREEDY, name=f"r{number}", matches=2)
            self.wanted += [(match.match, 1) for match in order.matches]
            for attempt in count(1):
                if self._play(replace(order, attempt=attempt), number):
                    break

    def _play(self, order: BlockOrder, first: int) -> bool:
        for turn in count(first):
            address = self._addresses[turn % len(self._addresses)]
            with grpc.insecure_channel(address) as channel:
                referee = Driver(channel)
                try:
                    referee.start(order)
                except grpc.RpcError as problem:
                    if problem.code() in LASTING:
                        raise
                    time.sleep(0.02)
                    continue
                try:
                    news = list(referee.follow(order))
                except grpc.RpcError:
                    return False
                if news and news[-1] == BlockEnded("finished"):
                    found = [item for item in news if isinstance(item, MatchReport)]
                    self.reports += [(report.match, report.attempt) for report in found]
                    return True
                return False
        raise AssertionError


def test_rolling_restart_loses_nothing_and_repeats_nothing() -> None:
    with short_folder() as folder:
        running = {name: RefereeProcess(folder, name=name) for name in ("one", "two")}
        caller = Caller([referee.control_address for referee in running.values()])
        caller.start()
        try:
            for name in ("one", "two", "one", "two"):
                while not any(line["event"] == "match_finished" for line in running[name].logged()):
                    assert caller.is_alive()
                    time.sleep(0.02)
                _sigterm(running[name])
                assert running[name].process.wait(PATIENCE) == 0
                running[name].__exit__(None, None, None)
                running[name].log.unlink()
                running[name] = RefereeProcess(folder, name=name)
        finally:
            caller.enough.set()
            caller.join()
            for referee in running.values():
                referee.__exit__(None, None, None)
        # No attempt was wasted, and no match was played twice.
        assert len(caller.wanted) >= 8
        assert sorted(caller.reports) == sorted(caller.wanted)
