"""Kept verdicts and tables equal those that are calculated anew, and a result costs one round."""

from __future__ import annotations

import pytest

from damrak_ladder.tournaments import journal, kept
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.log.state import Round
from damrak_ladder.tournaments.log.tables import table_of
from damrak_ladder.tournaments.models import BlockResult, Tournament
from ladder.tournaments.cups import act, play, started
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")


def check(tournament: Tournament) -> None:
    """Compare what is kept with a new calculation."""
    tournament.refresh_from_db()
    state, course = journal.state_of(tournament), journal.course_of(tournament)
    assert kept.kept_course(tournament, state) == course
    seen = disclosed(tournament, None)
    for stage in state.stages.values():
        assert seen.table(stage) == table_of(state, course, stage)


def test_kept_verdicts_follow_every_result_and_ruling() -> None:
    tournament, user = started(4, "swiss", rounds=2)
    now = play(tournament, rounds=1)
    check(tournament)
    now = play(tournament, now=now)
    check(tournament)
    act(tournament, user, "override", {"round": 2, "table": 1, "places": [2, 1]}, now=now)
    check(tournament)
    act(tournament, user, "disqualify", {"entrant": 2, "ruling": "void"}, now=now)
    check(tournament)
    act(tournament, user, "undo", undoes=tournament.serial)
    check(tournament)
    BlockResult.objects.latest("pk").delete()
    check(tournament)


def test_result_costs_only_its_own_round(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament, _ = started(4, "swiss", rounds=3)
    play(tournament)
    check(tournament)
    asked: list[int] = []
    verdicts_of = kept.verdicts_of

    def counted(state: object, made: Round, results: object) -> object:
        asked.append(made.key.number)
        return verdicts_of(state, made, results)  # type: ignore[arg-type]

    monkeypatch.setattr(kept, "verdicts_of", counted)
    BlockResult.objects.filter(pairing_block__pairing__round__number=3).latest("pk").delete()
    check(tournament)
    assert set(asked) == {3}


def test_page_of_the_standings_follows_results_and_languages() -> None:
    tournament, user = started(3, "round-robin")
    play(tournament)
    first = page(visitor(), "/tournaments/cup/standings/")
    assert first == page(visitor(), "/tournaments/cup/standings/")
    nederlands = visitor().get("/nl/tournaments/cup/standings/").content.decode()
    assert "/nl/bots/cup-1/" in nederlands
    assert "/en/bots/cup-1/" not in nederlands.split("<tbody>")[1].split("</tbody>")[0]
    act(tournament, user, "override", {"round": 1, "table": 1, "places": [2, 1]})
    assert first != page(visitor(), "/tournaments/cup/standings/")
