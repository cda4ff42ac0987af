"""The gRPC servers for bots and for control clients: limits, TLS, health, and reflection."""

from __future__ import annotations

import contextlib
import os
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import reflection  # type: ignore[import-untyped]

from damrak_referee.addresses import Address
from damrak_referee.guard.guard import Guard
from damrak_referee.settings.settings import Settings
from damrak_referee.usage_errors import Misuse, SettingError

KIB: Final = 1024
PUBLIC_MESSAGE: Final = 64 * KIB
CONTROL_MESSAGE: Final = 4 * KIB * KIB
METADATA: Final = 8 * KIB
CALLS_PER_CONNECTION: Final = 1024
CLIENT_PING_MS: Final = 5000  # the minimum interval of keepalive pings from clients
# Pings in a row at shorter intervals that close a connection. Messages to the client reset the
# count, so that a client whose library pings often can play; a flood of pings is ended at once.
PING_STRIKES: Final = 100
# The kernel's buffer of each connection. gRPC reads a connection until it is empty, so this limits
# how much of a flood is still parsed after the connection was closed.
PUBLIC_BUFFER: Final = 64 * KIB

Options = list[tuple[str, int]]


def public_options(join_seconds: float, ping_seconds: float) -> Options:
    """Return the server options for bots; idle connections are closed after `join_seconds`."""
    return [
        ("grpc.max_receive_message_length", PUBLIC_MESSAGE),
        ("grpc.max_concurrent_streams", CALLS_PER_CONNECTION),
        ("grpc.tcp_receive_buffer_size", PUBLIC_BUFFER),
        ("grpc.max_connection_idle_ms", max(1000, round(join_seconds * 1000))),
        *_shared_options(join_seconds, ping_seconds),
    ]


def control_options(join_seconds: float, ping_seconds: float) -> Options:
    """Return the server options for control clients."""
    return [
        ("grpc.max_receive_message_length", CONTROL_MESSAGE),
        *_shared_options(join_seconds, ping_seconds),
    ]


def _shared_options(join_seconds: float, ping_seconds: float) -> Options:
    ping_ms = max(1000, round(ping_seconds * 1000))
    return [
        ("grpc.max_metadata_size", METADATA),
        ("grpc.absolute_max_metadata_size", 2 * METADATA),
        ("grpc.server_handshake_timeout_ms", max(1000, round(join_seconds * 1000))),
        ("grpc.keepalive_time_ms", ping_ms),
        ("grpc.keepalive_timeout_ms", ping_ms),
        # The only timeout that counts while a peer's kernel responds; the default is a minute.
        ("grpc.http2.ping_timeout_ms", ping_ms),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", CLIENT_PING_MS),
        ("grpc.http2.max_ping_strikes", PING_STRIKES),
        ("grpc.so_reuseport", 0),  # else two referees could share a port and its bots
    ]


def credentials(settings: Settings, client_ca: str) -> grpc.ServerCredentials | None:
    """Load the TLS settings, if there are any; `client_ca` names the setting of client authorities.

    Changed files are read again for new connections.

    Raises:
        SettingError: a file is not valid; the message names the setting and the file.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    authorities: Path | None = getattr(settings, client_ca)
    option = "--" + client_ca.replace("_", "-")
    files = _Files(settings.tls_cert, settings.tls_key, option, authorities)
    first = files.configuration()
    renewed: Any = files.renewed  # None is allowed, despite the annotations
    return grpc.dynamic_ssl_server_credentials(
        first, renewed, require_client_authentication=authorities is not None
    )


class _Files:
    """Certificate files, reloaded when they change."""

    def __init__(self, cert: Path, key: Path, option: str, authorities: Path | None) -> None:
        self._cert, self._key = cert, key
        self._option, self._authorities = option, authorities
        self._stamp = self._stamp_now()

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """Read the files and return their content."""
        cert = _read("--tls-cert", self._cert, b"CERTIFICATE-----")
        key = _read("--tls-key", self._key, b"PRIVATE KEY-----")
        _check_pair(self._cert, self._key)
        ca = self._authorities
        return grpc.ssl_server_certificate_configuration(
            [(key, cert)],
            root_certificates=None if ca is None else _read(self._option, ca, b"CERTIFICATE-----"),
        )

    def renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new content if the files changed; gRPC calls this before each handshake."""
        stamp = self._stamp_now()
        if stamp == self._stamp:
            return None
        try:
            configuration = self.configuration()
        except SettingError:  # perhaps being replaced right now; the old ones serve until then
            return None
        self._stamp = stamp
        return configuration

    def _stamp_now(self) -> list[tuple[int, int]]:
        stamps = []
        for path in filter(None, (self._cert, self._key, self._authorities)):
            try:
                found = path.stat()
            except OSError:
                continue
            stamps.append((found.st_mtime_ns, found.st_ino))
        return stamps


