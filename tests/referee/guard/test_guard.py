"""Floods of the public address: blocked by client address, without effect on honest clients."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from certificates import Authority
from damrak.benchmark.referee.flood import (
    DATA,
    KINDS,
    PREFACE,
    PRIORITY,
    SETTINGS,
    frame,
    request_headers,
)
from damrak_proto.v1 import lobby_pb2_grpc
from damrak_referee.guard.clients import endpoint, endpoint_of
from damrak_referee.guard.filter import MOST_CLIENTS, program_for
from damrak_referee.guard.guard import WASTED, Guard
from damrak_referee.guard.limits import BURST_SECONDS, Bucket, Limits
from damrak_referee.lobby.tokens import hash_token
from damrak_wire.lobby import Arrival, BotToken, Registered, encode_request
from damrak_wire.orders import House, Open
from damrak_wire.reports import MatchReport
from damrak_wire.table import Asked, Ended, Welcomed, decided, ready
from referee_process import PATIENCE, RefereeProcess, block, short_folder
from sitter import Sitter, Waiter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guard works on Linux only")

TOKEN = "token-of-stan"
GREEDY_AND_OPEN = (House("greedy"), Open())


@contextmanager
def _referee(*options: str) -> Iterator[RefereeProcess]:
    quick = ("--cool-off-seconds=1", "--join-seconds=2")
    with short_folder() as folder, RefereeProcess(folder, *quick, *options) as referee:
        yield referee


@contextmanager
def _channel(referee: RefereeProcess) -> Iterator[grpc.Channel]:
    """Yield a separate connection."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_reconnect_backoff_ms", 1000)]
    with grpc.insecure_channel(referee.listen, options) as channel:
        yield channel


def _address(referee: RefereeProcess) -> tuple[str, int]:
    host, _, port = referee.listen.rpartition(":")
    return host.strip("[]"), int(port)


def _until(holds: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def _blocked(referee: RefereeProcess) -> list[object]:
    return [line["address"] for line in referee.logged() if line["event"] == "client_blocked"]


def _is_healthy(channel: grpc.Channel) -> bool:
    stub = health_pb2_grpc.HealthStub(channel)
    answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE, wait_for_ready=True)
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@contextmanager
def _flood(kind: str, referee: RefereeProcess) -> Iterator[None]:
    host, port = _address(referee)
    command = ["-m", "damrak.benchmark.referee.flood", kind, host, str(port)]
    attacker = subprocess.Popen([sys.executable, *command])
    try:
        yield
    finally:
        attacker.kill()
        attacker.wait()


def _flood_from(source: str, referee: RefereeProcess) -> None:
    """Send priority frames from this address until it is disconnected."""
    first, more = KINDS["priority"]
    assert more is not None
    family = socket.AF_INET6 if ":" in source else socket.AF_INET
    with socket.socket(family) as attacker:
        attacker.bind((source, 0))
        attacker.connect(_address(referee))
        attacker.settimeout(2)  # a reset is dropped, too, once the address is blocked
        with contextlib.suppress(OSError):
            attacker.sendall(first)
            while True:
                attacker.sendall(more(0))


def _play(bot: Sitter, before_answers: Callable[[], None]) -> None:
    """Play a match to its end; call `before_answers` once, at the first question."""
    is_first = True
    for said in bot.hear():
        if isinstance(said, Welcomed):
            bot.say(ready("sitter"))
        elif isinstance(said, Asked):
            if is_first:
                is_first = False
                before_answers()
            bot.say(decided(said.decision, said.legal[0], None, 1))
        elif isinstance(said, Ended):
            return


@pytest.mark.process
@pytest.mark.parametrize("kind", KINDS)
def test_flood_is_blocked_while_a_match_goes_on(kind: str) -> None:
    with (
        _referee("--anonymous-connections=32") as referee,
        _channel(referee) as channel,
        ExitStack() as stack,
    ):
        order = block(GREEDY_AND_OPEN)
        [ticket] = referee.start(order).tickets
        news = referee.follow(order)

        def attack() -> None:
            stack.enter_context(_flood(kind, referee))
            _until(lambda: _blocked(referee))

        _play(Sitter(channel, ticket.ticket), attack)
        [report] = [it for it in news if isinstance(it, MatchReport)]
        assert not any(seat.fault for seat in report.seats)
        assert set(_blocked(referee)) == {"127.0.0.1"}
        stack.close()
        with _channel(referee) as later:
            assert _is_healthy(later)  # after the cool-off


