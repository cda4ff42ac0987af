"""Acts of organisers, their previews, and undoing them."""

from __future__ import annotations

from typing import Any

import pytest

from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.creation import change_rules
from damrak_ladder.tournaments.errors import (
    KeyReused,
    NotAllowed,
    Refused,
    Stale,
)
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.tables import table_of
from damrak_ladder.tournaments.models import (
    Act,
    Entrant,
    PairingBlock,
    Round,
    Tournament,
    Unchangeable,
)
from ladder.people import NOW, somebody
from ladder.tournaments.cups import act, cup, entered_bot, play, rules, started

pytestmark = pytest.mark.usefixtures("database")


def places(tournament: Tournament, stage: int = 0) -> list[int]:
    state, course = journal.state_of(tournament), journal.course_of(tournament)
    return [row.number for row in table_of(state, course, state.stages[stage])]


def points(tournament: Tournament) -> dict[int, str]:
    state, course = journal.state_of(tournament), journal.course_of(tournament)
    return {row.number: str(row.points) for row in table_of(state, course, state.stages[0])}


def test_stale_serial_changes_nothing_and_a_repeated_key_neither() -> None:
    tournament, user = cup(2)
    serial = tournament.serial
    with pytest.raises(Stale) as stale:
        act(tournament, user, "close", serial=serial - 1)
    assert stale.value.serial == serial
    first = act(tournament, user, "close", serial=serial, key="once")
    again = act(tournament, user, "close", serial=serial, key="once")
    assert (again.serial, again.is_repeated) == (first.serial, True)
    with pytest.raises(KeyReused):
        act(tournament, user, "start", key="once")
    assert Act.objects.filter(tournament=tournament).count() == first.serial


def test_only_organisers_act_and_rulings_need_a_reason() -> None:
    tournament, user = started(4)
    with pytest.raises(NotAllowed):
        act(tournament, somebody("eve"), "pause")
    with pytest.raises(Refused, match="needs a reason"):
        act(tournament, user, "disqualify", {"entrant": 1}, reason=" ")
    with pytest.raises(Refused, match="platform"):
        act(tournament, user, "finish")


def test_acts_never_change() -> None:
    tournament, _ = cup(2)
    entry = Act.objects.filter(tournament=tournament).first()
    assert entry is not None
    with pytest.raises(Unchangeable):
        entry.save()
    with pytest.raises(Unchangeable):
        Act.objects.all().delete()
    with pytest.raises(Unchangeable):
        Act.objects.update(reason="another")


PREVIEWED: list[tuple[str, dict[str, Any]]] = [
    ("pause", {}),
    ("stop", {"on": True}),
    ("speed", {"games_a_minute": 30}),
    ("withdraw", {"entrant": 2}),
    ("disqualify", {"entrant": 1, "ruling": "void"}),
    ("disqualify", {"entrant": 1, "ruling": "award"}),
    ("override", {"round": 1, "table": 1, "places": [2, 1]}),
    ("replay_block", {"round": 1, "table": 1, "number": 1}),
    ("replay_round", {"round": 1}),
    ("release", {"round": 1, "level": "hidden"}),
    ("cancel", {}),
]


@pytest.mark.parametrize(("kind", "payload"), PREVIEWED)
def test_preview_equals_the_act_and_undo_restores_the_state(
    kind: str, payload: dict[str, Any]
) -> None:
    tournament, user = started(6, "swiss", rounds=3)
    play(tournament, until=lambda: Round.objects.count() == 2, rounds=6)
    before, serial = journal.state_of(tournament), tournament.serial
    request = desk.Request(Kind(kind), payload, actor=user, reason="for a test", serial=serial)
    seen = desk.preview(tournament, request, NOW)
    assert seen.is_preview
    assert Act.objects.filter(tournament=tournament).count() == serial
    done = desk.perform(tournament, request, NOW)
    assert (done.serial, done.payload, done.changes) == (seen.serial, seen.payload, seen.changes)
    assert done.changes
    act(tournament, user, "undo", undoes=done.serial)
    after = journal.state_of(tournament)
    assert after.serial == before.serial + 2
    after = after.copy()
    after.serial = before.serial
    assert after == before
    if kind not in {"cancel", "pause", "stop"}:
        play(tournament)
        assert tournament.phase == "over"
        assert places(tournament)[0] == 1


