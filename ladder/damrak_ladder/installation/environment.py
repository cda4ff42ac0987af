"""What the environment says about an installation, checked before anything starts."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from damrak_ladder.installation import buckets
from damrak_ladder.installation.buckets import Bucket

T = TypeVar("T")

PREFIX: Final = "DAMRAK_LADDER_"
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
SECRET_LENGTH: Final = 32
"""A secret key has at least so many characters."""

STORES: Final = ("database", "folder", "s3")
_DATABASES: Final = frozenset({"postgres", "postgresql"})
_MAILERS: Final = frozenset({"smtp", "smtps", "smtp+tls"})
_BROKERS: Final = frozenset({"redis", "rediss"})


class SettingError(ValueError):
    """A variable that is no good: its name, and what is wrong."""

    def __init__(self, variable: str, problem: str) -> None:
        super().__init__(f"{variable}: {problem}")
        self.variable = variable


@dataclass(frozen=True, slots=True)
class Limits:
    """What one owner may have."""

    bots: int
    submissions_per_hour: int
    storage_mb: int
    tokens: int
    trials: int


@dataclass(frozen=True, slots=True)
class Benching:
    """When a version faults too often: for certain in more than this share of its latest games."""

    percent: int
    games: int  # that are looked at
    least: int  # with fewer nobody is benched


@dataclass(frozen=True, slots=True)
class RefereeTls:
    """How the way to referees is protected, in PEM. Without it all of them are on this machine."""

    authorities: bytes | None  # to be believed; None: the usual ones
    certificate: bytes | None  # that we show
    private_key: bytes | None
    may_be_plain: bool  # even to other machines


@dataclass(frozen=True, slots=True)
class Environment:
    """Everything that can be set. Durations are in seconds."""

    home: Path
    url: str
    port: int
    listen: str  # the address of this machine at which the site answers
    behind_proxy: bool
    proxies: str  # those whose word about clients is taken, if there are any
    debug: bool
    secret_key: str | None  # None: the one kept at home
    database_url: str | None  # None: SQLite at home
    mail_url: str | None  # None: mails become files at home
    mail_from: str
    local_webhooks: bool  # whether webhooks may go to this machine, by plain http
    limits: Limits
    benching: Benching
    replay_store: str
    archive_store: str
    bucket: Bucket | None  # None: neither of the two needs one
    replay_key: bytes | None  # None: the one kept at home
    lease: int
    attempts: int
    broker: str | None  # None: the one that `damrak-ladder up` runs for this home
    host_name: str  # what this machine is called among hosts
    referee: str | None  # where this machine's referee is driven; None: that of `up`
    referee_key: str | None
    referee_tls: RefereeTls
    lobby: str | None  # where remote bots are told to connect; None: nowhere
    workers: int  # blocks that this machine plays at once
    games_at_once: int  # of all these blocks together
    games_per_minute: int | None  # None: as many as the machine can

    @property
    def is_secure(self) -> bool:
        """Whether the site is reached by https."""
        return self.url.startswith("https://")

    @property
    def host(self) -> str:
        """The name in the site's address."""
        return urlsplit(self.url).hostname or ""


