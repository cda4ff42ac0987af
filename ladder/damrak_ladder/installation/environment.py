"""The settings of an installation in environment variables, validated before anything starts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from damrak_ladder.installation import buckets, values
from damrak_ladder.installation.buckets import Bucket
from damrak_ladder.installation.people_limits import PeopleLimits, people_limits

T = TypeVar("T")

PREFIX: Final = "DAMRAK_LADDER_"
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class SettingError(ValueError):
    """An invalid variable: its name, and what is wrong."""

    def __init__(self, variable: str, problem: str) -> None:
        super().__init__(f"{variable}: {problem}")
        self.variable = variable


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one owner."""

    bots: int
    submissions_per_hour: int
    storage_mb: int
    tokens: int
    trials: int


@dataclass(frozen=True, slots=True)
class Benching:
    """When a version is benched: its share of faults exceeds `percent` with 95 % confidence."""

    percent: int
    games: int  # the number of latest games counted
    least: int  # with fewer games no version is benched


@dataclass(frozen=True, slots=True)
class Keeping:
    """Retention of growing data, in days."""

    logs: int  # output of bots, and the timings of their games
    steps: int  # passed steps of versions that have finished qualifying
    tokens: int  # after they were revoked or expired
    analyses: int  # after they were requested
    notices: int
    security: int  # entries of the security log
    changes: int  # for streams and webhooks that resume


@dataclass(frozen=True, slots=True)
class Dumping:
    """The nightly dump of open data."""

    folder: Path
    days: int | None  # how many days it contains; None: all
    licence: str  # its identifier in the SPDX list


@dataclass(frozen=True, slots=True)
class RefereeTls:
    """TLS of connections to referees, in PEM. Without it, referees must be on this machine."""

    authorities: bytes | None  # trusted ones; None: the usual ones
    certificate: bytes | None  # our client certificate
    private_key: bytes | None
    may_be_plain: bool  # also to other machines


@dataclass(frozen=True, slots=True)
class Environment:
    """All settings. Durations are in seconds."""

    home: Path
    url: str
    port: int
    listen: str  # the local address on which the site listens
    behind_proxy: bool
    proxies: str  # trusted to report client addresses, if there are any
    debug: bool
    secret_key: str | None  # None: the one in the data folder
    database_url: str | None  # None: SQLite in the data folder
    mail_url: str | None  # None: write mails to files in the data folder
    mail_from: str
    needs_second_factor: bool  # for organisers and staff
    security_contact: str  # the URI to which vulnerabilities are reported
    security_expires: date | None  # when the contact must be confirmed; None: always valid
    local_webhooks: bool  # whether webhooks may go to this machine, by plain http
    limits: Limits
    upload_mb: int  # archives whose bots choose an optional runtime
    benching: Benching
    keeping: Keeping
    dump: Dumping
    watchers: int  # of running matches, from one address, in one process of the site
    people: PeopleLimits
    replay_store: str
    archive_store: str
    bucket: Bucket | None  # None: neither store needs one
    replay_key: bytes | None  # None: the one in the data folder
    earlier_replay_keys: tuple[str, ...]  # public ones, whose signatures stay valid
    lease: int
    attempts: int
    broker: str | None  # None: the one of `damrak-ladder up` for this data folder
    host_name: str  # the name of this machine among hosts
    referee: str | None  # control address of its referee; None: that of `up`
    referee_key: str | None
    referee_tls: RefereeTls
    lobby: str | None  # address for remote bots; None: no remote bots
    workers: int  # blocks played at once on this machine
    games_at_once: int  # in all these blocks together
    games_per_minute: int | None  # None: no limit

    @property
    def is_secure(self) -> bool:
        """Whether the site uses https."""
        return self.url.startswith("https://")

    @property
    def host(self) -> str:
        """The host name in the site's address."""
        return urlsplit(self.url).hostname or ""


