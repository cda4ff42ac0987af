"""Seeds at the start, and of entrants that qualify for the next stage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import (
    Entrant,
    FormatError,
    StageRules,
    advance,
    pair_round,
    seed_entrants,
    standings,
)
from ladder.tournaments.formats.events import field, play
from samples import examples

KNOCKOUT = StageRules(format="single-elimination")


def test_seeds_follow_rating_last_table_or_lot() -> None:
    entrants = [
        Entrant(1, 1, rating=1400.0),
        Entrant(2, 2),
        Entrant(3, 3, rating=1600.0),
        Entrant(4, 4),
    ]

    def numbers(how: str, **more: object) -> list[int]:
        found = seed_entrants(entrants, how, **more)  # type: ignore[arg-type]
        assert [it.seed for it in found] == [1, 2, 3, 4]
        return [it.number for it in found]

    assert numbers("rating") == [3, 1, 2, 4]
    assert numbers("last", last=[4, 3, 2]) == [4, 3, 2, 1]
    assert numbers("given") == [1, 2, 3, 4]
    assert numbers("lot", seed="a") == numbers("lot", seed="a")
    assert len({tuple(numbers("lot", seed=str(it))) for it in range(20)}) > 5
    with pytest.raises(FormatError, match="choose rating, last, given, lot"):
        numbers("luck")


@examples(25)
@given(groups=st.integers(2, 8), each=st.integers(1, 2), size=st.integers(3, 5))
def test_groups_cross_over_into_the_bracket(groups: int, each: int, size: int) -> None:
    entrants = field(groups * size)
    rules = StageRules(format="groups", groups=groups, advance=each)
    rows = standings(rules, entrants, play(rules, entrants, seed=groups))
    found = advance(rules, entrants, rows, KNOCKOUT)
    assert len(found) == groups * each
    assert [it.seed for it in found] == list(range(1, len(found) + 1))
    place = {row.number: row.place for row in rows}
    assert [place[it.number] for it in found] == sorted(place[it.number] or 0 for it in found)
    group = {row.number: row.group for row in rows}
    first = pair_round(KNOCKOUT, found, [], seed="x")
    assert first is not None
    for pairing in first.pairings:
        if not pairing.is_bye:
            one, other = pairing.entrants
            assert group[one] != group[other]


def test_two_of_a_group_are_in_different_halves() -> None:
    entrants = field(16)
    rules = StageRules(format="groups", groups=4, advance=2)
    rows = standings(rules, entrants, play(rules, entrants))
    found = advance(rules, entrants, rows, KNOCKOUT)
    group = {row.number: row.group for row in rows}
    first = pair_round(KNOCKOUT, found, [], seed="x")
    assert first is not None
    upper = [group[n] for it in first.pairings[:2] for n in it.entrants]
    assert sorted(upper) == [0, 1, 2, 3]


def test_all_advance_by_default_and_guests_do_not() -> None:
    entrants = [replace(it, guest=it.number == 2) for it in field(6)]
    rules = StageRules(format="round-robin")
    rows = standings(rules, entrants, play(rules, entrants))
    found = advance(rules, entrants, rows)
    assert [it.number for it in found] == [row.number for row in rows if row.place]
    assert 2 not in {it.number for it in found}
    fewer = advance(replace(rules, advance=2), entrants, rows)
    assert [it.number for it in fewer] == [row.number for row in rows[:2]]
