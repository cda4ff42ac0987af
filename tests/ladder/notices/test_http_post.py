"""Webhook requests go only to allowed addresses, signed, once, and ignore response bodies.

These tests need no database.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import itertools
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

import pytest

from certificates import Authority
from damrak_ladder.notices import http_post
from damrak_ladder.notices.addresses import is_public, places_of, target_of
from damrak_ladder.notices.errors import BadWebhook
from damrak_ladder.notices.http_post import Postman
from damrak_ladder.notices.signatures import new_salt, secret_of, signature
from ladder.receivers import Receiver, receiving

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LOCAL = Postman(allow_loopback=True, patience=600)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as it:
        yield it


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "https://",
        "https:///x",
        "example.org",
        "https://user:secret@example.org/",
        "https://example.org/#x",
        "https://example.org:0/",
        "https://example.org:99999/",
        "https://[::1/",
        "https://exämple.org/",
        "https://example.org/a b",
        "https://example.org/\r\nX-Evil: 1",
        "https://example.org/" + "x" * 500,
    ],
)
def test_no_webhook_goes_to(url: str) -> None:
    with pytest.raises(BadWebhook):
        target_of(url, allow_loopback=True)


def test_plain_http_requires_a_setting_and_this_machine() -> None:
    for host in ("127.0.0.1", "localhost", "[::1]"):
        assert target_of(f"http://{host}:8/", allow_loopback=True).port == 8
        with pytest.raises(BadWebhook, match="https"):
            target_of(f"http://{host}:8/", allow_loopback=False)


def test_a_target_is_named_as_http_names_it() -> None:
    assert target_of("https://Example.org/a?b=c", False).authority == "example.org"
    assert target_of("https://example.org:8443", False).authority == "example.org:8443"
    assert target_of("https://[2600::1]:444/", False).authority == "[2600::1]:444"
    assert target_of("https://example.org/a?b=c", False).path == "/a?b=c"
    assert target_of("https://example.org", False).path == "/"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192", "168.63.129.16",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "198.18.0.1",
        "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "2001::1",
        "fec0::1", "::ffff:0:7f00:1", "5f00::1", "3fff::1",
    ],
)  # fmt: skip
def test_the_internal_network_is_unreachable(address: str) -> None:
    assert not is_public(ip_address(address))
    target = target_of("https://example.org/", False)
    with pytest.raises(BadWebhook, match="public"):
        places_of(target, False, lambda host, port: ["93.184.215.14", address])


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700::1111", "::ffff:93.184.215.14"])
def test_the_public_internet_is_reachable(address: str) -> None:
    assert is_public(ip_address(address))


def test_the_setting_opens_this_machine_and_nothing_else() -> None:
    target = target_of("http://localhost:8/", True)
    assert places_of(target, True, lambda host, port: ["127.0.0.1", "::1"])
    with pytest.raises(BadWebhook, match="public"):
        places_of(target, True, lambda host, port: ["10.0.0.1"])


def test_an_unknown_host_is_reported_as_unknown() -> None:
    def fail(host: str, port: int) -> list[str]:
        raise socket.gaierror

    answer = Postman(False, resolve=fail).post("https://nowhere.example/", b"{}", {})
    assert answer.trouble == "The host name could not be resolved."
    answer = Postman(False, resolve=lambda host, port: []).post("https://x.example/", b"{}", {})
    assert answer.trouble == "The host name could not be resolved."


def test_a_post_arrives_as_it_was_sent(receiver: Receiver) -> None:
    assert LOCAL.post(receiver.url, b'{"a": 1}', {"X-Damrak-Notice": "7"}).is_good
    [(headers, body)] = receiver.heard
    assert body == b'{"a": 1}'
    assert headers[":path"] == "/hook?a=1"
    assert headers["host"] == f"127.0.0.1:{receiver.port}"
    assert headers["x-damrak-notice"] == "7"
    assert headers["content-type"] == "application/json"


def test_a_loopback_address_is_refused_without_the_setting(receiver: Receiver) -> None:
    url = receiver.url.replace("http:", "https:")
    answer = Postman(allow_loopback=False).post(url, b"{}", {})
    assert answer.trouble == "The host does not have a public IP address."
    assert not receiver.heard


def test_a_name_is_resolved_once_and_that_address_is_the_one_connected_to(
    receiver: Receiver,
) -> None:
    # A second resolution, as by a library, would lead elsewhere than the address that was checked.
    asked = []

    def rebind(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    postman = replace(LOCAL, resolve=rebind)
    assert postman.post(f"http://localhost:{receiver.port}/", b"{}", {}).is_good
    assert asked == ["localhost"]


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_every_2xx_is_an_arrival(receiver: Receiver, status: int) -> None:
    receiver.statuses = [status]
    assert LOCAL.post(receiver.url, b"{}", {}).is_good


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
def test_every_other_answer_is_a_failure(receiver: Receiver, status: int) -> None:
    receiver.statuses = [status]
    assert LOCAL.post(receiver.url, b"{}", {}).trouble == f"The response was {status}."


def test_redirects_are_not_followed(receiver: Receiver) -> None:
    receiver.statuses, receiver.location = [307], receiver.url
    answer = LOCAL.post(receiver.url, b"{}", {})
    assert answer.trouble == "The response was 307. Redirects are not followed."
    assert len(receiver.heard) == 1


def test_unresponsive_receivers_are_not_waited_for(receiver: Receiver) -> None:
    receiver.hold = threading.Event()
    answer = Postman(True, patience=0.2).post(receiver.url, b"{}", {})
    assert answer.trouble == "The request timed out."


def test_an_answer_that_drips_gets_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0, 100)  # this many seconds pass between two reads
    monkeypatch.setattr(http_post, "monotonic", lambda: next(clock))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            caller, _ = server.accept()
            with caller, contextlib.suppress(OSError):
                while True:  # until the caller disconnects
                    caller.sendall(b"H")
                    threading.Event().wait(0.01)

        thread = threading.Thread(target=drip)
        thread.start()
        answer = LOCAL.post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {})
        thread.join()
    assert answer.trouble == "The request timed out."


def test_a_closed_port_is_reported() -> None:
    with socket.socket() as silent:  # reserves the port
        silent.bind(("127.0.0.1", 0))
        answer = LOCAL.post(f"http://127.0.0.1:{silent.getsockname()[1]}/", b"{}", {})
    assert answer.trouble.startswith("Connection failed: ")


@pytest.mark.parametrize(
    "said", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 999 x\r\n", b"HTTP/1.1 200", b"x" * 100_000, b"\n"]
)
def test_invalid_http_is_not_an_answer(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            caller, _ = server.accept()
            with caller:
                caller.recv(65536)
                try:
                    caller.sendall(said)
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        answer = LOCAL.post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {})
        thread.join()
    assert answer.trouble == "The response was not HTTP."


def test_a_certificate_must_match_the_name_not_the_address(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "authority")
    pair = authority.issue("hook", "hook.example.org")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pair.cert, pair.key)
    ours = ssl.create_default_context(cafile=str(authority.cert))
    with receiving(server) as receiver:

        def post(host: str, tls: ssl.SSLContext | None) -> str:
            postman = replace(LOCAL, resolve=lambda host, port: ["127.0.0.1"], tls=tls)
            return postman.post(f"https://{host}:{receiver.port}/", b"{}", {}).trouble

        assert post("hook.example.org", ours) == ""
        assert post("other.example.org", ours).startswith("The certificate is not valid: ")
        assert post("hook.example.org", None).startswith("The certificate is not valid: ")
    assert len(receiver.heard) == 1


def test_a_signature_is_an_hmac_of_moment_and_body() -> None:
    signed = signature("secret", b"body", NOW)
    digest = hmac.new(b"secret", b"1893456000.body", hashlib.sha256).hexdigest()
    assert signed == f"t=1893456000,v1={digest}"
    assert signature("other", b"body", NOW) != signed


def test_every_salt_has_one_unique_secret() -> None:
    salt = new_salt()
    assert secret_of(salt) == secret_of(salt)
    assert len({secret_of(new_salt()) for _ in range(10)}) == 10
