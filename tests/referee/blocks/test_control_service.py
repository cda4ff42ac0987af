"""The Control service: status, matches to watch, addresses in tickets and calls."""

from __future__ import annotations

from dataclasses import replace

import grpc
import pytest

from damrak_proto.v1 import control_pb2 as pb, watch_pb2, watch_pb2_grpc
from damrak_referee.lobby.tokens import hash_token
from damrak_wire.lobby import BotToken, Call
from damrak_wire.orders import House, Open, Remote
from damrak_wire.reports import BlockEnded
from referee_process import GREEDY, PATIENCE, RefereeProcess, block, ending, short_folder
from sitter import Waiter

pytestmark = pytest.mark.process


def test_status_describes_the_referee() -> None:
    with short_folder() as folder, RefereeProcess(folder, "--capacity=7") as referee:
        before = referee.status()
        assert (before.referee, before.running, before.capacity) == ("one", 0, 7)
        assert before.software.startswith("damrak ")
        assert list(before.house) == ["greedy", "mcts", "planner", "random"]
        assert before.isolation in ("full", "user", "none")
        assert not before.draining
        order = block((House("greedy"), Open()), matches=2)
        referee.start(order)
        news = referee.follow(order)
        assert referee.status().running == 2
        referee.control.CancelBlock(pb.CancelBlockRequest(block="b", attempt=1), timeout=PATIENCE)
        assert ending(news).outcome == "cancelled"
        after = referee.status()
        assert (after.running, after.ended) == (0, 2)


def test_unsafe_is_loud() -> None:
    with short_folder() as folder, RefereeProcess(folder, "--unsafe") as referee:
        assert referee.status().isolation == "unsafe"
        assert any(line["event"] == "unsafe" for line in referee.logged())


def test_watchers_are_notified_of_a_new_attempt() -> None:
    with short_folder() as folder, RefereeProcess(folder) as referee:
        watch = watch_pb2_grpc.WatchStub(referee.channel)
        first = block((House("greedy"), Open()))
        referee.start(first)
        request = watch_pb2.WatchMatchRequest(match="b.0")
        seen = watch.WatchMatch(request, timeout=PATIENCE)
        setting = next(seen).setting
        assert (setting.match.match, setting.match.attempt) == ("b.0", 1)
        second = replace(block(GREEDY), attempt=2)
        news = referee.play(second)
        assert ending(news) == BlockEnded("finished")
        kinds = []
        for message in seen:
            kinds.append(message.WhichOneof("message"))
            if kinds[-1] == "setting":
                assert message.setting.match.attempt == 2
            if kinds[-1] == "ending":
                break
        assert kinds[:2] == ["void", "setting"]
        assert "events" in kinds
        listed = watch.ListMatches(watch_pb2.ListMatchesRequest(), timeout=PATIENCE).matches
        assert [(match.match, match.attempt, match.over) for match in listed] == [("b.0", 2, True)]


def test_advertised_address_goes_into_tickets_and_calls() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder, "--advertise=bots.example.org:7171") as referee,
        grpc.insecure_channel(referee.listen) as channel,
    ):
        referee.set_tokens(BotToken("stan", hash_token("t"), 0))
        waiter = Waiter(channel, "t")
        waiter.hear()
        [ticket] = referee.start(block((Open(), Remote("stan")))).tickets
        assert ticket.address == "bots.example.org:7171"
        call = waiter.hear()
        assert isinstance(call, Call)
        assert call.address == "bots.example.org:7171"


def test_referee_on_unix_sockets_alone() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder, f"--listen=unix:{folder}/bots.sock") as referee,
    ):
        assert referee.listen == f"unix:{folder}/bots.sock"
        assert ending(referee.play(block(GREEDY))) == BlockEnded("finished")


def test_bad_tokens_are_named_and_change_nothing() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder) as referee,
        grpc.insecure_channel(referee.listen) as channel,
    ):
        referee.set_tokens(BotToken("stan", hash_token("t"), 0))
        with pytest.raises(grpc.RpcError) as problem:
            referee.set_tokens(BotToken("stan", "no hash", 0))
        assert problem.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert problem.value.details().startswith("tokens[0].sha256: ")
        assert Waiter(channel, "t").hear()
