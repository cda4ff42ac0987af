"""Seating at tables of 3 and 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.message_codes.tournament_codes import OwnerFillsTables
from damrak_ladder.tournaments.formats import (
    PREFERENCES,
    Entrant,
    FormatError,
    StageRules,
    pair_round,
    plan,
    tables,
)
from damrak_ladder.tournaments.formats.history import History, history, ranked
from ladder.tournaments.formats.events import (
    field,
    play,
    renumbered,
    renumbered_rounds,
)
from samples import examples

RULES = StageRules(format="swiss-tables", players=4, rounds=8)


@given(st.integers(1, 500))
def test_from_six_entrants_on_all_sit_at_fours_and_threes(count: int) -> None:
    sizes = tables.table_sizes(count, 4)
    assert sum(sizes) == count
    if count >= 6:
        assert set(sizes) <= {3, 4}
        assert sizes.count(3) == -count % 4
    assert max(sizes) - min(sizes) <= 1


def test_sizes_of_small_and_odd_fields() -> None:
    assert tables.table_sizes(33, 4) == [4] * 6 + [3] * 3
    assert tables.table_sizes(5, 4) == [3, 2]
    assert tables.table_sizes(4, 4) == [4]
    assert tables.table_sizes(7, 3) == [3, 2, 2]
    assert tables.table_sizes(9, 3) == [3, 3, 3]


def rematches(past: History) -> int:
    return sum(times - 1 for times in past.meetings.values())


def test_33_entrants_and_8_rounds_have_at_most_30_rematches() -> None:
    past = history(play(RULES, field(33), seed=4))
    assert sum(past.meetings.values()) == 360
    assert rematches(past) <= 30


def test_200_entrants_and_8_rounds_have_none() -> None:
    past = history(play(RULES, field(200), seed=4))
    assert sum(past.meetings.values()) == 2400
    assert rematches(past) == 0


def test_the_preference_trades_rematches_for_score_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "STEPS_PER_ENTRANT", 400)
    found = {}
    for preference in PREFERENCES:
        rules = replace(RULES, table_preference=preference, rounds=6)
        rounds = play(rules, field(21), seed=2)
        gaps = 0.0
        for at in range(1, 6):
            points = history(rounds[:at]).points
            for result in rounds[at]:
                scores = [points[number] for number in result.pairing.entrants]
                gaps += float(max(scores) - min(scores))
        found[preference] = rematches(history(rounds)), gaps
    close, balanced, fresh = (found[it] for it in PREFERENCES)
    assert close[0] > balanced[0] > fresh[0]
    assert close[1] < fresh[1]


def splits(members: list[int], sizes: list[int]) -> Iterator[list[list[int]]]:
    """All ways to seat at tables of these sizes."""
    if not sizes:
        yield []
        return
    first, *rest = members
    for size in sorted(set(sizes)):
        left = list(sizes)
        left.remove(size)
        for others in combinations(rest, size - 1):
            remaining = [it for it in rest if it not in others]
            for more in splits(remaining, left):
                yield [[first, *others], *more]


@examples(12)
@given(count=st.integers(5, 8), seed=st.integers(0, 10**6), players=st.sampled_from([3, 4]))
def test_small_fields_get_the_best_seating(count: int, seed: int, players: int) -> None:
    rules = StageRules(format="swiss-tables", players=players, rounds=9)
    entrants = field(count)
    before = play(rules, entrants, seed=seed, rounds=Random(seed).randrange(1, 5))
    past = history(before, players)
    order = ranked(entrants, past.points)
    weight = PREFERENCES["balanced"]
    costs = tables._costs(order, past, weight, set(), same_owner_apart=True)
    sizes = tables.table_sizes(count, players)
    best = min(costs.total(it, players) for it in splits(list(range(count)), sizes))
    found = pair_round(rules, entrants, before, seed="x")
    assert found is not None
    assert found.cost["total"] * costs.scale**2 == best


def test_never_worse_than_sorted_and_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "STEPS_PER_ENTRANT", 1)
    monkeypatch.setattr(tables, "FEWEST_STEPS", 1)
    rounds = play(RULES, field(22), rounds=4)
    past = history(rounds, 4)
    order = ranked(field(22), past.points)
    costs = tables._costs(order, past, PREFERENCES["balanced"], set(), same_owner_apart=True)
    cut = tables._cut(range(22), tables.table_sizes(22, 4))
    found = pair_round(RULES, field(22), rounds, seed="x")
    assert found is not None
    assert found.cost["total"] * costs.scale**2 <= costs.total(cut, 4)


def test_same_seed_same_seating_and_numbers_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "STEPS_PER_ENTRANT", 100)
    rounds = play(RULES, field(14), rounds=3)
    found = pair_round(RULES, field(14), rounds, seed="x")
    assert found is not None
    assert found == pair_round(RULES, field(14), rounds, seed="x")
    shifted = pair_round(RULES, renumbered(field(14), 50), renumbered_rounds(rounds, 50), seed="x")
    assert shifted is not None
    assert [it.entrants for it in shifted.pairings] == [
        tuple(50 - number for number in it.entrants) for it in found.pairings
    ]


@examples(15)
@given(count=st.integers(2, 40), seed=st.integers(0, 999), players=st.sampled_from([3, 4]))
def test_everybody_present_sits_once(count: int, seed: int, players: int) -> None:
    absent = Random(seed).sample(range(1, count + 1), Random(seed).randrange(count))
    rules = StageRules(format="swiss-tables", players=players, rounds=5)
    found = pair_round(rules, field(count), [], seed=str(seed), absent=absent)
    assert found is not None
    numbers = Counter(number for it in found.pairings for number in it.entrants)
    assert numbers == Counter(set(range(1, count + 1)) - set(absent))


def test_the_first_round_spreads_the_best_seeds() -> None:
    found = pair_round(RULES, field(16), [], seed="x")
    assert found is not None
    assert [it.entrants for it in found.pairings] == [
        (1, 5, 9, 13),
        (2, 6, 10, 14),
        (3, 7, 11, 15),
        (4, 8, 12, 16),
    ]


def test_forbidden_pairs_and_owners_sit_apart() -> None:
    entrants = field(16, owners=4)
    found = pair_round(RULES, entrants, [], seed="x", forbidden=[(1, 2), (1, 3)])
    assert found is not None
    assert found.cost["same_owner"] == 0
    for pairing in found.pairings:
        assert not {1, 2} <= set(pairing.entrants)
        assert not {1, 3} <= set(pairing.entrants)
    everybody = list(combinations(range(1, 9), 2))
    with pytest.raises(FormatError, match="cannot be seated apart"):
        pair_round(RULES, field(8), [], seed="x", forbidden=everybody)
    many = [Entrant(it, it, owner=1 if it < 6 else it) for it in range(1, 17)]
    assert OwnerFillsTables(5, 4) in plan(RULES, many).warnings


def test_leaders_can_meet_in_the_last_round() -> None:
    rules = replace(RULES, leaders_together=True, rounds=4)
    rounds = play(rules, field(16), rounds=3)
    found = pair_round(rules, field(16), rounds, seed="x")
    assert found is not None
    leaders = [it.number for it in ranked(field(16), history(rounds).points)[:4]]
    assert found.pairings[0].entrants == tuple(leaders)
