"""Divisions of a league from season to season."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.message_codes.rule_codes import TooManyMoves, WholeOutside
from damrak_ladder.tournaments.formats import (
    FormatError,
    LeagueRules,
    PlayOff,
    RulesError,
    chance_stronger,
    next_divisions,
    play_offs,
)
from samples import examples

RULES = LeagueRules(target=4, swaps=1, play_off=False)
TABLES = [(1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12)]


def test_the_first_goes_up_and_the_last_goes_down() -> None:
    found = next_divisions(RULES, TABLES)
    assert [set(it) for it in found.divisions] == [{1, 2, 3, 5}, {4, 6, 7, 9}, {8, 10, 11, 12}]
    why = {move.number: move.why for move in found.moves}
    assert (why[5], why[4], why[9], why[8], why[1]) == (
        "promoted",
        "relegated",
        "promoted",
        "relegated",
        "stays",
    )


def test_play_offs_decide_the_last_place() -> None:
    rules = LeagueRules(target=4, swaps=0, play_off=True)
    assert play_offs(rules, TABLES) == (PlayOff(0, 4, 5), PlayOff(1, 8, 9))
    usual = LeagueRules(target=8, swaps=1, play_off=True)
    tables = [tuple(range(1, 9)), tuple(range(11, 19))]
    assert play_offs(usual, tables) == (PlayOff(0, 7, 12),)
    kept = next_divisions(usual, tables, play_off_winners={0: 7})
    assert set(kept.divisions[0]) == {1, 2, 3, 4, 5, 6, 7, 11}
    won = next_divisions(usual, tables, play_off_winners={0: 12})
    assert set(won.divisions[0]) == {1, 2, 3, 4, 5, 6, 11, 12}
    assert [(it.number, it.why) for it in won.moves if it.why == "play-off"] == [
        (7, "play-off"),
        (12, "play-off"),
    ]
    assert next_divisions(usual, tables).divisions[0] == kept.divisions[0]
    with pytest.raises(FormatError, match="3 did not play for a place in division 1"):
        next_divisions(usual, tables, play_off_winners={0: 3})


def test_a_vacancy_saves_the_best_relegated_entrant() -> None:
    found = next_divisions(RULES, TABLES, withdrawals=[2], newcomers=[13])
    assert set(found.divisions[0]) == {1, 3, 5, 4}
    why = {move.number: (move.was, move.now, move.why) for move in found.moves}
    assert why[4] == (0, 0, "stays")
    assert why[2] == (0, None, "withdrew")
    assert why[13] == (None, 2, "newcomer")
    assert found.divisions[2][-1] == 13


def test_withdrawals_do_not_change_the_outcome_of_a_play_off() -> None:
    rules = LeagueRules(target=8, swaps=1, play_off=True)
    tables = [tuple(range(1, 9)), tuple(range(11, 19))]
    found = next_divisions(rules, tables, withdrawals=[8], play_off_winners={0: 12})
    assert set(found.divisions[0]) == {1, 2, 3, 4, 5, 6, 11, 12}
    assert found.divisions[1][0] == 7
    left = next_divisions(rules, tables, withdrawals=[7], play_off_winners={0: 12})
    assert 12 in left.divisions[0]


def test_the_number_of_divisions_can_be_fixed() -> None:
    rules = LeagueRules(target=8)
    found = next_divisions(rules, [tuple(range(1, 9))], newcomers=range(9, 12), count=3)
    assert [len(it) for it in found.divisions] == [4, 4, 3]


def test_divisions_split_and_merge_late() -> None:
    rules = LeagueRules(target=8)
    tables = [tuple(range(1, 9)), tuple(range(9, 17)), tuple(range(17, 25))]
    sizes = [len(it) for it in next_divisions(rules, tables, newcomers=[25, 26, 27]).divisions]
    assert sizes == [9, 9, 9]
    sizes = [len(it) for it in next_divisions(rules, tables, newcomers=range(25, 29)).divisions]
    assert sizes == [7, 7, 7, 7]
    sizes = [len(it) for it in next_divisions(rules, tables, withdrawals=[1, 9, 17]).divisions]
    assert sizes == [7, 7, 7]
    sizes = [len(it) for it in next_divisions(rules, tables, withdrawals=range(1, 8)).divisions]
    assert sizes == [8, 9]


@examples(60)
@given(
    seed=st.integers(0, 10**6),
    divisions=st.integers(1, 5),
    target=st.integers(6, 12),
    seasons=st.integers(1, 4),
)
def test_entrants_are_conserved_and_sizes_near_the_target(
    seed: int, divisions: int, target: int, seasons: int
) -> None:
    random = Random(seed)
    rules = LeagueRules(target=target, swaps=random.randrange(2), play_off=bool(seed % 2))
    tables = [tuple(range(at * target, (at + 1) * target)) for at in range(divisions)]
    following = divisions * target
    for _ in range(seasons):
        tables = [tuple(random.sample(table, len(table))) for table in tables]
        everyone = [it for table in tables for it in table]
        leaving = set(random.sample(everyone, random.randrange(min(4, len(everyone) // 3) + 1)))
        fresh = range(following, following + random.randrange(5))
        following += 10
        winners = {
            it.division: random.choice((it.upper, it.lower)) for it in play_offs(rules, tables)
        }
        options = {"withdrawals": leaving, "newcomers": fresh, "play_off_winners": winners}
        found = next_divisions(rules, tables, **options)  # type: ignore[arg-type]
        assert found == next_divisions(rules, tables, **options)  # type: ignore[arg-type]
        after = [it for division in found.divisions for it in division]
        assert sorted(after) == sorted((set(everyone) - leaving) | set(fresh))
        assert {it.number for it in found.moves} == set(everyone) | set(fresh)
        sizes = [len(it) for it in found.divisions]
        assert max(sizes) - min(sizes) <= 1
        count = len(after)
        possible = any(
            it * (target - 1) <= count <= it * (target + 1) for it in range(1, count + 1)
        )
        if possible:
            assert all(abs(size - target) <= 1 for size in sizes)
        tables = list(found.divisions)


def test_wrong_rules_and_tables_are_refused() -> None:
    with pytest.raises(RulesError) as target:
        LeagueRules(target=2).validate()
    assert (target.value.field, target.value.message) == ("target", WholeOutside(3, 1000))
    with pytest.raises(RulesError) as swaps:
        LeagueRules(target=6, swaps=2).validate()
    assert (swaps.value.field, swaps.value.message) == ("swaps", TooManyMoves(3, 6))
    with pytest.raises(FormatError, match="an entrant is in two tables"):
        next_divisions(RULES, [(1, 2), (2, 3)])
    with pytest.raises(FormatError, match="an entrant is in two tables"):
        next_divisions(RULES, [(1, 2)], newcomers=[2])


def test_a_league_can_lose_everyone() -> None:
    assert next_divisions(RULES, [(1, 2, 3)], withdrawals=[1, 2, 3]).divisions == ()


def test_the_probability_to_be_stronger() -> None:
    assert chance_stronger((1500, 30), (1500, 40)) == 0.5
    assert chance_stronger((1550, 30), (1500, 40)) == pytest.approx(0.8413, abs=1e-3)
    assert chance_stronger((1500, 0), (1400, 0)) == 1
    assert chance_stronger((1500, 0), (1500, 0)) == 0.5
