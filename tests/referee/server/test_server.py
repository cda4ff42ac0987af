"""Both addresses: authentication, encryption, and limits."""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from certificates import Authority, Pair
from damrak_proto.v1 import control_pb2 as pb, control_pb2_grpc
from damrak_referee.server.admission import address_of
from damrak_wire.orders import House, Open
from damrak_wire.reports import BlockEnded
from processes import children_of, is_alive
from referee_process import GREEDY, PATIENCE, RefereeProcess, block, ending, short_folder
from sitter import Sitter, Waiter

KEY = "a-key-for-the-control-address"


def _status(channel: grpc.Channel, key: str | None = None) -> pb.GetStatusResponse:
    metadata = [("authorization", f"Bearer {key}")] if key is not None else []
    stub = control_pb2_grpc.ControlStub(channel)
    return stub.GetStatus(pb.GetStatusRequest(), metadata=metadata, timeout=PATIENCE)


def _health(channel: grpc.Channel, service: str = "") -> int:
    stub = health_pb2_grpc.HealthStub(channel)
    request = health_pb2.HealthCheckRequest(service=service)
    return int(stub.Check(request, timeout=PATIENCE).status)


def _services(channel: grpc.Channel) -> set[str]:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    [answer] = stub.ServerReflectionInfo(iter([request]), timeout=PATIENCE)
    return {service.name for service in answer.list_services_response.service}


def _code(problem: pytest.ExceptionInfo[grpc.RpcError]) -> str:
    return str(problem.value.code().name)


def _credentials(authority: Authority, pair: Pair | None = None) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(
        authority.cert.read_bytes(),
        pair.key.read_bytes() if pair else None,
        pair.cert.read_bytes() if pair else None,
    )


@pytest.mark.process
def test_each_address_has_its_own_services_health_and_reflection() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder) as referee,
        grpc.insecure_channel(referee.listen) as public,
    ):
        shared = {"grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}
        assert _services(public) == {"damrak.v1.Table", "damrak.v1.Lobby", *shared}
        assert _services(referee.channel) == {"damrak.v1.Control", "damrak.v1.Watch", *shared}
        assert _health(public, "damrak.v1.Table") == health_pb2.HealthCheckResponse.SERVING
        assert _health(referee.channel) == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.RpcError) as problem:
            _status(public)
        assert _code(problem) == "UNIMPLEMENTED"
        mode = (folder / "run" / "one.sock").stat().st_mode
        assert stat.S_IMODE(mode) == 0o600


@pytest.mark.process
def test_control_over_the_network_takes_the_key() -> None:
    with short_folder() as folder:
        path = folder / "key"
        path.write_text(KEY + "\n")
        options = ("--control=127.0.0.1:0", f"--control-key-file={path}")
        with (
            RefereeProcess(folder, *options) as referee,
            grpc.insecure_channel(referee.control_address) as channel,
        ):
            assert _status(channel, KEY).referee == "one"
            for wrong in (None, "", "wrong", KEY + "x"):
                with pytest.raises(grpc.RpcError) as problem:
                    _status(channel, wrong)
                assert _code(problem) == "UNAUTHENTICATED"
            stub = control_pb2_grpc.ControlStub(channel)
            with pytest.raises(grpc.RpcError) as problem:
                list(stub.FollowBlock(pb.FollowBlockRequest(block="b", attempt=1)))
            assert _code(problem) == "UNAUTHENTICATED"
            with pytest.raises(grpc.RpcError) as problem:
                stub.Upload(iter([pb.UploadRequest(sha256="0" * 64)]))
            assert _code(problem) == "UNAUTHENTICATED"
            assert _health(channel) == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.process
