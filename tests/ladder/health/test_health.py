"""Health reports about the parts of an installation, for machines and for operators."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from threading import Event

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.utils import timezone

from damrak_ladder.health import checks, examination, parts, tables
from damrak_ladder.health.examination import examine
from damrak_ladder.health.findings import Finding, Verdict
from damrak_ladder.health.middleware import HealthMiddleware
from damrak_ladder.health.records import examine_database
from damrak_ladder.matches import clock, hosts
from damrak_ladder.matches.attempts import hand_back, start
from damrak_ladder.matches.models import Block, BlockState, Host
from damrak_ladder.matches.record import Report, record
from damrak_ladder.message_codes.block_codes import StoreUnavailable
from damrak_ladder.replays.signatures import PlatformKey
from damrak_ladder.replays.storage import keep
from damrak_ladder.usage_errors import Misuse
from ladder.games import true_replay_of
from ladder.people import NOW
from ladder.tables import PATIENCE, some_block

Committed = dict[str, str]  # visible to the checks, which run in separate threads
NOWHERE = "redis+socket:///nowhere/broker.sock"


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the time limit of checks for busy machines."""
    monkeypatch.setattr(checks, "DEADLINE_S", 600.0)
    monkeypatch.setattr(examination, "DEADLINE_S", 600.0)


def a_host(**columns: object) -> Host:
    told = {"capacity": 4, "isolation": "full", "first_seen": NOW, "last_seen": NOW} | columns
    return Host.objects.create(name="attic", **told)


def found_by_doctor() -> dict[str, Finding]:
    with override_settings(DAMRAK_BROKER=NOWHERE):
        return {finding.part: finding for finding in examine(lambda: NOW)}


def test_broker_that_is_down_is_named(database: None) -> None:
    with override_settings(DAMRAK_BROKER=NOWHERE):
        found = {k: v for group in parts.GROUPS for k, v in parts.look_at(group, NOW).items()}
    assert found["broker"].startswith("does not answer")
    assert found["clerk"] == "unknown: the broker does not answer"
    assert found["database"] == found["migrations"] == found["disk"] == "well"
    assert not parts.is_well(found)


def test_a_host_is_healthy_while_it_sends_heartbeats(database: None) -> None:
    assert "no host has registered" in parts.hosts(NOW)
    a_host()
    assert parts.hosts(NOW) == parts.WELL
    late = parts.hosts(NOW + timedelta(seconds=61))
    assert (
        late
        == "no heartbeat from any host for 61 s; check that a worker and its referee are running"
    )
    Host.objects.update(state="quarantined")
    assert parts.hosts(NOW) == "all are quarantined: attic"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("ALTER TABLE trials_trial ADD COLUMN odd integer", "trials_trial has a column odd"),
        ("ALTER TABLE trials_trial RENAME COLUMN most TO odd", "trials_trial has no column most"),
    ],
)
def test_tables_of_other_sources_are_recognised(database: None, change: str, words: str) -> None:
    assert tables.difference() is None
    with connection.cursor() as cursor:
        cursor.execute(change)
    assert tables.difference() == f"table {words}"
    found = {finding.part: finding for finding in examine_database(lambda: NOW)}
    assert found["tables"].what.startswith(f"table {words}")
    with pytest.raises(
        Misuse, match=f"created by a different version before the first release .table {words}"
    ):
        tables.bring_up_to_date()