def test_replayed_round_is_paired_again_and_each_block_counts_once() -> None:
    tournament, user = started(6, "swiss", rounds=3)
    play(tournament)
    assert tournament.phase == "over"
    first = journal.state_of(tournament).stages[0].rounds[0]
    answer = act(tournament, user, "replay_round", {"round": 2})
    assert answer.changes["blocks"] == {"superseded": 6}
    assert answer.changes["games_lost"] == 12
    assert len(answer.changes["pairings_removed"]) == 6
    assert len(answer.changes["was_public"]) == 6
    assert tournament.phase == "running"
    play(tournament)
    assert tournament.phase == "over"
    state = journal.state_of(tournament)
    assert state.stages[0].rounds[0] == first
    generations = [made.key.generation for made in state.rounds()]
    assert generations == [0, answer.serial, answer.serial]
    assert Round.objects.filter(is_current=True).count() == 3
    assert Round.objects.count() == 5
    results = journal.results_of(tournament)
    assert len(results) == 15
    assert sum(state.counts(key) for key in results) == 9


def test_replay_of_a_block_has_another_seed_and_its_undo_counts_the_first_again() -> None:
    tournament, user = started(4)
    play(tournament)
    before = points(tournament)
    key = {"round": 1, "table": 1, "number": 1}
    answer = act(tournament, user, "replay_block", key)
    assert tournament.phase == "running"
    assert "pairings_removed" not in answer.changes  # a round robin does not depend on results
    act(tournament, user, "undo", undoes=answer.serial)
    assert points(tournament) == before
    again = act(tournament, user, "replay_block", key)
    play(tournament, strength=lambda seat: 0.0)
    assert tournament.phase == "over"
    rows = PairingBlock.objects.filter(pairing__round__number=1, pairing__table=1, number=1)
    assert {row.take for row in rows} == {0, again.serial}
    seeds = {bytes(row.block.seed) for row in rows.select_related("block")}
    assert len(seeds) == 2
    with pytest.raises(Refused, match="recorded blocks"):
        act(tournament, user, "undo", undoes=again.serial)


def test_replay_in_a_knockout_keeps_the_branches_that_did_not_change() -> None:
    tournament, user = started(8, "single-elimination")
    play(tournament)
    played = Block.objects.count()
    state = journal.state_of(tournament)
    loser = next(
        pairing.key.table
        for pairing in state.stages[0].rounds[0].pairings.values()
        if 1 not in pairing.entrants
    )
    act(tournament, user, "replay_block", {"round": 1, "table": loser, "number": 1})
    assert journal.state_of(tournament).stages[0].rounds[1:] == ()
    play(tournament)
    assert tournament.phase == "over"
    assert Block.objects.count() == played + 1  # only the replayed block: the winner is the same
    state = journal.state_of(tournament)
    assert any(pairing.origin != pairing.key for _, pairing in state.pairings())


def test_override_in_a_knockout_sends_the_other_entrant_on() -> None:
    tournament, user = started(4, "single-elimination")
    play(tournament, until=lambda: Round.objects.count() == 2)
    state = journal.state_of(tournament)
    first = next(one for one in state.stages[0].rounds[0].pairings.values() if 1 in one.entrants)
    other = next(number for number in first.entrants if number != 1)
    with pytest.raises(Refused, match="winner"):
        act(tournament, user, "override",
            {"round": 1, "table": first.key.table, "places": [1, 1]})  # fmt: skip
    given = [1 if number == other else 2 for number in first.entrants]
    act(tournament, user, "override", {"round": 1, "table": first.key.table, "places": given})
    play(tournament)
    final = journal.state_of(tournament).stages[0].rounds[-1]
    assert any(other in one.entrants for one in final.pairings.values())
    assert places(tournament)[0] != 1


@pytest.mark.parametrize(("ruling", "expected"), [("keep", 0), ("void", 0), ("award", 1)])
def test_disqualified_entrant_loses_what_it_won_if_ruled_so(ruling: str, expected: int) -> None:
    tournament, user = started(4)
    play(tournament)
    before = points(tournament)
    assert before == {1: "3", 2: "2", 3: "1", 4: "0"}
    act(tournament, user, "disqualify", {"entrant": 1, "ruling": ruling})
    after = points(tournament)
    if ruling == "keep":
        assert after == before
    else:
        assert after[1] == "0"
        assert after[2] == str(2 + expected)