def read_environment(variables: Mapping[str, str]) -> Environment:
    """Read the settings from these variables.

    Raises:
        SettingError: a variable is invalid or unknown; the message names the first one.
    """
    source = _Source(variables)
    port = source.get("DAMRAK_PORT", "8000", values.port)
    url = source.get(PREFIX + "URL", f"http://127.0.0.1:{port}", values.site)
    listen = source.get(PREFIX + "LISTEN", "127.0.0.1", values.address)
    behind_proxy = source.get(PREFIX + "BEHIND_PROXY", "no", values.truth)
    mail_from = source.get(PREFIX + "MAIL_FROM", "damrak@localhost", values.filled)
    second_factor = "no" if _is_loopback(url, listen) and not behind_proxy else "yes"
    replay_store = source.get(PREFIX + "REPLAY_STORE", "database", values.store)
    archive_store = source.get(PREFIX + "ARCHIVE_STORE", "folder", values.store)
    found = Environment(
        home=(home := source.get("DAMRAK_HOME", "var", values.folder)),
        port=port,
        url=url,
        listen=listen,
        proxies=source.get(PREFIX + "PROXIES", "127.0.0.1", values.networks),
        behind_proxy=behind_proxy,
        debug=source.get(PREFIX + "DEBUG", "no", values.truth),
        secret_key=source.find(PREFIX + "SECRET_KEY", values.secret),
        database_url=source.find("DATABASE_URL", values.database),
        mail_url=source.find(PREFIX + "MAIL_URL", values.mailer),
        mail_from=mail_from,
        needs_second_factor=source.get(PREFIX + "SECOND_FACTOR", second_factor, values.truth),
        security_contact=source.get(PREFIX + "SECURITY_CONTACT", mail_from, values.contact),
        security_expires=source.find(PREFIX + "SECURITY_EXPIRES", values.day),
        local_webhooks=source.get(PREFIX + "LOCAL_WEBHOOKS", "no", values.truth),
        limits=Limits(
            bots=source.get(PREFIX + "BOTS_PER_OWNER", "10", values.count),
            submissions_per_hour=source.get(PREFIX + "SUBMISSIONS_PER_HOUR", "10", values.count),
            storage_mb=source.get(PREFIX + "STORAGE_MB_PER_OWNER", "500", values.count),
            tokens=source.get(PREFIX + "TOKENS_PER_OWNER", "20", values.count),
            trials=source.get(PREFIX + "TESTS_PER_OWNER", "2", values.count),
        ),
        upload_mb=source.get(PREFIX + "UPLOAD_MB", "64", values.count),
        benching=Benching(
            percent=source.get(PREFIX + "BENCH_PERCENT", "10", values.percent),
            games=source.get(PREFIX + "BENCH_GAMES", "60", values.count),
            least=source.get(PREFIX + "BENCH_LEAST_GAMES", "8", values.count),
        ),
        keeping=Keeping(
            logs=source.get(PREFIX + "LOG_DAYS", "90", values.days),
            steps=source.get(PREFIX + "STEP_DAYS", "365", values.days),
            tokens=source.get(PREFIX + "TOKEN_DAYS", "365", values.days),
            analyses=source.get(PREFIX + "ANALYSIS_DAYS", "180", values.days),
            notices=source.get(PREFIX + "NOTICE_DAYS", "180", values.days),
            security=source.get(PREFIX + "SECURITY_DAYS", "365", values.days),
            changes=source.get(PREFIX + "CHANGE_DAYS", "7", values.days),
        ),
        dump=_dump(source, home),
        watchers=source.get(PREFIX + "WATCHERS_PER_ADDRESS", "100", values.count),
        people=people_limits(source.get, PREFIX),
        replay_store=replay_store,
        archive_store=archive_store,
        bucket=_bucket(source, is_needed="s3" in {replay_store, archive_store}),
        replay_key=source.find(PREFIX + "REPLAY_KEY", values.key),
        earlier_replay_keys=source.get(PREFIX + "EARLIER_REPLAY_KEYS", "", values.public_keys),
        lease=source.get(PREFIX + "LEASE_SECONDS", "60", values.count),
        attempts=source.get(PREFIX + "BLOCK_ATTEMPTS", "5", values.count),
        broker=source.find(PREFIX + "BROKER", values.broker),
        host_name=source.get(PREFIX + "HOST", values.this_machine(), values.host_name),
        referee=source.find(PREFIX + "REFEREE", values.referee),
        referee_key=source.find(PREFIX + "REFEREE_KEY", values.filled),
        referee_tls=RefereeTls(
            authorities=source.find(PREFIX + "REFEREE_TLS_CA", values.content),
            certificate=source.find(PREFIX + "REFEREE_TLS_CERT", values.content),
            private_key=source.find(PREFIX + "REFEREE_TLS_KEY", values.content),
            may_be_plain=source.get(PREFIX + "REFEREE_PLAIN", "no", values.truth),
        ),
        lobby=source.find(PREFIX + "LOBBY", values.place),
        workers=source.get(PREFIX + "WORKERS", "1", values.count),
        games_at_once=source.get(PREFIX + "GAMES_AT_ONCE", str(processors()), values.count),
        games_per_minute=source.find(PREFIX + "GAMES_PER_MINUTE", values.count),
    )
    may_be_plain = source.get(PREFIX + "PLAIN_HTTP", "no", values.truth)
    source.check_all_read()
    if not (found.is_secure or may_be_plain or found.host in LOOPBACK):
        raise SettingError(
            PREFIX + "URL",
            f"http is for this machine only; say https, or set {PREFIX}PLAIN_HTTP=yes",
        )
    if (found.referee_tls.certificate is None) != (found.referee_tls.private_key is None):
        raise SettingError(
            PREFIX + "REFEREE_TLS_CERT", f"goes together with {PREFIX}REFEREE_TLS_KEY"
        )
    if found.debug and found.host not in LOOPBACK:
        raise SettingError(PREFIX + "DEBUG", "only for a site on this machine")
    return found