def test_disk_without_room_is_named(database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LEAST_DISK_MB", 10**12)
    assert parts.disk(NOW).startswith("only ")


def request(
    method: str = "GET", path: str = "/healthz", address: str = "203.0.113.5"
) -> HttpRequest:
    made = HttpRequest()
    made.method, made.path_info = method, path
    made.META["REMOTE_ADDR"] = address
    return made


def test_only_this_machine_gets_the_reason(committed: Committed) -> None:
    a_host()
    Host.objects.update(state="quarantined")
    middleware = HealthMiddleware(lambda _: HttpResponse())
    with override_settings(DAMRAK_BROKER=NOWHERE):
        abroad = json.loads(middleware(request()).content)
        here = json.loads(middleware(request(address="127.0.0.1")).content)
    assert (abroad["broker"], abroad["database"]) == ("does not answer", "well")
    assert here["broker"].startswith("does not answer: ")
    assert (abroad["hosts"], here["hosts"]) == ("all are quarantined", "all are quarantined: attic")


def test_healthz_needs_no_host_and_no_session(committed: Committed) -> None:
    middleware = HealthMiddleware(lambda _: HttpResponse("a page"))
    with override_settings(DAMRAK_BROKER=NOWHERE):
        answer = middleware(request())
    assert answer.status_code == 503
    assert set(json.loads(answer.content)) == set(parts.PARTS)
    assert middleware(request("POST")).status_code == 405
    assert middleware(request(path="/healthz/more")).content == b"a page"


def test_many_calls_share_one_check(committed: Committed, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setitem(parts.PARTS, "disk", lambda now: looks.append(now) or parts.WELL)
    monkeypatch.setattr(checks, "FRESH_FOR_S", 600.0)
    middleware = HealthMiddleware(lambda _: HttpResponse())
    with override_settings(DAMRAK_BROKER=NOWHERE):
        for _ in range(20):
            middleware(request())
    assert len(looks) == 1


def test_doctor_names_the_cure(committed: Committed) -> None:
    a_host(isolation="none")
    found = found_by_doctor()
    assert found["broker"].verdict is Verdict.WRONG
    assert "DAMRAK_LADDER_BROKER" in found["broker"].cure
    assert found["host attic"].verdict is Verdict.DOUBTFUL
    assert "sandbox check" in found["host attic"].cure
    for part in ("settings", "database", "migrations", "writing", "replays", "archives", "mail"):
        assert found[part].verdict is Verdict.WELL, found[part]


def test_doctor_reports_waiting_and_dead_blocks(committed: Committed) -> None:
    block = some_block(now=NOW - timedelta(hours=1))
    assert found_by_doctor()["queue"].verdict is Verdict.DOUBTFUL
    Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD)
    found = found_by_doctor()
    assert found["queue"].verdict is Verdict.WELL
    assert "requeue" in found["dead blocks"].cure


def test_doctor_reports_why_a_block_fails_repeatedly(committed: Committed) -> None:
    block, attic, full = some_block(), a_host(), "No space left on device"
    for latest in range(3):
        assert "stuck blocks" not in found_by_doctor()
        assert start(block.pk, latest, "attic:1", NOW, PATIENCE, attic.pk)
        assert hand_back(block.pk, latest + 1, StoreUnavailable(full), NOW, timedelta(0))
    stuck = found_by_doctor()["stuck blocks"]
    assert stuck.verdict is Verdict.DOUBTFUL
    assert stuck.what.endswith(f"attic: The store could not be reached: {full}")


def test_doctor_sees_clocks_that_are_off(
    committed: Committed, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_host()
    assert clock.clock_lead() == timedelta(0)
    assert found_by_doctor()["clock"].verdict is Verdict.WELL

    class Late(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) - timedelta(hours=1)

    monkeypatch.setattr(clock, "datetime", Late)
    found = found_by_doctor()["clock"]
    if connection.vendor == "postgresql":
        assert found.verdict is Verdict.WRONG
        assert found.what.endswith("behind the database")
    Host.objects.update(last_seen=NOW + timedelta(minutes=2))
    assert "120 s fast" in found_by_doctor()["host attic"].what


def test_slow_answer_is_no_evidence_about_a_clock() -> None:
    """The database read its clock at an unknown time between question and answer."""
    seconds = [NOW + timedelta(seconds=at) for at in range(12)]
    slow = clock.offset_of(asked=seconds[0], theirs=seconds[11], answered=seconds[11])
    assert (abs(slow.value), slow.proven) == (timedelta(seconds=5.5), timedelta(0))
    ahead = clock.offset_of(asked=seconds[8], theirs=seconds[0], answered=seconds[10])
    assert (ahead.value, ahead.proven) == (timedelta(seconds=9), timedelta(seconds=8))
    behind = clock.offset_of(asked=seconds[0], theirs=seconds[9], answered=seconds[2])
    assert behind.proven == timedelta(seconds=-7)


@pytest.mark.usefixtures("database")
def test_host_that_reports_while_doctor_is_slow_has_no_wrong_clock() -> None:
    a_host()
    began = NOW
    times = iter([began + timedelta(seconds=at) for at in (0, 1, 2, 3, 11, 12, 13)])

    def now() -> datetime:
        at = next(times)
        Host.objects.update(last_seen=at)  # like its worker, every few seconds
        return at

    found = {finding.part: finding for finding in examine_database(now)}
    assert found["host attic"].verdict is Verdict.WELL


@pytest.mark.usefixtures("database")
def test_silent_host_is_neither_well_nor_running_anything() -> None:
    a_host(running=2)
    assert hosts.described(Host.objects.get(), NOW)["running"] == 2
    late = NOW + timedelta(seconds=21)
    told = hosts.described(Host.objects.get(), late)
    assert (told["state"], told["status"], told["silent_s"]) == ("trusted", "silent", 21)
    assert told["running"] is None
    assert parts.hosts(late).startswith("no heartbeat")
    with override_settings(DAMRAK_LEASE_SECONDS=12):
        assert parts.hosts(NOW + timedelta(seconds=13)).startswith("no heartbeat")
    found = {finding.part: finding for finding in examine_database(lambda: late)}
    assert found["host attic"].what == "no heartbeat for 21 s"


def test_there_are_answers_about_the_process_the_site_and_the_hosts(committed: Committed) -> None:
    Host.objects.create(name="cellar", capacity=1, first_seen=NOW, last_seen=timezone.now())

    def ask(path: str, address: str = "127.0.0.1") -> tuple[int, dict[str, object]]:
        middleware = HealthMiddleware(lambda _: HttpResponse())
        answer = middleware(request(path=path, address=address))
        return answer.status_code, json.loads(answer.content)

    with override_settings(DAMRAK_BROKER=NOWHERE):
        assert ask("/healthz/live") == (200, {"process": "well"})
        assert ask("/healthz/ready") == (200, {"database": "well", "migrations": "well"})
        assert ask("/healthz/hosts") == (200, {"cellar": "ready"})
        a_host(last_seen=timezone.now() - timedelta(minutes=1))
        assert ask("/healthz/hosts") == (503, {"attic": "silent", "cellar": "ready"})
        counted = {"ready": 1, "closed": 0, "quarantined": 0, "silent": 1}
        assert ask("/healthz/hosts", "203.0.113.5") == (503, counted)


def test_hanging_check_does_not_block_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "FRESH_FOR_S", -1.0)
    may_end, runs = Event(), []

    def hang() -> str:
        runs.append(1)
        may_end.wait()
        return "well"

    check = checks.Check(hang, str)
    assert [check.start().result(0.01) for _ in range(5)] == [None] * 5
    assert len(runs) == 1
    may_end.set()
    assert check.start().result(600) == "well"

    def break_down() -> str:
        raise RuntimeError("unforeseen")

    assert checks.Check(break_down, str).start().result(600) == "unforeseen"


def test_doctor_distinguishes_replays_of_another_key_from_damage(
    committed: Committed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    block = some_block()
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    kept = [keep(true_replay_of(match)) for match in block.matches.order_by("number")]
    record(Report(block.pk, 1, tuple(kept)), NOW)
    assert found_by_doctor()["replays"].verdict is Verdict.WELL
    with override_settings(DAMRAK_REPLAY_KEY=bytes(32)):
        assert "DAMRAK_LADDER_REPLAY_KEY" in found_by_doctor()["replays"].cure
    earlier = PlatformKey.at(tmp_path).public
    with override_settings(DAMRAK_REPLAY_KEY=bytes(32), DAMRAK_EARLIER_REPLAY_KEYS=(earlier,)):
        assert found_by_doctor()["replays"].verdict is Verdict.WELL


def test_page_without_the_database_asks_to_try_later(database: None) -> None:
    def gone(*_: object) -> None:
        raise OperationalError("connection refused")

    client = Client(SERVER_NAME="127.0.0.1", raise_request_exception=False)
    with connection.execute_wrapper(gone):
        answer = client.get("/en/")
    assert (answer.status_code, answer["Cache-Control"]) == (503, "no-store")
    assert answer["Retry-After"]


def test_doctor_sees_a_replay_that_is_lost(committed: Committed) -> None:
    block = some_block()
    block.matches.filter(number=0).update(replay="ab" * 32)
    found = found_by_doctor()["replays"]
    assert (found.verdict, "is gone" in found.what) == (Verdict.WRONG, True)


def test_doctor_sees_a_referee_that_is_gone(committed: Committed) -> None:
    with override_settings(DAMRAK_REFEREE="unix:/nowhere/control.sock"):
        found = found_by_doctor()["referee"]
    assert found.verdict is Verdict.WRONG
    assert "/nowhere/control.sock" in found.what
    assert "damrak-referee" in found.cure
    a_host(capacity=0)
    full = found_by_doctor()["host attic"]
    assert "its referee does not answer" in full.what
    assert "start its referee" in full.cure
    Host.objects.update(last_seen=NOW - timedelta(minutes=2))
    assert "its worker and its referee" in found_by_doctor()["host attic"].cure


def test_doctor_sees_a_site_that_is_gone(committed: Committed) -> None:
    with override_settings(DAMRAK_URL="http://127.0.0.1:9"):
        found = found_by_doctor()["site"]
    assert (found.verdict, found.what[:18]) == (Verdict.DOUBTFUL, "http://127.0.0.1:9")
    assert "damrak-ladder site" in found.cure


def test_doctor_sees_a_folder_that_others_may_enter(committed: Committed) -> None:
    home = Path(settings.DAMRAK_HOME)
    home.chmod(0o755)
    try:
        assert found_by_doctor()["data folder"].cure == f"chmod 700 {home}"
    finally:
        home.chmod(0o700)


def test_doctor_sees_a_mail_server_that_is_gone(committed: Committed) -> None:
    settings_of_mail = {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": 9,
    }
    with override_settings(**settings_of_mail):
        found = found_by_doctor()["mail"]
    assert found.verdict is Verdict.WRONG