@pytest.mark.process
def test_other_addresses_connect_while_one_is_blocked() -> None:
    with _referee("--cool-off-seconds=600") as referee, _channel(referee) as neighbour:
        _flood_from("127.0.0.2", referee)
        _until(lambda: _blocked(referee) == ["127.0.0.2"])
        assert _is_healthy(neighbour)
        with socket.socket() as again:
            again.bind(("127.0.0.2", 0))
            again.settimeout(0.3)
            with pytest.raises(TimeoutError):  # the kernel drops its packets
                again.connect(_address(referee))


@pytest.mark.process
def test_ipv6_clients_are_blocked() -> None:
    try:
        with socket.socket(socket.AF_INET6) as trial:
            trial.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 here")
    with _referee("--listen=[::1]:0", "--cool-off-seconds=600") as referee:
        _flood_from("::1", referee)
        _until(lambda: _blocked(referee) == ["::/64"])
        with socket.socket(socket.AF_INET6) as again:
            again.settimeout(0.3)
            with pytest.raises(TimeoutError):
                again.connect(_address(referee))


@pytest.mark.process
def test_flood_of_a_tls_port_is_blocked() -> None:
    with short_folder() as folder:
        authority = Authority(folder, "authority")
        pair = authority.issue("server")
        options = (f"--tls-cert={pair.cert}", f"--tls-key={pair.key}", "--cool-off-seconds=1")
        trust = grpc.ssl_channel_credentials(authority.cert.read_bytes())
        with RefereeProcess(folder, *options) as referee:
            referee.set_tokens(BotToken("stan", hash_token(TOKEN), 0))
            with grpc.secure_channel(referee.listen, trust) as channel:
                waiter = Waiter(channel, TOKEN)
                assert isinstance(waiter.hear(), Registered)
                with _flood("garbage", referee):
                    _until(lambda: _blocked(referee))
                assert _is_healthy(channel)  # on the authenticated connection
                assert waiter.call.is_active()


