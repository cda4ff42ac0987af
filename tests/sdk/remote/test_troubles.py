"""Every connection failure is reported in one line with its remedy; with real servers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import grpc
import pytest

from certificates import Authority
from damrak.errors import RefereeError, RefusalError
from damrak.remote.address import parse_address
from damrak.remote.channels import OPTIONS, Security, open_channel, security_for
from damrak.remote.lobby import Away, Lobby
from damrak.remote.troubles import trouble_of
from damrak_wire.lobby import Call, Registered, encode_response
from damrak_wire.version import HIGHEST

PLAIN = Security(is_encrypted=False)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


def trusting(authority: Authority) -> Security:
    return Security(is_encrypted=True, authorities=authority.cert.read_bytes())


def credentials(authority: Authority, host: str = "localhost") -> grpc.ServerCredentials:
    pair = authority.issue("server", host)
    return grpc.ssl_server_credentials([(pair.key.read_bytes(), pair.cert.read_bytes())])


Play = Callable[[Any, grpc.ServicerContext], Iterator[bytes]]
Start = Callable[..., int]


@pytest.fixture
def start() -> Iterator[Start]:
    """Yield a function that starts a server with a given service and returns its port."""
    servers = []

    def start(play: Play | None = None, tls: grpc.ServerCredentials | None = None) -> int:
        pool = ThreadPoolExecutor(4)
        server = grpc.server(pool)
        if play is not None:
            method = grpc.stream_stream_rpc_method_handler(play)
            handler = grpc.method_handlers_generic_handler("damrak.v1.Table", {"Play": method})
            server.add_generic_rpc_handlers((handler,))
        where = "127.0.0.1:0"
        port = server.add_secure_port(where, tls) if tls else server.add_insecure_port(where)
        server.start()
        servers.append((server, pool))
        return port

    yield start
    for server, pool in servers:
        server.stop(0).wait()
        pool.shutdown()


def trouble(address: str, security: Security = PLAIN, key: str = "ticket") -> RefereeError:
    """Return the error of the first call to it."""
    there = parse_address(address)
    with open_channel(there, security) as channel:
        try:
            next(channel.stream_stream("/damrak.v1.Table/Play")(iter([b"x"])))
        except grpc.RpcError as problem:
            found = trouble_of(problem, there, key)
            assert str(found).startswith(f"{address}: ")
            assert "\n" not in str(found)
            return found
    raise AssertionError("nothing went wrong")


def refusing(code: grpc.StatusCode, details: str) -> Play:
    def play(requests: Any, context: grpc.ServicerContext) -> Iterator[bytes]:
        context.abort(code, details)
        yield b""

    return play


def test_refused() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        found = trouble(f"127.0.0.1:{unused.getsockname()[1]}")
    assert "nobody listens there" in str(found)
    assert not found.is_lasting


def test_missing_host() -> None:
    found = trouble("no-such-host.invalid:7171")
    assert "name" in str(found)
    assert "host" in str(found)


def test_missing_socket(tmp_path: Path) -> None:
    found = trouble(f"unix:{tmp_path}/none")
    assert "no such socket" in str(found)
    assert not found.is_lasting


def test_unknown_authority(start: Start, authority: Authority, tmp_path: Path) -> None:
    port = start(tls=credentials(authority))
    other = Authority(tmp_path, "other")
    for security in (trusting(other), Security(is_encrypted=True)):
        found = trouble(f"localhost:{port}", security)
        assert "--tls-ca FILE" in str(found)
        assert found.is_lasting


def test_wrong_name(start: Start, authority: Authority) -> None:
    port = start(tls=credentials(authority, "referee.example.org"))
    found = trouble(f"localhost:{port}", trusting(authority))
    assert "made for another name" in str(found)
    assert found.is_lasting


def test_encrypted_to_a_plain_referee(start: Start, authority: Authority) -> None:
    found = trouble(f"localhost:{start()}", trusting(authority))
    assert "add --insecure" in str(found)
    assert found.is_lasting


def test_plain_to_an_encrypted_referee(start: Start, authority: Authority) -> None:
    found = trouble(f"localhost:{start(tls=credentials(authority))}")
    assert "leave out --insecure" in str(found)


def test_no_certificate_in_the_file(start: Start, authority: Authority) -> None:
    port = start(tls=credentials(authority))
    found = trouble(f"localhost:{port}", Security(True, b"hello"))
    assert "no certificate in PEM" in str(found)


def test_something_else_listens_there() -> None:
    class Quiet(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        found = trouble(f"127.0.0.1:{server.server_address[1]}")
        server.shutdown()
        thread.join()
    assert "is no referee" in str(found)
    assert found.is_lasting


def test_referee_without_the_service(start: Start) -> None:
    assert "no referee of this kind" in str(trouble(f"localhost:{start()}"))


@pytest.mark.parametrize(
    ("key", "code", "details", "said"),
    [
        ("token", "UNAUTHENTICATED", "token unknown", "the referee does not know this token"),
        ("token", "UNAUTHENTICATED", "token expired", "the token has expired; get a new one"),
        ("ticket", "UNAUTHENTICATED", "no such ticket", "the ticket is not good (any more)"),
        (
            "token",
            "FAILED_PRECONDITION",
            "versions 1 to 1 are not spoken here, but 2 to 3 are",
            "but 2 to 3 are; the older of the two needs `pip install --upgrade damrak`",
        ),
    ],
)
def test_refusal(start: Start, key: str, code: str, details: str, said: str) -> None:
    port = start(refusing(getattr(grpc.StatusCode, code), details))
    found = trouble(f"localhost:{port}", key=key)
    assert isinstance(found, RefusalError)
    assert said in str(found)


def test_draining_referee_reports_it(start: Start) -> None:
    play = refusing(grpc.StatusCode.UNAVAILABLE, "this referee is about to stop")
    found = trouble(f"localhost:{start(play)}")
    assert "this referee is about to stop" in str(found)
    assert not found.is_lasting


def test_grpc_repeats_no_call_by_itself() -> None:
    """Endless retries exhausted the memory when a server stopped while a bot reconnected."""
    assert dict(OPTIONS)["grpc.enable_retries"] == 0


def test_encrypted_connection_works(start: Start, authority: Authority) -> None:
    def play(requests: Any, context: grpc.ServicerContext) -> Iterator[bytes]:
        yield b"hello"

    port = start(play, credentials(authority))
    address = parse_address(f"localhost:{port}")
    security = security_for(address, authority.cert.read_bytes(), is_insecure=False)
    with open_channel(address, security) as channel:
        assert list(channel.stream_stream("/damrak.v1.Table/Play")(iter([b"x"]))) == [b"hello"]


@pytest.mark.parametrize(
    ("address", "has_authorities", "is_insecure", "is_encrypted"),
    [
        ("localhost:1", False, False, False),
        ("localhost:1", True, False, True),
        ("referee.example.org:1", False, False, True),
        ("referee.example.org:1", False, True, False),
        ("192.168.1.5:1", False, False, True),
    ],
)
def test_remote_connections_are_encrypted_by_default(
    address: str, has_authorities: bool, is_insecure: bool, is_encrypted: bool
) -> None:
    authorities = b"some" if has_authorities else None
    security = security_for(parse_address(address), authorities, is_insecure)
    assert security.is_encrypted is is_encrypted


@pytest.mark.parametrize("is_known", [True, False])
def test_only_a_never_registered_bot_gives_up_on_invalid_messages(is_known: bool) -> None:
    """A referee that once worked may work again; an address that never did is not a referee."""
    said = [Registered(HIGHEST, "bot", "referee")] * is_known + [Call("", "", "ticket", 1)]

    def wait(requests: Any, context: grpc.ServicerContext) -> Iterator[bytes]:
        next(requests)
        yield from (encode_response(one).SerializeToString() for one in said)

    with ThreadPoolExecutor(4) as pool:
        server = grpc.server(pool)
        method = grpc.stream_stream_rpc_method_handler(wait)
        handler = grpc.method_handlers_generic_handler("damrak.v1.Lobby", {"Wait": method})
        server.add_generic_rpc_handlers((handler,))
        address = parse_address(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
        server.start()
        away = []

        def tell(news: object) -> None:
            if isinstance(news, Away):
                away.append(str(news.trouble))
                if len(away) == 2:
                    lobby.stop()

        lobby = Lobby(address, PLAIN, "token", "test", 1, tuple, tell)
        try:
            if is_known:
                lobby.run()
                assert len(away) == 2
                assert all("not of this protocol: call.match" in trouble for trouble in away)
            else:
                with pytest.raises(RefereeError, match=r"not of this protocol: call\.match"):
                    lobby.run()
        finally:
            server.stop(0).wait()