def read_environment(variables: Mapping[str, str]) -> Environment:
    """The settings in these variables.

    Raises:
        SettingError: naming the first variable that is no good, or that nobody reads.
    """
    source = _Source(variables)
    port = source.get("DAMRAK_PORT", "8000", _port)
    replay_store = source.get(PREFIX + "REPLAY_STORE", "database", _store)
    archive_store = source.get(PREFIX + "ARCHIVE_STORE", "folder", _store)
    found = Environment(
        home=source.get("DAMRAK_HOME", "var", _folder),
        port=port,
        url=source.get(PREFIX + "URL", f"http://127.0.0.1:{port}", _site),
        listen=source.get(PREFIX + "LISTEN", "127.0.0.1", _address),
        proxies=source.get(PREFIX + "PROXIES", "127.0.0.1", _networks),
        behind_proxy=source.get(PREFIX + "BEHIND_PROXY", "no", _truth),
        debug=source.get(PREFIX + "DEBUG", "no", _truth),
        secret_key=source.find(PREFIX + "SECRET_KEY", _secret),
        database_url=source.find("DATABASE_URL", _database),
        mail_url=source.find(PREFIX + "MAIL_URL", _mailer),
        mail_from=source.get(PREFIX + "MAIL_FROM", "damrak@localhost", _text),
        local_webhooks=source.get(PREFIX + "LOCAL_WEBHOOKS", "no", _truth),
        limits=Limits(
            bots=source.get(PREFIX + "BOTS_PER_OWNER", "10", _count),
            submissions_per_hour=source.get(PREFIX + "SUBMISSIONS_PER_HOUR", "10", _count),
            storage_mb=source.get(PREFIX + "STORAGE_MB_PER_OWNER", "500", _count),
            tokens=source.get(PREFIX + "TOKENS_PER_OWNER", "20", _count),
            trials=source.get(PREFIX + "TESTS_PER_OWNER", "2", _count),
        ),
        benching=Benching(
            percent=source.get(PREFIX + "BENCH_PERCENT", "10", _percent),
            games=source.get(PREFIX + "BENCH_GAMES", "60", _count),
            least=source.get(PREFIX + "BENCH_LEAST_GAMES", "8", _count),
        ),
        replay_store=replay_store,
        archive_store=archive_store,
        bucket=_bucket(source, is_needed="s3" in {replay_store, archive_store}),
        replay_key=source.find(PREFIX + "REPLAY_KEY", _key),
        lease=source.get(PREFIX + "LEASE_SECONDS", "60", _count),
        attempts=source.get(PREFIX + "BLOCK_ATTEMPTS", "5", _count),
        broker=source.find(PREFIX + "BROKER", _broker),
        host_name=source.get(PREFIX + "HOST", _this_machine(), _host_name),
        referee=source.find(PREFIX + "REFEREE", _referee),
        referee_key=source.find(PREFIX + "REFEREE_KEY", _text),
        referee_tls=RefereeTls(
            authorities=source.find(PREFIX + "REFEREE_TLS_CA", _content),
            certificate=source.find(PREFIX + "REFEREE_TLS_CERT", _content),
            private_key=source.find(PREFIX + "REFEREE_TLS_KEY", _content),
            may_be_plain=source.get(PREFIX + "REFEREE_PLAIN", "no", _truth),
        ),
        lobby=source.find(PREFIX + "LOBBY", _place),
        workers=source.get(PREFIX + "WORKERS", "1", _count),
        games_at_once=source.get(PREFIX + "GAMES_AT_ONCE", str(processors()), _count),
        games_per_minute=source.find(PREFIX + "GAMES_PER_MINUTE", _count),
    )
    may_be_plain = source.get(PREFIX + "PLAIN_HTTP", "no", _truth)
    source.check_all_read()
    if not (found.is_secure or may_be_plain or found.host in LOOPBACK):
        raise SettingError(
            PREFIX + "URL",
            f"http is for this machine only; say https, or set {PREFIX}PLAIN_HTTP=yes",
        )
    tls = found.referee_tls
    if (tls.certificate is None) != (tls.private_key is None):
        raise SettingError(
            PREFIX + "REFEREE_TLS_CERT", f"goes together with {PREFIX}REFEREE_TLS_KEY"
        )
    if found.debug and found.host not in LOOPBACK:
        raise SettingError(PREFIX + "DEBUG", "only for a site on this machine")
    return found


def processors() -> int:
    """How many of this machine's processors we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Source:
    """The variables, and which of them somebody asked for."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._read: set[str] = set()

    def find(self, name: str, parse: Callable[[str], T]) -> T | None:
        self._read.add(name)
        text = self._variables.get(name)
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as problem:
            raise SettingError(name, str(problem)) from None

    def get(self, name: str, default: str, parse: Callable[[str], T]) -> T:
        found = self.find(name, parse)
        return parse(default) if found is None else found

    def check_all_read(self) -> None:
        for name in sorted(self._variables):
            if name.startswith(PREFIX) and name not in self._read:
                raise SettingError(name, "there is no such setting")


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


def _folder(text: str) -> Path:
    return Path(_text(text)).expanduser().absolute()