def test_tls_for_bots_and_mutual_tls_for_control() -> None:
    with short_folder() as folder:
        authority, stranger = Authority(folder, "authority"), Authority(folder, "stranger")
        server, ladder = authority.issue("server"), authority.issue("ladder")
        options = (
            "--control=127.0.0.1:0",
            f"--tls-cert={server.cert}",
            f"--tls-key={server.key}",
            f"--control-client-ca={authority.cert}",
        )
        with RefereeProcess(folder, *options) as referee:
            with grpc.secure_channel(referee.listen, _credentials(authority)) as bots:
                assert _health(bots) == health_pb2.HealthCheckResponse.SERVING
            with grpc.secure_channel(
                referee.control_address, _credentials(authority, ladder)
            ) as control:
                assert _status(control).referee == "one"
            for credentials in (
                _credentials(authority),
                _credentials(authority, stranger.issue("foreign")),
            ):
                with (
                    grpc.secure_channel(referee.control_address, credentials) as control,
                    pytest.raises(grpc.RpcError) as problem,
                ):
                    _status(control)
                assert _code(problem) == "UNAVAILABLE"
            with (
                grpc.insecure_channel(referee.listen) as plain,
                pytest.raises(grpc.RpcError) as problem,
            ):
                _health(plain)
            assert _code(problem) == "UNAVAILABLE"


@pytest.mark.process
def test_mutual_tls_for_bots() -> None:
    with short_folder() as folder:
        authority = Authority(folder, "authority")
        server, bot = authority.issue("server"), authority.issue("bot")
        options = (
            f"--tls-cert={server.cert}",
            f"--tls-key={server.key}",
            f"--tls-client-ca={authority.cert}",
        )
        with RefereeProcess(folder, *options) as referee:
            with grpc.secure_channel(referee.listen, _credentials(authority, bot)) as channel:
                assert _health(channel) == health_pb2.HealthCheckResponse.SERVING
            with (
                grpc.secure_channel(referee.listen, _credentials(authority)) as channel,
                pytest.raises(grpc.RpcError) as problem,
            ):
                _health(channel)
            assert _code(problem) == "UNAVAILABLE"


@pytest.mark.process
def test_renewed_certificate_is_served_without_a_restart() -> None:
    with short_folder() as folder:
        old, new = Authority(folder, "old"), Authority(folder, "new")
        pair, next_pair = old.issue("server"), new.issue("next")
        options = (f"--tls-cert={pair.cert}", f"--tls-key={pair.key}")
        with RefereeProcess(folder, *options) as referee:
            with grpc.secure_channel(referee.listen, _credentials(old)) as channel:
                assert _health(channel) == health_pb2.HealthCheckResponse.SERVING
            next_pair.key.replace(pair.key)
            next_pair.cert.replace(pair.cert)
            with grpc.secure_channel(referee.listen, _credentials(new)) as channel:
                assert _health(channel) == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.process
def test_too_many_wrong_tickets_close_the_door_for_a_while(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(KEY)
    options = ("--joins-per-minute=3", "--control=127.0.0.1:0", f"--control-key-file={key}")
    with (
        short_folder() as folder,
        RefereeProcess(folder, *options) as referee,
        grpc.insecure_channel(referee.listen) as channel,
        grpc.insecure_channel(referee.control_address) as control,
    ):
        codes = []
        for _ in range(5):
            with pytest.raises(grpc.RpcError) as problem:
                Sitter(channel, "guess").play()
            codes.append(_code(problem))
        assert codes == ["UNAUTHENTICATED"] * 3 + ["RESOURCE_EXHAUSTED"] * 2
        # Limits on bots do not affect the control address.
        assert _status(control, KEY).referee == "one"


@pytest.mark.process
def test_too_many_open_calls_are_refused() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder, "--streams-per-peer=2") as referee,
        grpc.insecure_channel(referee.listen) as channel,
    ):
        order = block((Open(), Open(), Open()))
        sitters = [Sitter(channel, t.ticket) for t in referee.start(order).tickets]
        outcomes = []
        for sitter in sitters:
            try:
                outcomes.append(type(next(iter(sitter.hear()))).__name__)
            except grpc.RpcError as problem:
                outcomes.append(problem.code().name)
        assert sorted(outcomes) == ["RESOURCE_EXHAUSTED", "Welcomed", "Welcomed"]
        for sitter in sitters:
            sitter.hang_up()


