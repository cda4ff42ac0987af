"""A client made by an off-the-shelf generator plays through a submission and a tournament."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.accounts.models import Role, Scope, User
from damrak_ladder.accounts.roles import grant
from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Host, HostState, Ladder
from damrak_ladder.tournaments.models import Act, Tournament
from ladder.api.declared import description
from ladder.api.generated_client import Package, act_on, generated
from ladder.api.served import served
from ladder.calls import EVERY_SCOPE, MEMORY, Program, archive_with
from ladder.flow import some_host
from ladder.sites import fill_recently
from ladder.tournaments.cups import play

pytestmark = [
    pytest.mark.process,
    pytest.mark.parametrize("committed", ["sqlite"], indirect=True),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Package]:
    with generated(tmp_path_factory.mktemp("client"), json.dumps(description())) as made:
        yield made


@pytest.fixture
def call(package: Package, committed: dict[str, str]) -> Iterator[Any]:
    """Call an operation by its id."""
    fill_recently(blocks=4, replays=1)
    ada = User.objects.get(username="ada")
    grant(ada, Role.ORGANISER)
    token = Program(ada, (*EVERY_SCOPE, Scope.TOURNAMENTS_RUN)).secret
    with (
        override_settings(CACHES=MEMORY, DAMRAK_NEEDS_SECOND_FACTOR=False),
        served() as address,
        package.calling(address, token) as run,
    ):
        yield run


def test_a_submission_from_the_bot_to_its_steps(call: Any, package: Package) -> None:
    models, types = package.models, package.types
    assert call("get_me").parsed.username == "ada"
    new = models.NewBot(slug="ferry")
    made = call("create_bot", body=new, idempotency_key="k1").parsed
    assert made.slug == "ferry"
    assert call("create_bot", body=new, idempotency_key="k1").parsed == made
    refused = call("create_bot", body=new)
    assert refused.status_code == 409
    assert refused.parsed.code == models.ProblemCode.NAME_TAKEN
    archive = types.File(payload=archive_with("ferry"), file_name="ferry.zip")
    version = call("submit_archive", slug="ferry", body=archive, note="first").parsed
    assert version.state == models.VersionState.QUALIFYING
    assert Version.objects.get(pk=version.id).note == "first"
    steps = call("list_steps", version_id=version.id).parsed
    assert [step.kind for step in steps.steps][:2] == ["received", "checked"]
    assert call("get_version", version_id=version.id).parsed == version


def test_lists_ratings_and_matches(call: Any) -> None:
    ladders = call("list_ladders").parsed
    assert [ladder.slug for ladder in ladders] == ["amsterdam", "new-boards"]
    ratings = call("list_ratings", slug="amsterdam").parsed
    assert ratings[0].elo >= ratings[-1].elo
    seen, cursor = [], ""
    while cursor is not None:
        page = call("list_matches", cursor=cursor, limit=3).parsed
        seen += [match.id for match in page.items]
        cursor = page.next_cursor
    assert len(seen) == len(set(seen)) > 6
    match = call("get_match", match_id=seen[0]).parsed
    assert match.seats[0].bot
    assert call("get_replay", match_id=match.id).parsed["format"] == "damrak-replay/1"
    assert call("get_match", match_id=10**9).parsed.code == "not-found"


def test_a_tournament_from_its_creation_to_its_standings(call: Any, package: Package) -> None:
    models = package.models
    stage = models.NewStage(format_=models.Format.SWISS, rounds=2)
    rules = models.NewRules(stages=[stage], boards=["practice"], reveal=models.Release.HIDDEN)
    new = models.NewTournament(slug="spring-cup", name="Spring Cup", rules=rules)
    made = call("create_tournament", body=new, idempotency_key="k1").parsed
    assert (made.phase, made.rules.stages[0].rounds) == (models.TournamentPhase.DRAFT, 2)
    assert call("create_tournament", body=new, idempotency_key="k1").parsed == made

    act = partial(act_on, call, package, "spring-cup")
    seen = act("open", dry_run=True)
    assert seen.changes.phase.after == models.TournamentPhase.OPEN
    assert Act.objects.count() == 1
    assert act("open").changes == seen.changes
    own = Bot.objects.filter(owner__username="ada", live__isnull=False).first()
    assert own is not None
    entry = models.NewEntry(bot=own.slug)
    entered = call("enter_tournament", slug="spring-cup", body=entry, idempotency_key="e1").parsed
    assert [one.bot for one in entered] == [own.slug]
    refused = call("enter_tournament", slug="spring-cup", body=entry)
    assert (refused.status_code, refused.parsed.code) == (409, models.ProblemCode.NOT_ENTERED)
    for slug in ("house-random", "house-greedy", "house-planner"):
        act("enter", slug=slug)
    for kind in ("close", "start"):
        act(kind)
    Ladder.objects.update(is_open=False)
    Host.objects.update(state=HostState.QUARANTINED)
    some_host("quay-3", workers=16, now=timezone.now())
    play(Tournament.objects.get(), now=timezone.now(), strength=lambda seat: seat.number)
    shown = call("get_tournament", slug="spring-cup").parsed
    assert shown.phase == models.TournamentPhase.OVER
    first = call("get_round", slug="spring-cup", number=1).parsed
    assert first.pairings[0].state == models.PairingState.DECIDED
    rows = call("get_standings", slug="spring-cup").parsed.stages[0].rows
    assert len(rows) == len(call("list_entrants", slug="spring-cup").parsed) == 4
    old = models.NewAct(kind=models.ActKind.FINALISE)
    stale = call("act_on_tournament", slug="spring-cup", body=old, if_match='"1"')
    assert (stale.status_code, stale.parsed.serial) == (412, shown.serial)
    assert act("release", round=1, level="public").changes.releases
    assert act("finalise").changes.phase.after == models.TournamentPhase.FINAL
    exported = call("export_tournament", slug="spring-cup").parsed
    assert [one.kind for one in exported.acts][-1] == models.AnyActKind.FINALISE
