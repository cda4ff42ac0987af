"""Retention: old, unused data are deleted; data that results depend on are not."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client, override_settings
from django.utils import timezone

from damrak_ladder.accounts.models import ApiToken, Scope
from damrak_ladder.accounts.tokens import issue, revoke
from damrak_ladder.analyses.method import METHOD
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.bots import journey
from damrak_ladder.bots.models import ConnectToken, State, StepKind, Version
from damrak_ladder.installation.environment import Keeping
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.logs import MatchSaid, SeatSaid, keep_logs, keep_timings
from damrak_ladder.matches.models import Block, MatchTimings, Seat, SeatLog, SeatResult
from damrak_ladder.matches.record import record
from damrak_ladder.message_codes.journey_codes import Live
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind as Notice
from damrak_ladder.notices.models import Delivery, Notice as Told
from damrak_ladder.pipeline.upkeep import retention
from damrak_ladder.pipeline.upkeep.retention import forget
from ladder.bot_versions import some_bot, some_version
from ladder.people import NOW, somebody
from ladder.tables import PATIENCE, report_of, some_block, some_versions

pytestmark = pytest.mark.usefixtures("database")

DAY = timedelta(days=1)


def played(now: datetime, versions: tuple[object, ...] | None = None) -> Block:
    block = some_block(versions, now)  # type: ignore[arg-type]
    start(block.pk, 0, "alpha", now, PATIENCE)
    said = {number: MatchSaid((SeatSaid(output="hi"), SeatSaid())) for number in range(2)}
    keep_logs(block.pk, 1, said)
    keep_timings(block.pk, said)
    record(report_of(block, 1), now)
    return block


def kept() -> tuple[set[int], set[int]]:
    logs = SeatLog.objects.values_list("seat__match__block", flat=True)
    timings = MatchTimings.objects.values_list("match__block", flat=True)
    return set(logs), set(timings)


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_logs_and_timings_go_and_results_stay(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "A_TIME", at_once)
    versions = some_versions()
    blocks = [played(NOW + number * 30 * DAY, versions) for number in range(4)]
    later = NOW + 121 * DAY
    told = forget(later)
    assert (told["logs"], told["timings"]) == (8, 4)
    assert kept() == ({blocks[2].pk, blocks[3].pk},) * 2
    assert SeatResult.objects.count() == 16
    assert not any(forget(later).values())


def test_log_of_a_block_that_was_never_recorded_goes_by_when_it_was_booked() -> None:
    block = some_block()
    keep_logs(block.pk, 1, {0: MatchSaid((SeatSaid(output="hi"),))})
    assert forget(NOW + 89 * DAY)["logs"] == 0
    assert forget(NOW + 91 * DAY)["logs"] == 1


@override_settings(
    DAMRAK_KEEPING=Keeping(logs=2, steps=1, tokens=1, analyses=1, notices=1, security=1, changes=7)
)
def test_retention_is_a_setting() -> None:
    played(NOW)
    assert forget(NOW + DAY)["logs"] == 0
    assert forget(NOW + 3 * DAY)["logs"] == 4


def test_where_a_version_arrived_is_kept() -> None:
    version = some_version(some_bot())
    before = set(version.steps.values_list("pk", flat=True))
    for kind in (StepKind.QUEUED, StepKind.PLAYED, StepKind.QUALIFIED, StepKind.BENCHED):
        journey.note(version, kind, Live(), NOW)
    forget(NOW + 366 * DAY)
    left = version.steps.exclude(pk__in=before).values_list("kind", flat=True)
    assert list(left) == [StepKind.QUALIFIED, StepKind.BENCHED]


def test_where_a_version_is_that_has_not_arrived_is_kept() -> None:
    version = some_version(some_bot())
    Version.objects.filter(pk=version.pk).update(state=State.QUALIFYING)  # its owner is on holiday
    journey.note(version, StepKind.QUEUED, Live(), NOW)
    steps = version.steps.count()
    forget(NOW + 366 * DAY)
    assert version.steps.count() == steps


def test_unusable_tokens_are_deleted() -> None:
    ann, bot = somebody(), some_bot()
    good, _ = issue(ann, "good", [Scope.READ], NOW)
    revoked, _ = issue(ann, "revoked", [Scope.READ], NOW)
    revoke(ann, revoked.pk, NOW)
    for digest, ended in (("a", NOW), ("b", None)):
        ConnectToken.objects.create(bot=bot, digest=digest, hint="", created=NOW, revoked=ended)
    forget(NOW + 364 * DAY)
    assert ApiToken.objects.count() == 2
    forget(NOW + 366 * DAY)
    assert not ApiToken.objects.exclude(revoked=None).exists()
    assert ConnectToken.objects.get().digest == "b"
    assert good.pk


def test_reproducible_analyses_are_deleted() -> None:
    block = played(NOW)
    states = {
        0: {"state": AnalysisState.DONE, "method": METHOD},
        1: {"state": AnalysisState.DONE, "method": METHOD + 1},
    }
    for number, values in states.items():
        match = block.matches.get(number=number)
        Analysis.objects.create(match=match, replay="", asked=NOW, is_wanted=True, **values)
    assert forget(NOW + DAY)["analyses"] == 1
    assert forget(NOW + 181 * DAY)["analyses"] == 1


def test_notices_are_deleted_with_their_deliveries() -> None:
    ann = somebody()
    later = NOW + 181 * DAY
    tell(ann, Notice.FAILED, "old", "s", "t", "/", NOW)
    tell(ann, Notice.FAILED, "new", "s", "t", "/", later)
    assert forget(later)["notices"] == 1
    assert [notice.key for notice in Told.objects.all()] == ["new"]
    assert set(Delivery.objects.values_list("notice__key", flat=True)) <= {"new"}


def test_sessions_that_have_run_out_go() -> None:
    Client().force_login(somebody())
    [session] = Session.objects.all()
    assert forget(session.expire_date - DAY)["sessions"] == 0
    assert forget(session.expire_date + DAY)["sessions"] == 1


def test_page_states_that_a_log_was_deleted() -> None:
    versions = some_versions()
    now = timezone.now()
    block = played(now - 100 * DAY, versions)
    seat = Seat.objects.filter(match__block=block, number=0).select_related("version__bot").first()
    assert seat is not None
    client = Client()
    client.force_login(seat.version.bot.owner)
    page = f"/en/matches/{seat.match_id}/seats/0/log/"
    assert "hi" in client.get(page).content.decode()
    forget(now)
    assert "This one has been deleted" in client.get(page).content.decode()
    _, secret = issue(seat.version.bot.owner, "laptop", [Scope.READ], now)
    bearer = {"authorization": f"Bearer {secret}"}
    answer = client.get(f"/api/v1/matches/{seat.match_id}/seats/0/log", headers=bearer)
    assert answer.status_code == 410
    assert "90 days" in answer.content.decode()