@pytest.mark.process
def test_large_metadata_and_large_messages_are_refused() -> None:
    with (
        short_folder() as folder,
        RefereeProcess(folder) as referee,
        grpc.insecure_channel(referee.listen) as channel,
    ):
        with pytest.raises(grpc.RpcError) as problem:
            Waiter(channel, "x" * 100_000).hear()
        assert _code(problem) == "RESOURCE_EXHAUSTED"
        with pytest.raises(grpc.RpcError) as problem:
            Sitter(channel, "x" * 100_000).play()
        assert _code(problem) == "RESOURCE_EXHAUSTED"
        play = channel.stream_stream("/damrak.v1.Table/Play")
        # 10 KB when compressed.
        bomb = play(iter([bytes(10 << 20)]), compression=grpc.Compression.Gzip)
        with pytest.raises(grpc.RpcError) as problem:
            next(bomb)
        assert _code(problem) == "RESOURCE_EXHAUSTED"
        assert _health(channel) == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.process
def test_invalid_bytes_are_not_an_error_of_the_referee() -> None:
    calls = [
        ("grpc.health.v1.Health/Check", "unary_unary"),
        ("grpc.health.v1.Health/Watch", "unary_stream"),
        ("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "stream_stream"),
        ("damrak.v1.Control/StartBlock", "unary_unary"),
        ("damrak.v1.Control/FollowBlock", "unary_stream"),
        ("damrak.v1.Control/Upload", "stream_unary"),
    ]

    def call(method: str, kind: str) -> None:
        request: object = iter([b"\xff"]) if kind.startswith("stream") else b"\xff"
        next(getattr(referee.channel, kind)(f"/{method}")(request))

    with short_folder() as folder, RefereeProcess(folder) as referee:
        for method, kind in calls:
            with pytest.raises(grpc.RpcError) as problem:
                call(method, kind)
            assert _code(problem) == "INVALID_ARGUMENT", method
        assert [line for line in referee.logged() if line["level"] == "error"] == []


@pytest.mark.process
def test_the_limit_of_open_files_can_be_used() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        with short_folder() as folder, RefereeProcess(folder) as referee:
            assert resource.prlimit(referee.process.pid, resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.process
def test_connection_that_never_speaks_is_closed() -> None:
    with short_folder() as folder, RefereeProcess(folder, "--join-seconds=0.1") as referee:
        host, _, port = referee.listen.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as silent:
            while silent.recv(1000):  # until the referee closes the connection
                pass


@pytest.mark.process
def test_run_folder_with_no_room_for_sockets_is_refused() -> None:
    with short_folder() as folder:
        run = folder / ("x" * 70)
        done = _run(f"--run={run}", f"--control=unix:{folder}/c.sock", "--listen=127.0.0.1:0")
        assert done.returncode == 2
        assert "--run: the path of the run folder is too long for sockets" in done.stderr


@pytest.mark.process
def test_metrics_are_served() -> None:
    with short_folder() as folder, RefereeProcess(folder, "--metrics=127.0.0.1:0") as referee:
        assert ending(referee.play(block(GREEDY))) == BlockEnded("finished")
        [at] = [line["address"] for line in referee.logged() if line["event"] == "metrics_served"]
        with urllib.request.urlopen(f"http://{at}/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
        assert 'damrak_matches_finished_total{reason="carts"} 1.0' in text
        assert 'damrak_blocks_total{outcome="finished"} 1.0' in text
        assert "damrak_capacity 64.0" in text
        assert 'damrak_seats{place="house"} 0.0' in text


@pytest.mark.process
def test_two_referees_of_one_name_do_not_share_a_folder() -> None:
    with short_folder() as folder, RefereeProcess(folder) as referee:
        done = _run(f"--run={folder}/run", "--name=one", "--listen=127.0.0.1:0")
        assert done.returncode == 2
        assert "--name: another referee called 'one' runs in" in done.stderr
        assert referee.status().referee == "one"


@pytest.mark.process
def test_killed_referee_does_not_block_the_next() -> None:
    with short_folder() as folder:
        with RefereeProcess(folder) as first:
            first.start(block((House("greedy"), Open())))
            children = children_of(first.process.pid)
            first.process.kill()
            first.process.wait()
            while any(map(is_alive, children)):  # its runner, which removes what it has created
                time.sleep(0.02)
        with RefereeProcess(folder) as second:
            assert ending(second.play(block(GREEDY, attempt=2))) == BlockEnded("finished")
            second.process.send_signal(signal.SIGTERM)
            assert second.process.wait(PATIENCE) == 0
        left = [path for path in (folder / "run").rglob("*") if path.exists()]
        assert left == []


@pytest.mark.process
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--listen=192.0.2.1:1"], "--listen: cannot listen on 192.0.2.1:1"),
        (["DAMRAK_REFEREE_METRICS=192.0.2.1:1"], "DAMRAK_REFEREE_METRICS: 192.0.2.1:1: "),
        (["--run=/proc/no"], "--run: /proc/no: "),
        (["--control=unix:/" + "x" * 110], "--control: /x"),
        (["--store=/proc/no"], "--store: /proc/no"),
        (
            [f"--tls-cert={__file__}", f"--tls-key={__file__}"],
            f"--tls-cert: {__file__}: no certificate in PEM",
        ),
        (
            ["--control=127.0.0.1:0", "--control-key-file=/dev/null"],
            "--control-key-file: /dev/null",
        ),
        ([f"--tokens={__file__}"], "--tokens: "),
    ],
)
def test_unavailable_resource_is_reported_in_one_line(
    tmp_path: Path, options: list[str], said: str
) -> None:
    with short_folder() as folder:
        defaults = [f"--run={folder}/run", f"--store={folder}/store", "--listen=127.0.0.1:0"]
        done = _run(*defaults, *options)
    assert done.returncode == 2, done.stderr
    *_, last = done.stderr.splitlines()
    assert last.startswith("damrak-referee: ")
    assert said in last
    assert "Traceback" not in done.stderr


@pytest.mark.process
def test_key_of_another_certificate_is_reported() -> None:
    with short_folder() as folder:
        authority = Authority(folder, "authority")
        pair, other = authority.issue("server"), authority.issue("other")
        where = (f"--run={folder}/run", "--listen=127.0.0.1:0", f"--tls-cert={pair.cert}")
        done = _run(*where, f"DAMRAK_REFEREE_TLS_KEY={other.key}")
    assert done.returncode == 2
    said = f"damrak-referee: DAMRAK_REFEREE_TLS_KEY: {other.key}: not the key of {pair.cert}\n"
    assert done.stderr == said


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:40000", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3::4%5D:40000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2:ffff::]:1", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:1", "192.0.2.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:1", "fe80::/64"),
        ("unix:", None),
        ("unix:/run/x.sock", None),
    ],
)
def test_peers_are_counted_by_their_network_address(peer: str, address: str | None) -> None:
    assert address_of(peer) == address


def _run(*settings: str) -> subprocess.CompletedProcess[str]:
    """Return the output of a referee with these settings, as options or variables."""
    options = [text for text in settings if text.startswith("--")]
    variables = [text.split("=", 1) for text in settings if not text.startswith("--")]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("DAMRAK_REFEREE_")}
    return subprocess.run(
        [sys.executable, "-m", "damrak_referee", "--log-level=error", *options],
        capture_output=True,
        text=True,
        env={**clean, **dict(variables)},
        timeout=PATIENCE,
        check=False,
    )
