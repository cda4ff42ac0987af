"""Remote bots wait in the lobby, are called to tables, and return after lost connections."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import pytest

from damrak_proto.v1 import control_pb2 as pb
from damrak_referee.lobby.service import BURST, MOST_CONNECTIONS
from damrak_referee.lobby.tokens import hash_token, write_tokens
from damrak_wire.lobby import (
    Arrival,
    BotToken,
    Call,
    Capacity,
    Closing,
    Decline,
    Registered,
    Withdrawal,
    encode_request,
)
from damrak_wire.orders import House, Remote
from damrak_wire.reports import BlockEnded, BlockNews, MatchReport, MatchVoided
from referee_process import PATIENCE, RefereeProcess, block, ending, short_folder
from sitter import Sitter, Waiter

pytestmark = pytest.mark.process

STAN = (Remote("stan"), House("greedy"))


class Scene:
    """A referee with one known bot."""

    def __init__(self, referee: RefereeProcess, channel: grpc.Channel, name: str) -> None:
        self.referee = referee
        self.channel = channel
        self.name = name

    def start(self, **how: int) -> Iterator[BlockNews]:
        """Start a block of stan against a house bot, and follow it."""
        order = block(STAN, name=self.name, **how)
        self.referee.start(order)
        return self.referee.follow(order)

    def arrive(self, capacity: int = 1, *playing: str) -> Waiter:
        waiter = Waiter(self.channel, "secret-of-stan", capacity, *playing)
        assert waiter.hear() == Registered(1, "stan", "one")
        return waiter

    def sit(self, call: object) -> Sitter:
        assert isinstance(call, Call)
        assert call.address == ""
        assert call.patience_ms > 0
        return Sitter(self.channel, call.ticket)

    def refused(self, token: str) -> tuple[str, str]:
        with pytest.raises(grpc.RpcError) as problem:
            Waiter(self.channel, token).hear()
        return problem.value.code().name, problem.value.details()

    def set_tokens(self, *tokens: BotToken) -> None:
        self.referee.set_tokens(*tokens)


@pytest.fixture(scope="module")
def referee() -> Iterator[RefereeProcess]:
    with short_folder() as folder, RefereeProcess(folder) as found:
        yield found


@pytest.fixture
def it(referee: RefereeProcess, request: pytest.FixtureRequest) -> Iterator[Scene]:
    with _scene(referee, request.node.name) as scene:
        yield scene
        scene.set_tokens()  # disconnects all bots


@contextmanager
def _scene(referee: RefereeProcess, name: str = "b") -> Iterator[Scene]:
    with grpc.insecure_channel(referee.listen) as channel:
        scene = Scene(referee, channel, name)
        scene.set_tokens(BotToken("stan", hash_token("secret-of-stan"), 0))
        yield scene


def _gone(waiter: Waiter) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as problem:
        waiter.hear()
    return problem.value.code().name, problem.value.details()


def _report(news: list[BlockNews]) -> MatchReport:
    [report] = [item for item in news if isinstance(item, MatchReport)]
    return report


def test_called_bot_plays_and_has_its_place_free_again(it: Scene) -> None:
    waiter = it.arrive(1)
    for _ in range(2):
        news = it.start()
        it.name += "-again"
        assert it.sit(waiter.hear()).play()
        assert _report(list(news)).seats[0].name == "sitter"
    [waiting] = it.referee.status().waiting
    assert (waiting.bot, waiting.free, waiting.playing) == ("stan", 1, 0)
    assert waiting.software == "test/1"


def test_bot_that_comes_after_the_call_is_still_called(it: Scene) -> None:
    news = it.start()
    assert it.sit(it.arrive().hear()).play()
    assert ending(news) == BlockEnded("finished")


def test_lost_lines_cost_no_game(it: Scene) -> None:
    news = it.start()
    waiter = it.arrive()
    sitter = it.sit(waiter.hear())
    sitter.play(2)
    sitter.hang_up()
    waiter.hang_up()
    call = it.arrive().hear()  # a restarted program without any state
    again = it.sit(call)
    assert again.play()
    assert again.welcome is not None
    assert again.welcome.history
    assert _report(list(news)).seats[0].fault is None


def test_same_program_comes_back_with_its_rejoin_ticket(it: Scene) -> None:
    news = it.start()
    sitter = it.sit(it.arrive().hear())
    sitter.play(1)
    assert sitter.welcome is not None
    sitter.hang_up()
    assert Sitter(it.channel, sitter.welcome.rejoin_ticket).play()
    assert _report(list(news)).seats[0].fault is None


def test_cancelled_call_is_withdrawn(it: Scene) -> None:
    waiter = it.arrive()
    news = it.start()
    assert isinstance(waiter.hear(), Call)
    request = pb.CancelBlockRequest(block=it.name, attempt=1)
    it.referee.control.CancelBlock(request, timeout=PATIENCE)
    assert waiter.hear() == Withdrawal(f"{it.name}.0", "the match is over")
    assert isinstance(next(iter(news)), MatchVoided)


def test_declining_bot_forfeits(it: Scene) -> None:
    waiter = it.arrive()
    news = it.start()
    waiter.hear()
    waiter.say(Decline(f"{it.name}.0", "too tired"))
    fault = _report(list(news)).seats[0].fault
    assert fault is not None
    assert (fault.owner, fault.detail) == ("bot", "declined: too tired")


def test_bot_with_no_capacity_is_not_called_until_it_has_some(it: Scene) -> None:
    waiter = it.arrive(0)
    news = it.start()
    waiter.say(Capacity(1))
    assert it.sit(waiter.hear()).play()
    assert ending(news) == BlockEnded("finished")


def test_an_absent_bot_affects_only_itself(it: Scene) -> None:
    fault = _report(list(it.start(start_limit_ms=2_000))).seats[0].fault
    assert fault is not None
    assert (fault.reason, fault.owner) == ("timeout", "network")


def test_unknown_token_is_refused(it: Scene) -> None:
    assert it.refused("wrong") == ("UNAUTHENTICATED", "this token is not known here")


def test_expired_token_is_refused_as_such(it: Scene) -> None:
    it.set_tokens(BotToken("stan", hash_token("old"), 1000))
    assert it.refused("old") == ("UNAUTHENTICATED", "this token has expired")


def test_revoked_bot_is_sent_away(it: Scene) -> None:
    waiter = it.arrive()
    it.set_tokens()
    assert _gone(waiter) == ("PERMISSION_DENIED", "this token was revoked or has expired")


def test_bot_without_a_token_is_out_of_its_game_and_cannot_come_back(it: Scene) -> None:
    news = it.start()
    call = it.arrive().hear()
    sitter = it.sit(call)
    sitter.play(2)
    assert isinstance(call, Call)
    assert sitter.welcome is not None
    it.set_tokens()
    assert sitter.play() is not None
    report = _report(list(news))
    fault = report.seats[0].fault
    assert fault is not None
    assert (fault.reason, fault.owner) == ("disconnect", "bot")
    assert fault.detail == "its token was revoked"
    for ticket in (call.ticket, sitter.welcome.rejoin_ticket):
        with pytest.raises(grpc.RpcError) as problem:
            Sitter(it.channel, ticket).play()
        assert problem.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_token_revoked_in_the_file_sends_its_bot_away() -> None:
    with short_folder() as folder:
        path = folder / "tokens.json"
        write_tokens(path, [BotToken("stan", hash_token("of-the-file"), 0)])
        with (
            RefereeProcess(folder, f"--tokens={path}") as referee,
            grpc.insecure_channel(referee.listen) as channel,
        ):
            waiter = Waiter(channel, "of-the-file")
            assert waiter.hear() == Registered(1, "stan", "one")
            write_tokens(path, [])
            assert _gone(waiter)[0] == "PERMISSION_DENIED"


def test_before_any_tokens_are_known_bots_are_to_try_again() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder) as referee,
        grpc.insecure_channel(referee.listen) as channel,
    ):
        code, why = Scene(referee, channel, "b").refused("any")
        assert (code, why) == ("UNAVAILABLE", "this referee does not know any tokens yet")


def test_foreign_version_gets_the_supported_versions(it: Scene) -> None:
    waiter = Waiter(it.channel, "secret-of-stan", lowest=7, highest=9)
    code, why = _gone(waiter)
    assert code == "FAILED_PRECONDITION"
    assert "7 to 9" in why


@pytest.mark.parametrize("has_arrived", [False, True])
def test_invalid_bytes_are_reported_as_such(it: Scene, has_arrived: bool) -> None:
    wait = it.channel.stream_stream("/damrak.v1.Lobby/Wait")
    arrival = encode_request(Arrival(1, 1, "test/1", 1)).SerializeToString()
    said = [arrival, b"\xff" * 9] if has_arrived else [b"\xff" * 9]
    with pytest.raises(grpc.RpcError) as problem:
        list(wait(iter(said), metadata=[("authorization", "Bearer secret-of-stan")]))
    assert problem.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert problem.value.details() == "request: these bytes are no WaitRequest"


def test_talkative_bot_in_the_lobby_is_throttled(it: Scene) -> None:
    waiter = it.arrive(0)
    for games in [*range(1, 3 * BURST), 0, 2]:
        waiter.say(Capacity(games % 1000))
    news = it.start(matches=2)
    assert it.sit(waiter.hear()).play()
    assert it.sit(waiter.hear()).play()
    assert ending(news) == BlockEnded("finished")


def test_bot_that_reconnects_endlessly_is_refused_for_a_while(it: Scene) -> None:
    it.set_tokens(BotToken("eager", hash_token("eager"), 0))
    for _ in range(1000):
        waiter = Waiter(it.channel, "eager")
        try:
            assert waiter.hear() == Registered(1, "eager", "one")
        except grpc.RpcError as problem:
            said = problem.code(), problem.details()
            assert said == (
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "eager comes and goes too often",
            )
            break
        waiter.hang_up()
    else:
        raise AssertionError("it was let in a thousand times")


def test_bot_that_waits_on_too_many_lines_gets_no_further_one(it: Scene) -> None:
    it.set_tokens(BotToken("many", hash_token("many"), 0))
    waiters = [Waiter(it.channel, "many") for _ in range(MOST_CONNECTIONS)]
    for waiter in waiters:
        assert waiter.hear() == Registered(1, "many", "one")
    code, why = _gone(Waiter(it.channel, "many"))
    assert (code, why) == ("RESOURCE_EXHAUSTED", f"many waits on {MOST_CONNECTIONS} lines")
    for waiter in waiters:
        waiter.hang_up()


def test_silent_visitor_is_disconnected() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder, "--join-seconds=3") as referee,
        _scene(referee) as it,
    ):
        waiter = Waiter(it.channel, "secret-of-stan", is_silent=True)
        code, why = _gone(waiter)
        assert (code, why) == ("DEADLINE_EXCEEDED", "no Arrival within 3 s")


FROZEN = """
import sys
import time
import grpc
from sitter import Waiter
waiter = Waiter(grpc.insecure_channel(sys.argv[1]), "secret-of-stan")
waiter.hear()
print("waiting", flush=True)
waiter.hear()
"""


def test_frozen_bot_is_detected() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder, "--ping-seconds=5") as referee,
        _scene(referee),
    ):
        bot = subprocess.Popen(
            [sys.executable, "-c", FROZEN, referee.listen],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
        )
        assert bot.stdout is not None
        assert bot.stdout.readline() == b"waiting\n"
        bot.send_signal(signal.SIGSTOP)  # its kernel continues to answer
        while referee.status().waiting:
            time.sleep(0.02)
        bot.kill()
        bot.communicate()


def test_draining_referee_notifies_waiting_bots() -> None:
    with short_folder() as folder, RefereeProcess(folder) as referee, _scene(referee) as it:
        waiter = it.arrive()
        it.referee.process.send_signal(signal.SIGTERM)
        assert waiter.hear() == Closing(5000)
        assert it.referee.process.wait(PATIENCE) == 0


def test_temporary_referee_announces_its_final_exit() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder, "--temporary") as referee,
        _scene(referee) as it,
    ):
        waiter = it.arrive()
        it.referee.process.send_signal(signal.SIGTERM)
        assert waiter.hear() == Closing(0, final=True)
        assert it.referee.process.wait(PATIENCE) == 0


def test_bot_that_is_lost_while_the_referee_drains_can_come_back() -> None:
    with short_folder() as folder, RefereeProcess(folder) as referee, _scene(referee) as it:
        news = it.start(matches=2, parallel=1)
        waiter = it.arrive()
        sitter = it.sit(waiter.hear())
        sitter.play(2)
        it.referee.process.send_signal(signal.SIGTERM)
        assert waiter.hear() == Closing(5000)
        sitter.hang_up()
        waiter.hang_up()
        again = it.arrive()
        assert again.hear() == Closing(5000)
        for _ in range(2):  # the current match, and the rest of the block
            assert it.sit(again.hear()).play()
        reports = [item for item in news if isinstance(item, MatchReport)]
        assert [report.seats[0].fault for report in reports] == [None, None]
        assert it.referee.process.wait(PATIENCE) == 0


def test_bot_twice_in_one_match_is_refused(it: Scene) -> None:
    with pytest.raises(grpc.RpcError) as problem:
        it.referee.start(block((Remote("stan"), Remote("stan"))))
    assert problem.value.details() == "matches[0].seats[1].remote: 'stan' sits in this match twice"


def test_damrak_connect_plays_several_games_at_once(it: Scene) -> None:
    command = [sys.executable, "-m", "damrak", "connect", "greedy", "--games", "3", "--json"]
    bot = subprocess.Popen(
        [*command, "--to", it.referee.listen],
        env={**os.environ, "DAMRAK_TOKEN": "secret-of-stan"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        news = list(it.start(matches=3))
    finally:
        bot.send_signal(signal.SIGINT)
        said, _ = bot.communicate(timeout=PATIENCE)
    reports = [item for item in news if isinstance(item, MatchReport)]
    assert len(reports) == 3, said
    assert all(report.seats[0].fault is None for report in reports)


def test_hundreds_wait_while_others_play(it: Scene) -> None:
    names = [f"bot{number}" for number in range(300)]
    it.set_tokens(*[BotToken(name, hash_token(name), 0) for name in names])
    waiters = [Waiter(it.channel, name) for name in names]
    assert [waiter.hear() for waiter in waiters] == [Registered(1, name, "one") for name in names]
    assert len(it.referee.status().waiting) == len(names)
    order = block((House("greedy"), Remote("bot7")), name=it.name)
    it.referee.start(order)
    news = it.referee.follow(order)
    assert it.sit(waiters[7].hear()).play()
    assert ending(news) == BlockEnded("finished")