def test_withdrawn_entrant_loses_its_open_pairings_and_is_not_paired_again() -> None:
    tournament, user = started(6, "swiss", rounds=3)
    answer = act(tournament, user, "withdraw", {"entrant": 1})
    assert len(answer.payload["forfeits"]) == 1
    play(tournament)
    assert tournament.phase == "over"
    state = journal.state_of(tournament)
    assert not any(1 in one.entrants for made, one in state.pairings() if made.key.number > 1)
    assert not Block.objects.exclude(state=BlockState.RECORDED).exists()


def test_waiting_blocks_of_a_rolled_back_round_are_deleted() -> None:
    tournament, user = started(6, "swiss", rounds=2)
    play(tournament, rounds=1, until=lambda: True)
    from damrak_ladder.pipeline.queue.scheduler import schedule
    from ladder.flow import some_host, tokens_of

    some_host("other", workers=9)
    schedule(NOW, tokens_of(5))
    waiting = Block.objects.filter(state=BlockState.WAITING).count()
    answer = act(tournament, user, "replay_round", {"round": 1})
    assert answer.changes.get("blocks", {}).get("struck", 0) == waiting
    assert not Block.objects.filter(state=BlockState.WAITING).exists()


def test_late_entrant_plays_the_remaining_rounds() -> None:
    tournament, user = started(4, "swiss", rounds=3)
    act(tournament, user, "enter", {"slug": entered_bot("latecomer-0").bot.slug})
    play(tournament)
    assert tournament.phase == "over"
    late = Entrant.objects.get(bot__slug="latecomer-0")
    state = journal.state_of(tournament)
    rounds = [made.key.number for made, one in state.pairings() if late.number in one.entrants]
    assert rounds == [2, 3]


def test_paused_tournament_books_and_pairs_nothing() -> None:
    tournament, user = started(4)
    act(tournament, user, "pause")
    play(tournament, rounds=5)
    assert not Block.objects.exists()
    act(tournament, user, "resume")
    play(tournament)
    assert tournament.phase == "over"


def test_tournament_stops_after_the_round_and_resumes() -> None:
    tournament, user = started(4)
    act(tournament, user, "stop")
    play(tournament)
    assert (tournament.phase, Round.objects.count()) == ("running", 1)
    act(tournament, user, "resume")
    play(tournament)
    assert tournament.phase == "over"


def test_final_tournament_is_reopened_with_a_reason() -> None:
    tournament, user = started(3)
    with pytest.raises(Refused, match="without a result"):
        act(tournament, user, "finalise")
    play(tournament)
    act(tournament, user, "finalise")
    with pytest.raises(Refused, match="final"):
        act(tournament, user, "replay_round", {"round": 1})
    act(tournament, user, "reopen")
    act(tournament, user, "replay_round", {"round": 3})
    play(tournament)
    assert tournament.phase == "over"


def test_rules_are_fixed_at_the_first_pairing() -> None:
    tournament, user = cup(3)
    seen = change_rules(tournament, user, rules("swiss", rounds=2), NOW)
    assert set(seen.changes["rules"]) == {"stages"}
    act(tournament, user, "close")
    act(tournament, user, "start")
    from damrak_ladder.tournaments.duties import advance

    advance(tournament, NOW)
    with pytest.raises(Refused, match="fixed"):
        change_rules(tournament, user, rules(), NOW)


def test_entry_cannot_be_undone_once_it_is_seeded() -> None:
    tournament, user = cup(3)
    serial = tournament.serial
    act(tournament, user, "undo", undoes=serial)
    assert Entrant.objects.count() == 2
    act(tournament, user, "undo", undoes=serial + 1)
    assert Entrant.objects.count() == 3
    act(tournament, user, "close")
    act(tournament, user, "start")
    with pytest.raises(Refused):
        act(tournament, user, "undo", undoes=serial)


def test_log_is_a_chain_of_digests() -> None:
    tournament, _ = started(3)
    digest = journal.first_digest(tournament)
    for row in Act.objects.filter(tournament=tournament).order_by("serial"):
        digest = journal.digest_of(digest, journal.act_of(row))
        assert row.digest == digest
    assert tournament.digest == digest