@pytest.mark.process
def test_connection_without_a_message_is_closed_and_one_with_a_message_stays() -> None:
    with _referee("--join-seconds=1") as referee, ExitStack() as stack:
        referee.set_tokens(BotToken("stan", hash_token(TOKEN), 0))
        waiter = Waiter(stack.enter_context(_channel(referee)), TOKEN)
        assert isinstance(waiter.hear(), Registered)
        with socket.create_connection(_address(referee), timeout=PATIENCE) as silent:
            silent.sendall(KINDS["priority"][0])  # only a preface
            with contextlib.suppress(ConnectionResetError):
                while silent.recv(1 << 12):
                    pass
        assert waiter.call.is_active()
        assert not _blocked(referee)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def _connections_until_blocked(limits: Limits) -> int:
    """Open and close one connection after the other; return how many it takes to be blocked."""
    guard = Guard(limits)
    server = await asyncio.start_server(_serve, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    guard.protect(port)
    for number in count(1):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        while not guard.count(authenticated=False):
            await asyncio.sleep(0)
        writer.close()
        while guard.count(authenticated=False) and not guard.blocked:
            await asyncio.sleep(0)
        if guard.blocked:
            guard.stop()
            server.close()
            return number
    raise AssertionError


def test_connections_without_a_message_use_up_the_limit_sooner() -> None:
    limits = Limits(anonymous_connections=WASTED * 2)
    assert asyncio.run(_connections_until_blocked(limits)) <= 4  # each of them is charged 8 times


@pytest.mark.process
def test_calls_without_a_token_are_limited_and_those_with_one_are_not() -> None:
    options = ("--anonymous-calls-per-s=1", "--join-seconds=600", "--joins-per-minute=1000")
    with _referee(*options) as referee, _channel(referee) as channel:
        referee.set_tokens(BotToken("stan", hash_token(TOKEN), 0))
        for _ in range(2 * BURST_SECONDS):
            waiter = Waiter(channel, TOKEN)
            assert isinstance(waiter.hear(), Registered)
            waiter.hang_up()
        assert not _blocked(referee)
        with _channel(referee) as stranger:
            wait = lobby_pb2_grpc.LobbyStub(stranger).Wait
            for _ in range(3 * BURST_SECONDS):
                with pytest.raises(grpc.RpcError):
                    next(wait(iter(()), timeout=PATIENCE))
                if _blocked(referee):
                    break
            assert _blocked(referee) == ["127.0.0.1"]


@pytest.mark.process
def test_many_bots_of_one_address_may_come_at_once() -> None:
    with _referee("--join-seconds=600") as referee, ExitStack() as stack:
        names = [f"bot{number}" for number in range(120)]
        referee.set_tokens(*(BotToken(name, hash_token(name), 0) for name in names))
        waiters = [Waiter(stack.enter_context(_channel(referee)), name) for name in names]
        assert all(isinstance(waiter.hear(), Registered) for waiter in waiters)
        assert not _blocked(referee)


@pytest.mark.process
def test_authenticated_connection_is_limited_too() -> None:
    arrival = encode_request(Arrival(1, 1, "test/1", 1, ())).SerializeToString()
    message = b"\0" + len(arrival).to_bytes(4, "big") + arrival
    headers = request_headers(1, b"/damrak.v1.Lobby/Wait", f"Bearer {TOKEN}".encode())
    first = PREFACE + frame(SETTINGS, 0, 0) + headers + frame(DATA, 0, 1, message)
    flood = frame(PRIORITY, 0, 3, bytes(4) + b"\x10") * 100_000
    with _referee("--bot-kib-per-s=1024", "--join-seconds=600") as referee:
        referee.set_tokens(BotToken("stan", hash_token(TOKEN), 0))
        with socket.create_connection(_address(referee)) as attacker:
            attacker.sendall(first)
            _until(lambda: referee.status().waiting)
            attacker.sendall(flood)  # more than an anonymous connection may send
            assert not _blocked(referee)
            attacker.settimeout(2)
            with contextlib.suppress(OSError):
                while True:
                    attacker.sendall(flood)
        _until(lambda: _blocked(referee) and not referee.status().waiting)


@pytest.mark.process
def test_metrics_count_what_was_closed() -> None:
    with _referee("--metrics=127.0.0.1:0", "--cool-off-seconds=600") as referee:
        served = next(it for it in referee.logged() if it["event"] == "metrics_served")
        _flood_from("127.0.0.2", referee)
        _until(lambda: _blocked(referee))
        with urllib.request.urlopen(f"http://{served['address']}/metrics") as answer:
            text = answer.read().decode()
        assert 'damrak_blocked_addresses{listener="public"} 1.0' in text
        closed = 'damrak_connections_closed_total{listener="public",why="too many bytes"} 1.0'
        assert closed in text


def test_endpoints_are_those_of_grpc_and_of_the_kernel() -> None:
    assert endpoint_of("ipv4:192.0.2.7:1234") == endpoint("::ffff:192.0.2.7", 1234)
    assert endpoint_of("ipv6:%5B2001:db8::1%5D:80") == endpoint("2001:DB8:0::1", 80)
    assert endpoint_of("unix:/tmp/x") is None
    assert endpoint_of("ipv4:nonsense") is None
    assert endpoint("2001:db8::1", 1).client == endpoint("2001:db8::ffff:2", 2).client
    assert endpoint("2001:db8::1", 1).client != endpoint("2001:db8:0:1::1", 1).client
    assert endpoint("192.0.2.7", 1).client != endpoint("192.0.2.8", 1).client


def test_filter_keeps_within_what_the_kernel_grants() -> None:
    networks = [f"2001:db8:0:{number:x}::/64" for number in range(2 * MOST_CLIENTS)]
    assert len(program_for(networks)) == len(program_for(networks[MOST_CLIENTS:])) < 20_480


def test_bucket_holds_a_burst_and_refills_at_its_rate() -> None:
    bucket = Bucket(10, now=0.0)
    assert bucket.spend(10 * BURST_SECONDS, now=0.0)
    assert not bucket.spend(1, now=0.0)
    assert bucket.spend(10, now=1.2)
    assert not bucket.spend(100, now=1.2)
    bucket.forgive()
    assert bucket.spend(5, now=1.8)