def _content(text: str) -> bytes:
    try:
        return _folder(text).read_bytes()
    except OSError as problem:
        raise ValueError(f"{text}: {(problem.strerror or 'cannot be read').lower()}") from None


def _truth(text: str) -> bool:
    if text not in {"yes", "no"}:
        raise ValueError(f"{text!r} is neither yes nor no")
    return text == "yes"


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise ValueError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _percent(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]?", text):
        raise ValueError(f"{text!r} is not a whole number from 1 to 99")
    return int(text)


def _port(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > 65535:
        raise ValueError(f"{text!r} is not a port from 1 to 65535")
    return int(text)


def _address(text: str) -> str:
    return str(ipaddress.ip_address(text))


def _networks(text: str) -> str:
    found = [str(ipaddress.ip_network(part.strip(), strict=False)) for part in text.split(",")]
    return ",".join(found)


def _site(text: str) -> str:
    address = urlsplit(text)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise ValueError("is not of the form https://host or https://host:port")
    if address.path not in {"", "/"} or address.query or address.fragment or address.username:
        raise ValueError("has more than a scheme, a host and a port")
    return text.removesuffix("/")


def _secret(text: str) -> str:
    if len(text) < SECRET_LENGTH:
        raise ValueError(f"has fewer than {SECRET_LENGTH} characters")
    return text


def _key(text: str) -> bytes:
    # As secret as a password, and not repeated.
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ValueError("is not a key of 64 lower-case hexadecimal digits")
    return bytes.fromhex(text)


def _database(text: str) -> str:
    # The value may hold a password, and is not repeated.
    address = urlsplit(text)
    if address.scheme not in _DATABASES or not address.path.strip("/"):
        raise ValueError("is not of the form postgresql://user:password@host:port/name")
    return text


def _mailer(text: str) -> str:
    address = urlsplit(text)
    if address.scheme not in _MAILERS or not address.hostname:
        raise ValueError("is not of the form smtp+tls://user:password@host:port")
    return text


def _store(text: str) -> str:
    if text not in STORES:
        raise ValueError(f"{text!r} is none of {', '.join(STORES)}")
    return text


def _bucket(source: _Source, *, is_needed: bool) -> Bucket | None:
    name = source.find(PREFIX + "S3_BUCKET", buckets.bucket_name)
    endpoint = source.find(PREFIX + "S3_ENDPOINT", buckets.endpoint)
    region = source.get(PREFIX + "S3_REGION", "us-east-1", buckets.region)
    prefix = source.get(PREFIX + "S3_PREFIX", "", buckets.prefix)
    key = source.find(PREFIX + "S3_KEY", _text)
    secret = source.find(PREFIX + "S3_SECRET", _text)
    if not is_needed:
        return None
    if name is None:
        raise SettingError(PREFIX + "S3_BUCKET", "is needed by a store that is s3")
    for variable, value, other in (("S3_KEY", key, secret), ("S3_SECRET", secret, key)):
        if value is None and other is not None:
            raise SettingError(PREFIX + variable, "S3_KEY and S3_SECRET go together")
        if value is None and endpoint is not None:
            raise SettingError(PREFIX + variable, f"is needed by the server at {endpoint}")
    return Bucket(name, endpoint, region, prefix, key, secret)


def _broker(text: str) -> str:
    # The value may hold a password, and is not repeated.
    address = urlsplit(text)
    is_socket = address.scheme == "redis+socket" and len(address.path) > 1
    if not is_socket and not (address.scheme in _BROKERS and address.hostname):
        raise ValueError("is not of the form redis://host:port/0 or redis+socket:///path")
    return text


def _host_name(text: str) -> str:
    # It becomes the name of a queue.
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", text):
        raise ValueError(f"{text!r} is not made of letters, digits, dots, hyphens and _")
    return text


def _this_machine() -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname()).strip(".-")[:100] or "here"


def _place(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or "/" in host:
        raise ValueError(f"{text!r} is not of the form host:port")
    _port(port)
    return text


def _referee(text: str) -> str:
    return text if text.startswith("unix:/") else _place(text)
