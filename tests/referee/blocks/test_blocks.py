"""A block is played once, reported to all followers, and removed when it has none."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.orders import BlockOrder, House, Open, encode_block
from damrak_wire.reports import BlockEnded, MatchReport, MatchStarted, MatchVoided, decode_news
from referee_process import GREEDY, PATIENCE, RefereeProcess, block, ending, short_folder
from sitter import Sitter

pytestmark = pytest.mark.process

ENDLESS = (House("greedy"), Open())  # no bot takes the open seat


@pytest.fixture(scope="module")
def referee() -> Iterator[RefereeProcess]:
    with (
        short_folder() as folder,
        RefereeProcess(folder, "--capacity=6", "--patience=0.2") as found,
    ):
        yield found


def _refusal(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as problem:
        call()
    return problem.value.code(), problem.value.details()


def _sockets(referee: RefereeProcess) -> list[Path]:
    """Return the sockets of seats."""
    return list((referee.folder / "run").glob("*/*.sock"))


def _is_taken(socket: Path) -> bool:
    """Return whether a bot has connected: its end at the referee has the name, too."""
    return Path("/proc/net/unix").read_text().count(f" {socket.resolve()}\n") > 1


def _wait_for(referee: RefereeProcess, event: str, **fields: object) -> dict[str, object]:
    """Wait for an entry of the log and return it."""
    while True:
        for line in referee.logged():
            if line["event"] == event and fields.items() <= line.items():
                return line
        assert referee.process.poll() is None
        time.sleep(0.02)


def _events(report: object) -> list[Any]:
    assert isinstance(report, MatchReport)
    events: list[Any] = json.loads(report.replay)["events"]
    return [{k: v for k, v in event.items() if k != "ms"} for event in events]


def test_house_bots_play_a_block(referee: RefereeProcess) -> None:
    order = block((House("greedy"), House("random"), House("planner")), name="h", matches=2)
    news = referee.play(order)
    reports = {item.match: item for item in news if isinstance(item, MatchReport)}
    started = [item.match for item in news if isinstance(item, MatchStarted)]
    assert sorted(started) == sorted(reports) == ["h.0", "h.1"]
    assert news[-1] == BlockEnded("finished")
    for report in reports.values():
        assert report.attempt == 1
        assert [seat.name for seat in report.seats] == ["greedy", "random", "planner"]
        assert all(seat.fault is None and seat.ready_us > 0 for seat in report.seats)
        replay = json.loads(report.replay)
        assert replay["block"] == "h"
        assert [seat["bot"] for seat in replay["seats"]] == ["bot0", "bot1", "bot2"]
        count = len(report.timings.seats)
        assert count == len(report.timings.total_us) == len(report.timings.queue_us) > 10
    assert not _sockets(referee)


def test_same_seed_gives_the_same_games(referee: RefereeProcess) -> None:
    first = referee.play(block(GREEDY, name="d", matches=2))
    again = referee.play(block(GREEDY, name="d", attempt=2, matches=2))
    games = [
        {item.match: _events(item) for item in news if isinstance(item, MatchReport)}
        for news in (first, again)
    ]
    assert games[0] == games[1]
    assert games[0]["d.0"] != games[0]["d.1"]


def test_started_twice_is_played_once(referee: RefereeProcess) -> None:
    order = block(GREEDY, name="twice")
    referee.start(order)
    referee.start(order)
    news = list(referee.follow(order))
    referee.start(order)
    assert sum(isinstance(item, MatchReport) for item in news) == 1
    assert list(referee.follow(order)) == news
    starts = [line for line in referee.logged() if line["event"] == "block_started"]
    assert sum(line["block"] == "twice" for line in starts) == 1


def test_another_order_by_the_same_name_is_refused(referee: RefereeProcess) -> None:
    order = block(GREEDY, name="other")
    referee.start(order)
    code, detail = _refusal(lambda: referee.start(replace(order, jitter_ms=1)))
    assert code is grpc.StatusCode.ALREADY_EXISTS
    assert "other attempt 1 is another order" in detail
    list(referee.follow(order))


def test_every_follower_receives_all_from_the_beginning(referee: RefereeProcess) -> None:
    order = block(GREEDY, name="many", matches=3)
    referee.start(order)
    calls = [referee.follow(order) for _ in range(5)]
    heard = [list(call) for call in calls]
    assert all(news == heard[0] for news in heard)
    assert ending(heard[0]) == BlockEnded("finished")
    assert list(referee.follow(order)) == heard[0]


def test_parallel_is_honoured(referee: RefereeProcess) -> None:
    news = referee.play(block(GREEDY, name="row", matches=3, parallel=1))
    kinds = [type(item) for item in news]
    assert kinds == [MatchStarted, MatchReport] * 3 + [BlockEnded]


def test_unfollowed_block_is_cancelled_and_nothing_of_it_is_left(referee: RefereeProcess) -> None:
    order = block(ENDLESS, name="left", matches=2)
    referee.start(order)
    request = pb.FollowBlockRequest(block="left", attempt=1)
    call = referee.control.FollowBlock(request, timeout=PATIENCE)
    call.initial_metadata()  # from here on it is followed
    while len(_sockets(referee)) < 2:
        assert referee.process.poll() is None
        time.sleep(0.02)
    call.cancel()
    _wait_for(referee, "block_ended", block="left", outcome="cancelled")
    assert not _sockets(referee)
    assert referee.status().running == 0
    news = list(referee.follow(order))
    assert [type(item) for item in news] == [MatchVoided, MatchVoided, BlockEnded]
    assert news[-1] == BlockEnded("cancelled", "nobody followed it")


def test_block_without_a_follower_is_cancelled() -> None:
    with short_folder() as folder, RefereeProcess(folder, "--first-patience=0.1") as referee:
        referee.start(block(ENDLESS))
        _wait_for(referee, "block_ended", block="b", outcome="cancelled")


def test_cancelled_block_ends_before_the_answer(referee: RefereeProcess) -> None:
    order = block(ENDLESS, name="cancel", matches=2, parallel=1)
    referee.start(order)
    call = referee.follow(order)
    request = pb.CancelBlockRequest(block="cancel", attempt=1, reason="a whim")
    referee.control.CancelBlock(request, timeout=PATIENCE)
    assert not _sockets(referee)
    assert ending(call) == BlockEnded("cancelled", "a whim")
    referee.control.CancelBlock(request, timeout=PATIENCE)  # it has already ended, as expected


def test_lost_runner_voids_the_block(referee: RefereeProcess) -> None:
    order = block(ENDLESS, name="lost", matches=2)
    referee.start(order)
    call = referee.follow(order)
    # Otherwise the next runner could start the bots.
    while sum(map(_is_taken, _sockets(referee))) < 2:
        assert referee.process.poll() is None
        time.sleep(0.02)
    [runner] = [pid for pid in _children(referee.process.pid) if b"damrak_referee.runner" in pid[1]]
    os.kill(runner[0], signal.SIGKILL)
    news = list(call)
    assert ending(news).outcome == "void"
    assert {item.owner for item in news if isinstance(item, MatchVoided)} == {"host"}
    assert not _sockets(referee)
    assert "runner_lost" in {line["event"] for line in referee.logged()}
    # The runner is restarted automatically.
    again = block(GREEDY, name="lost", attempt=2, matches=2)
    assert ending(referee.play(again)) == BlockEnded("finished")


def test_newer_attempt_takes_the_place_of_an_older_one(referee: RefereeProcess) -> None:
    old = block(ENDLESS, name="newer")
    referee.start(old)
    call = referee.follow(old)
    new = block(GREEDY, name="newer", attempt=3)
    assert ending(referee.play(new)) == BlockEnded("finished")
    assert ending(call) == BlockEnded("cancelled", "attempt 3 takes its place")
    code, detail = _refusal(lambda: referee.start(replace(new, attempt=2)))  # it arrives too late
    assert (code, detail) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "attempt 3 of the block is known already",
    )
    code, _ = _refusal(lambda: referee.start(block(GREEDY, name="newest", attempt=0)))
    assert code is grpc.StatusCode.INVALID_ARGUMENT


def test_no_more_matches_than_the_capacity(referee: RefereeProcess) -> None:
    order = block(ENDLESS, name="full", matches=4)
    referee.start(order)
    call = referee.follow(order)
    code, detail = _refusal(lambda: referee.start(block(GREEDY, name="more", matches=3)))
    assert code is grpc.StatusCode.UNAVAILABLE
    assert detail == "no room: 3 matches at once are wanted, 2 would fit"
    assert ending(referee.play(block(GREEDY, name="fits", matches=3, parallel=2)))
    referee.control.CancelBlock(pb.CancelBlockRequest(block="full", attempt=1), timeout=PATIENCE)
    assert ending(call).outcome == "cancelled"


def test_block_larger_than_the_capacity_queues_within_itself(referee: RefereeProcess) -> None:
    news = referee.play(block(GREEDY, name="large", matches=9))
    assert ending(news) == BlockEnded("finished")
    assert sum(isinstance(item, MatchReport) for item in news) == 9


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"board": b"{}"}, "INVALID_ARGUMENT", "board"),
        ({"block": ""}, "INVALID_ARGUMENT", "block: is missing"),
        ({"matches": ()}, "INVALID_ARGUMENT", "matches: must hold 1 to"),
    ],
)
def test_bad_order_is_reported(
    referee: RefereeProcess, change: dict[str, Any], code: str, said: str
) -> None:
    found, detail = _refusal(lambda: referee.start(replace(block(GREEDY, name="bad"), **change)))
    assert (found.name, said in detail) == (code, True)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("greedie", "'greedie' is none of greedy, "),
        ("greedy:ms=5", "greedy has no parameter 'ms'"),
        ("mcts:ms=never", "ms: 'never' is not a number"),
    ],
)
def test_unknown_house_bot_is_reported(referee: RefereeProcess, spec: str, said: str) -> None:
    code, detail = _refusal(lambda: referee.start(block((House(spec), House("greedy")))))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert detail.startswith(f"matches[0].seats[0].house: {said}")


def test_unknown_block_is_not_found(referee: RefereeProcess) -> None:
    code, _ = _refusal(lambda: list(referee.follow(block(GREEDY, name="unknown"))))
    assert code is grpc.StatusCode.NOT_FOUND


def test_ended_block_is_forgotten_but_never_played_again() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder, "--retention=0") as referee,
        grpc.insecure_channel(referee.listen) as channel,
    ):
        order = block(ENDLESS)
        [ticket] = referee.start(order).tickets
        request = pb.FollowBlockRequest(block=order.block, attempt=order.attempt)
        call = referee.control.FollowBlock(request, timeout=PATIENCE)
        call.initial_metadata()  # from here on it is followed, and it was not removed before
        Sitter(channel, ticket.ticket).play()
        assert ending(map(decode_news, call)) == BlockEnded("finished")
        while _is_known(referee, order):
            time.sleep(0.02)
        assert not referee.start(order).tickets
        assert referee.status().ended == 1
        code, _ = _refusal(
            lambda: referee.control.StartBlock(encode_block(replace(order, ladder="x")))
        )
        assert code is grpc.StatusCode.ALREADY_EXISTS


def _is_known(referee: RefereeProcess, order: BlockOrder) -> bool:
    try:
        list(referee.follow(order))
    except grpc.RpcError as problem:
        if problem.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        return False
    return True


def _children(parent: int) -> list[tuple[int, bytes]]:
    found = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # gone in the meantime
            for pid in (task / "children").read_text().split():
                found.append((int(pid), Path(f"/proc/{pid}/cmdline").read_bytes()))
    return found
