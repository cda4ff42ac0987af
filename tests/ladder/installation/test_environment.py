"""Settings come from the environment, and invalid ones end a process immediately."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from damrak_ladder.installation.databases import database_of
from damrak_ladder.installation.environment import SettingError, read_environment
from damrak_ladder.installation.mail import mail_of
from damrak_ladder.installation.secrets import keep_once, prepare_home

WRONG = [
    ("DAMRAK_PORT", "http"),
    ("DAMRAK_PORT", "65536"),
    ("DAMRAK_HOME", " "),
    ("DATABASE_URL", "mysql://localhost/damrak"),
    ("DATABASE_URL", "postgresql://localhost"),
    ("DAMRAK_LADDER_URL", "damrak.example"),
    ("DAMRAK_LADDER_URL", "https://damrak.example/site"),
    ("DAMRAK_LADDER_URL", "http://damrak.example"),
    ("DAMRAK_LADDER_SECRET_KEY", "short"),
    ("DAMRAK_LADDER_BEHIND_PROXY", "true"),
    ("DAMRAK_LADDER_MAIL_URL", "mail.example"),
    ("DAMRAK_LADDER_BOTS_PER_OWNER", "0"),
    ("DAMRAK_LADDER_REPLAY_STORE", "tape"),
    ("DAMRAK_LADDER_ARCHIVE_STORE", "S3"),
    ("DAMRAK_LADDER_S3_BUCKET", "My Bucket"),
    ("DAMRAK_LADDER_S3_ENDPOINT", "objects.example:9000"),
    ("DAMRAK_LADDER_S3_REGION", "eu west"),
    ("DAMRAK_LADDER_S3_PREFIX", "../else"),
    ("DAMRAK_LADDER_REPLAY_KEY", "ab" * 31),
    ("DAMRAK_LADDER_EARLIER_REPLAY_KEYS", f"{'ab' * 32},{'ab' * 31}"),
    ("DAMRAK_LADDER_LEASE_SECONDS", "1.5"),
    ("DAMRAK_LADDER_LISTEN", "localhost"),
    ("DAMRAK_LADDER_PROXIES", "10.0.0.0/33"),
    ("DAMRAK_LADDER_BROKER", "amqp://localhost"),
    ("DAMRAK_LADDER_BROKER", "redis+socket://"),
    ("DAMRAK_LADDER_HOST", "two words"),
    ("DAMRAK_LADDER_REFEREE", "unix:referee.sock"),
    ("DAMRAK_LADDER_REFEREE", "referee"),
    ("DAMRAK_LADDER_LOBBY", "https://bots.example:7171"),
    ("DAMRAK_LADDER_WORKERS", "0"),
    ("DAMRAK_LADDER_GAMES_PER_MINUTE", "many"),
    ("DAMRAK_LADDER_COLOUR", "green"),
    ("DAMRAK_LADDER_URL", "http://127.0.0.1:99999"),
    ("DAMRAK_LADDER_MAIL_URL", "smtp://mail.example:smtp"),
    ("DATABASE_URL", "postgresql://ann@db.example:db/damrak"),
    ("DAMRAK_LADDER_BROKER", "redis://localhost:redis/0"),
    ("DAMRAK_LADDER_S3_ENDPOINT", "https://objects.example:s3"),
    ("DAMRAK_LADDER_HOST", "h" * 65),
    ("DAMRAK_LADDER_LOG_DAYS", "1000000"),
    ("DAMRAK_LADDER_DUMP_LICENCE", "free for all"),
]


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DAMRAK_")}
    return subprocess.run(
        [sys.executable, *arguments],
        env={**kept, **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_variable_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingError) as caught:
        read_environment({name: value})
    assert caught.value.variable == name
    assert str(caught.value).startswith(f"{name}: ")


NEEDED = {
    "DAMRAK_LADDER_REPLAY_STORE": "s3",
    "DAMRAK_LADDER_S3_BUCKET": "damrak",
    "DAMRAK_LADDER_S3_ENDPOINT": "https://objects.example",
    "DAMRAK_LADDER_S3_KEY": "a-key",
    "DAMRAK_LADDER_S3_SECRET": "hunter2",
    "DAMRAK_LADDER_S3_PREFIX": "some/where",
}


@pytest.mark.parametrize("name", ["S3_BUCKET", "S3_KEY", "S3_SECRET"])
def test_missing_settings_of_a_bucket_are_named(name: str) -> None:
    lacking = {key: text for key, text in NEEDED.items() if not key.endswith(name)}
    with pytest.raises(SettingError) as caught:
        read_environment(lacking)
    assert caught.value.variable == f"DAMRAK_LADDER_{name}"


def test_bucket_without_its_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(SettingError, match=r"damrak\[s3\]"):
        read_environment(NEEDED)


def test_bucket_is_read_and_its_secret_is_not_shown() -> None:
    bucket = read_environment(NEEDED).bucket
    assert bucket is not None
    assert (bucket.name, bucket.prefix, bucket.secret) == ("damrak", "some/where/", "hunter2")
    assert "hunter2" not in repr(bucket)
    assert read_environment(NEEDED | {"DAMRAK_LADDER_REPLAY_STORE": "folder"}).bucket is None


@pytest.mark.parametrize(
    "url", ["mysql://ann:hunter2@localhost/damrak", "postgresql://ann:hunter2/3@localhost/damrak"]
)
def test_password_of_database_is_not_repeated(url: str) -> None:
    with pytest.raises(SettingError) as caught:
        read_environment({"DATABASE_URL": url})
    assert "hunter2" not in str(caught.value)


def test_longest_retention_gives_a_valid_date() -> None:
    keeping = read_environment({"DAMRAK_LADDER_LOG_DAYS": "36500"}).keeping
    assert datetime.now(UTC) - timedelta(days=keeping.logs)


def test_debugging_stays_on_this_machine() -> None:
    variables = {"DAMRAK_LADDER_URL": "https://damrak.example", "DAMRAK_LADDER_DEBUG": "yes"}
    with pytest.raises(SettingError, match="DAMRAK_LADDER_DEBUG"):
        read_environment(variables)


def test_plain_http_has_to_be_asked_for() -> None:
    variables = {"DAMRAK_LADDER_URL": "http://pi.local:8000", "DAMRAK_LADDER_PLAIN_HTTP": "yes"}
    assert not read_environment(variables).is_secure


def test_sqlite_is_the_default(tmp_path: Path) -> None:
    described = database_of(read_environment({"DAMRAK_HOME": str(tmp_path)}))
    assert described["ENGINE"].endswith("sqlite3")
    assert Path(described["NAME"]).parent == tmp_path


def test_mail_server_is_read_from_its_url() -> None:
    url = "smtp+tls://ann:p%40ss@mail.example:2525"
    described = mail_of(read_environment({"DAMRAK_LADDER_MAIL_URL": url}))
    assert described["EMAIL_HOST_PASSWORD"] == "p@ss"
    assert (described["EMAIL_PORT"], described["EMAIL_USE_TLS"]) == (2525, True)


@pytest.mark.process
@pytest.mark.parametrize("start", ["-m damrak_ladder.management check", "-c {}"])
def test_process_ends_at_once(tmp_path: Path, start: str) -> None:
    loads = "from django.conf import settings; settings.DEBUG"
    done = run(
        *[part.format(loads) for part in start.split(" ", 2)],
        DAMRAK_HOME=str(tmp_path),
        DAMRAK_PORT="http",
        DJANGO_SETTINGS_MODULE="damrak_ladder.settings",
    )
    assert done.returncode == 2
    assert done.stderr == "damrak-ladder: DAMRAK_PORT: 'http' is not a port from 1 to 65535\n"


@pytest.mark.process
def test_uncreatable_home_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("-m", "damrak_ladder.management", "check", DAMRAK_HOME=str(tmp_path / "file/home"))
    assert done.returncode == 2
    assert done.stderr.startswith(f"damrak-ladder: DAMRAK_HOME: {tmp_path}/file/home: ")


@pytest.mark.process
def test_public_site_passes_the_checks_for_deployment(tmp_path: Path) -> None:
    done = run(
        *("-W", "error", "-m", "damrak_ladder.management", "check", "--deploy"),
        *("--fail-level", "WARNING", "--tag", "security"),
        DAMRAK_HOME=str(tmp_path),
        DAMRAK_LADDER_URL="https://damrak.example",
    )
    # Sub-domains and preload lists are decisions about domains that belong to others.
    found = {line.split(")")[0].strip("?: (") for line in done.stderr.splitlines() if "?:" in line}
    assert found <= {"security.W005", "security.W021"}, done.stderr


@pytest.mark.process
def test_models_and_migrations_agree(tmp_path: Path) -> None:
    command = ["makemigrations", "--check", "--dry-run"]
    done = run("-m", "damrak_ladder.management", *command, DAMRAK_HOME=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr


def test_secrets_are_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    prepare_home(home)
    first = (home / "secret-key").read_bytes()
    prepare_home(home)
    assert (home / "secret-key").read_bytes() == first
    assert stat.S_IMODE((home / "secret-key").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_concurrent_creators_of_a_secret_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(lambda _: keep_once(tmp_path / "key", lambda: os.urandom(32)), range(64))
    assert len(set(made)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