def _read(option: str, path: Path, wanted: bytes) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as problem:
        why = (problem.strerror or "cannot be read").lower()
        raise SettingError(f"{option}: {path}: {why}") from None
    if wanted not in data:
        what = wanted.decode().rstrip("-").lower()
        raise SettingError(f"{option}: {path}: no {what} in PEM")
    return data


def _check_pair(cert: Path, key: Path) -> None:
    """Check that certificate and key match; gRPC would report it only to clients."""

    def passphrase() -> str:
        raise SettingError(f"--tls-key: {key}: is encrypted; a referee has no passphrase")

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, passphrase)
    except ssl.SSLError as problem:
        if problem.reason == "KEY_VALUES_MISMATCH":
            raise SettingError(f"--tls-key: {key}: not the key of {cert}") from None
        why = f"cannot be used together ({problem.reason or problem})"
        raise SettingError(f"--tls-cert: {cert} and {key} {why}") from None
    except OSError as problem:
        raise SettingError(f"--tls-cert: {cert}: {problem.strerror}") from None


def _full_name(module: object, service: str) -> str:
    """Return the full name of a service of a generated module."""
    descriptor = module.DESCRIPTOR.services_by_name[service]  # type: ignore[attr-defined]
    return str(descriptor.full_name)


class Listener:
    """A gRPC server on one address."""

    def __init__(
        self, options: Options, interceptors: Sequence[grpc.aio.ServerInterceptor], guard: Guard
    ) -> None:
        self._guard = guard
        self.server: Any = grpc.aio.server(interceptors=interceptors, options=options)
        self._health = health.aio.HealthServicer()
        self._names: list[str] = []

    def name_services(self, *services: tuple[object, str]) -> None:
        """Add health and reflection for these services, given by module and name."""
        names = [_full_name(*service) for service in services]
        self._names = [*names, health.SERVICE_NAME, reflection.SERVICE_NAME]
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self.server)
        reflection.enable_server_reflection(self._names, self.server)

    async def open(
        self, setting: str, address: Address, tls: grpc.ServerCredentials | None
    ) -> Address:
        """Start serving; return the address with its actual port.

        Raises:
            Misuse: the address is not available.
        """
        text = str(address)
        if address.path is not None:
            with contextlib.suppress(OSError):  # reported below
                address.path.parent.mkdir(parents=True, exist_ok=True)
        mask = os.umask(0o177)  # a socket file must never be open to others, not even briefly
        try:
            if tls is None or address.path is not None:
                port = self.server.add_insecure_port(text)
            else:
                port = self.server.add_secure_port(text, tls)
        except (RuntimeError, OSError):
            port = 0
        finally:
            os.umask(mask)
        if not port:
            raise Misuse(f"{setting}: cannot listen on {text}: taken, or not an address here")
        await self.server.start()
        for name in ("", *self._names):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        if address.path is not None:
            return address
        self._guard.protect(port)
        return address.at_port(port)

    async def refuse(self) -> None:
        """Report through the health service that no more calls are accepted."""
        await self._health.enter_graceful_shutdown()

    async def stop(self, grace: float | None) -> None:
        """Stop the server; calls have `grace` seconds to end."""
        self._guard.stop()
        await self.server.stop(grace)