def _is_loopback(url: str, listen: str) -> bool:
    """Return whether only programs on this machine can reach the site."""
    return urlsplit(url).hostname in LOOPBACK and ip_address(listen).is_loopback


def processors() -> int:
    """Return the number of processors available to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Source:
    """The variables, and a record of those that were read."""

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


def _dump(source: _Source, home: Path) -> Dumping:
    return Dumping(
        folder=source.get(PREFIX + "DUMP_FOLDER", str(home / "dump"), values.folder),
        days=source.find(PREFIX + "DUMP_DAYS", values.days),
        licence=source.get(PREFIX + "DUMP_LICENCE", "CC0-1.0", values.licence),
    )


def _bucket(source: _Source, *, is_needed: bool) -> Bucket | None:
    name = source.find(PREFIX + "S3_BUCKET", buckets.bucket_name)
    endpoint = source.find(PREFIX + "S3_ENDPOINT", buckets.endpoint)
    region = source.get(PREFIX + "S3_REGION", "us-east-1", buckets.region)
    prefix = source.get(PREFIX + "S3_PREFIX", "", buckets.prefix)
    key = source.find(PREFIX + "S3_KEY", values.filled)
    secret = source.find(PREFIX + "S3_SECRET", values.filled)
    if not is_needed:
        return None
    if name is None:
        raise SettingError(PREFIX + "S3_BUCKET", "is needed by a store that is s3")
    if find_spec("boto3") is None:
        problem = "boto3, which reads buckets, is not installed here: pip install 'damrak[s3]'"
        raise SettingError(PREFIX + "S3_BUCKET", problem)
    for variable, value, other in (("S3_KEY", key, secret), ("S3_SECRET", secret, key)):
        if value is None and other is not None:
            raise SettingError(PREFIX + variable, "S3_KEY and S3_SECRET go together")
        if value is None and endpoint is not None:
            raise SettingError(PREFIX + variable, f"is needed by the server at {endpoint}")
    return Bucket(name, endpoint, region, prefix, key, secret)
