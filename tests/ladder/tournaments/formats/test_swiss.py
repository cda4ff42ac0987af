"""Swiss pairing for two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.tournament_codes import (
    MoreRoundsThanOpponents,
    OwnerFillsField,
    RematchesPossible,
    TooFewOpponents,
    UnavoidableOwners,
)
from damrak_ladder.tournaments.formats import (
    Entrant,
    FormatError,
    Pairing,
    PairingResult,
    StageRules,
    lookahead,
    matching,
    pair_round,
    plan,
    unavoidable,
)
from damrak_ladder.tournaments.formats.history import History, history
from damrak_ladder.tournaments.formats.swiss import squared_gap
from damrak_ladder.tournaments.trf import parse
from ladder.tournaments.formats.events import (
    at_random,
    field,
    play,
    renumbered,
    renumbered_rounds,
)
from samples import examples

FILES = sorted((Path(__file__).parent / "bbppairings").glob("*.trf"))
Numbers = tuple[int, ...]


def triple(past: History, pairings: list[Numbers]) -> tuple[int, int, Fraction]:
    """Rematches, second byes and squared gaps."""
    return (
        sum(past.met(*it) > 0 for it in pairings if len(it) == 2),
        sum(past.byes[it[0]] > 0 for it in pairings if len(it) == 1),
        sum((squared_gap(past, it) for it in pairings), Fraction(0)),
    )


def all_pairings(numbers: list[int]) -> Iterator[list[Numbers]]:
    """All ways to pair, with a bye if the number is odd."""
    if len(numbers) < 2:
        yield [(number,) for number in numbers]
        return
    first, *rest = numbers
    for at, other in enumerate(rest):
        for others in all_pairings(rest[:at] + rest[at + 1 :]):
            yield [(first, other), *others]
    if len(numbers) % 2:
        for others in all_pairings(rest):
            if all(len(it) == 2 for it in others):
                yield [(first,), *others]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_never_worse_than_bbppairings(path: Path) -> None:
    file = parse(path.read_bytes())
    assert file.played >= 7
    for number in range(2, file.played + 1):
        present = set(file.present(number))
        played = file.results(number - 1)
        found = pair_round(
            StageRules(format="swiss", rounds=file.played),
            file.entrants(),
            played,
            seed="yardstick",
            absent=[it.number for it in file.entrants() if it.number not in present],
        )
        assert found is not None
        ours = [it.entrants for it in found.pairings]
        theirs = [it.pairing.entrants for it in file.results(number)[-1]]
        theirs = [it for it in theirs if present.issuperset(it)]
        assert sorted(n for it in ours for n in it) == sorted(n for it in theirs for n in it)
        past = history(played)
        cost = triple(past, ours)
        assert cost <= triple(past, theirs)
        assert tuple(found.cost[it] for it in ("rematches", "second_byes", "squared_gaps")) == cost


@examples(40)
@given(count=st.integers(2, 8), rounds=st.integers(0, 5), seed=st.integers(0, 999), data=st.data())
def test_no_pairing_is_better(count: int, rounds: int, seed: int, data: st.DataObject) -> None:
    entrants = field(count)
    rules = StageRules(format="swiss", rounds=rounds + 1)
    before = play(rules, entrants, seed=seed, score=at_random(Random(seed)), rounds=rounds)
    pairs = list(combinations(range(1, count + 1), 2))
    forbidden = data.draw(st.lists(st.sampled_from(pairs), max_size=3, unique=True))
    past = history(before)
    possible = [
        triple(past, pairing)
        for pairing in all_pairings(list(range(1, count + 1)))
        if not set(forbidden) & set(pairing)
    ]
    if not possible:
        with pytest.raises(FormatError, match="forbidden pairs leave"):
            pair_round(rules, entrants, before, seed="x", forbidden=forbidden)
        return
    found = pair_round(rules, entrants, before, seed="x", forbidden=forbidden)
    assert found is not None
    ours = [it.entrants for it in found.pairings]
    assert not {tuple(sorted(it)) for it in ours} & set(forbidden)
    assert triple(past, ours) == min(possible)


@examples(30)
@given(count=st.integers(4, 15), fewer=st.integers(0, 2), seed=st.integers(0, 10**6))
def test_no_rematch_is_forced_in_long_tournaments(count: int, fewer: int, seed: int) -> None:
    """About as many rounds as opponents: without look-ahead some end with a rematch."""
    rounds = max(1, count + count % 2 - 1 - fewer)
    rules = StageRules(format="swiss", rounds=rounds)
    past = history(play(rules, field(count), seed=seed, score=at_random(Random(seed))))
    assert max(past.meetings.values()) == 1
    assert max(past.byes.values(), default=0) <= 1


def test_no_rematch_is_forced_in_a_large_field() -> None:
    """Without look-ahead, the last two rounds have a rematch each."""
    rules = StageRules(format="swiss", rounds=49)
    past = history(play(rules, field(50), seed=1, score=at_random(Random(1))))
    assert max(past.meetings.values()) == 1


def owned(count: int, most: int, random: Random) -> list[Entrant]:
    """Entrants of random owners, with at most this many for each."""
    owners = [at // most for at in range(count)]
    random.shuffle(owners)
    return [Entrant(at, at, owner) for at, owner in enumerate(owners, 1)]


def most_rounds_without_warning(entrants: list[Entrant]) -> int:
    """The largest number of rounds of a Swiss that has no warning, or 0."""
    possible = range(1, len(entrants) + 2)
    return max(
        (n for n in possible if not plan(StageRules(format="swiss", rounds=n), entrants).warnings),
        default=0,
    )


def check_rounds_without_warning(entrants: list[Entrant], seed: int) -> None:
    """Play as many rounds as possible without a warning, and verify that nobody meets twice."""
    rounds = most_rounds_without_warning(entrants)
    assert rounds
    rules = StageRules(format="swiss", rounds=rounds)
    found = play(rules, entrants, seed=seed, score=at_random(Random(seed)))
    assert len(found) == rounds
    past = history(found)
    assert max(past.meetings.values()) == 1
    assert max(past.byes.values(), default=0) <= 1
    owner = {it.number: it.owner for it in entrants}
    assert all(owner[one] != owner[other] for one, other in map(tuple, past.meetings))


@examples(20)
@given(count=st.integers(4, 14), most=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_without_a_warning_no_rematch_is_forced(count: int, most: int, seed: int) -> None:
    most = min(most, (count + 1) // 2)
    check_rounds_without_warning(owned(count, most, Random(seed)), seed)


@examples(10)
@given(count=st.integers(65, 80), most=st.integers(1, 20), seed=st.integers(0, 10**6))
def test_without_a_warning_no_rematch_is_forced_in_fields_without_look_ahead(
    count: int, most: int, seed: int
) -> None:
    check_rounds_without_warning(owned(count, most, Random(seed)), seed)


def test_without_look_ahead_more_rounds_than_half_of_the_field_are_a_warning() -> None:
    def warnings(rounds: int, *forbidden: tuple[int, int], count: int = 70) -> tuple[Message, ...]:
        rules = StageRules(format="swiss", rounds=rounds)
        return plan(rules, field(count), forbidden).warnings

    assert warnings(35) == ()
    assert warnings(36) == (RematchesPossible(entrants=70, rounds=36, possible=35),)
    assert warnings(63, count=64) == ()
    assert warnings(34, (1, 2), (2, 1)) == ()
    assert warnings(34, (1, 2), (2, 3)) == (TooFewOpponents(70, 34, apart=2, possible=33),)
    assert warnings(70) == (MoreRoundsThanOpponents(70, 70, least=35, possible=69),)
    snapshot = StageRules(format="snapshot", rounds=36)
    assert plan(snapshot, field(70)).warnings == warnings(36)


def test_bots_of_one_owner_that_run_out_of_opponents_are_a_warning() -> None:
    half = [*field(4, owners=1), *(Entrant(at, at, owner=at) for at in range(5, 9))]
    rules = StageRules(format="swiss", rounds=3)
    assert plan(rules, half).warnings == ()
    more = replace(rules, rounds=5)
    assert plan(more, half).warnings == (TooFewOpponents(8, 5, apart=3, possible=3),)
    assert plan(replace(more, same_owner_apart=False), half).warnings == ()
    past = history(play(more, half, score=at_random(Random(1))))
    assert max(past.meetings.values()) == 2


def test_bots_of_several_owners_that_run_out_of_opponents_are_a_warning() -> None:
    """Everybody has 6 partners, but the 8 bots of two owners have too few meetings together."""
    owners = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3]
    entrants = [Entrant(at, at, owner) for at, owner in enumerate(owners, 1)]
    rules = StageRules(format="swiss", rounds=4)
    assert plan(rules, entrants).warnings == ()
    more = replace(rules, rounds=6)
    assert plan(more, entrants).warnings == (TooFewOpponents(10, 6, apart=3, possible=4),)


@pytest.mark.parametrize("nodes", [8, 10, 12])
def test_safe_rounds_are_possible_for_all_sizes_of_groups(nodes: int) -> None:
    def partitions(count: int, most: int) -> Iterator[list[int]]:
        if not count:
            yield []
        for first in range(min(count, most), 0, -1):
            yield from ([first, *rest] for rest in partitions(count - first, first))

    for groups in partitions(nodes, nodes // 2):
        group = np.repeat(np.arange(len(groups)), groups)
        fresh = group[:, None] != group[None, :]
        assert lookahead.has_future(fresh, lookahead.safe_rounds(groups), Random(1)), groups
        degree = int(fresh.sum(axis=1).min())
        assert not lookahead.has_future(fresh, degree + 1, Random(1)), groups


def test_deep_searches_for_a_future_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookahead, "_TRIES", 0)
    everybody = ~np.eye(128, dtype=bool)
    assert lookahead.has_future(everybody, 9, Random(1))
    assert not lookahead.has_future(everybody, 40, Random(1))  # 2,560 calls within each other


def test_unavoidable_rematches_are_announced_and_few() -> None:
    rules = StageRules(format="swiss", rounds=9)
    [warning] = plan(rules, field(8)).warnings
    assert warning == MoreRoundsThanOpponents(entrants=8, rounds=9, least=8, possible=7)
    past = history(play(rules, field(8), score=at_random(Random(5))))
    assert sum(times - 1 for times in past.meetings.values()) == 8


def test_first_round_pairs_halves_and_the_last_seed_has_the_bye() -> None:
    found = pair_round(StageRules(format="swiss", rounds=3), field(9), [], seed="x")
    assert found is not None
    assert [it.entrants for it in found.pairings] == [(1, 5), (2, 6), (3, 7), (4, 8), (9,)]


@examples(25)
@given(count=st.integers(2, 30), seed=st.integers(0, 999))
def test_everybody_present_is_paired_once(count: int, seed: int) -> None:
    random = Random(seed)
    rules = StageRules(format="swiss", rounds=4)
    before = play(rules, field(count), seed=seed, score=at_random(random), rounds=3)
    absent = random.sample(range(1, count + 1), random.randrange(count))
    found = pair_round(rules, field(count), before, seed="x", absent=absent)
    assert found is not None
    numbers = Counter(number for it in found.pairings for number in it.entrants)
    assert numbers == Counter(set(range(1, count + 1)) - set(absent))
    assert sum(it.is_bye for it in found.pairings) == (count - len(absent)) % 2


def test_same_seed_same_pairing_and_numbers_do_not_matter() -> None:
    rules = StageRules(format="swiss", rounds=6)
    entrants = field(21)
    before = play(rules, entrants, score=at_random(Random(3)), rounds=4)
    found = pair_round(rules, entrants, before, seed="one")
    assert found is not None
    assert found == pair_round(rules, entrants, before, seed="one")
    assert found.seed == "one"
    shifted = pair_round(
        rules, renumbered(entrants, 100), renumbered_rounds(before, 100), seed="one"
    )
    assert shifted is not None
    assert [it.entrants for it in shifted.pairings] == [
        tuple(100 - number for number in it.entrants) for it in found.pairings
    ]


def test_owners_are_kept_apart_if_possible() -> None:
    rules = StageRules(format="swiss", rounds=5)
    entrants = field(12, owners=3)
    owner = {it.number: it.owner for it in entrants}
    for results in play(rules, entrants, score=at_random(Random(2))):
        for result in results:
            one, other = result.pairing.entrants
            assert owner[one] != owner[other]
    alone = pair_round(rules, field(4, owners=1), [], seed="x")
    assert alone is not None
    assert alone.cost["same_owner"] == 2
    assert unavoidable("swiss", alone.cost) == (UnavoidableOwners(2),)
    most = [*field(7, owners=1), Entrant(8, 8, owner=5)]
    assert OwnerFillsField(7, 8) in plan(rules, most).warnings


def test_pairings_by_hand_are_kept() -> None:
    rules = StageRules(format="swiss", rounds=5)
    found = pair_round(rules, field(7), [], seed="x", manual=[(1, 2), (3,)])
    assert found is not None
    assert found.pairings[:2] == (Pairing((1, 2), manual=True), Pairing((3,), manual=True))
    assert sorted(n for it in found.pairings[2:] for n in it.entrants) == [4, 5, 6, 7]
    with pytest.raises(FormatError, match="entrant 1 is paired twice"):
        pair_round(rules, field(7), [], seed="x", manual=[(1, 2), (1, 3)])
    with pytest.raises(FormatError, match="entrant 4 does not play"):
        pair_round(rules, field(7), [], seed="x", manual=[(1, 4)], absent=[4])


def test_absences_and_forfeits_are_no_byes_and_no_meetings() -> None:
    forfeit = PairingResult(Pairing((1, 2)), (Fraction(1), Fraction(0)), blocks=0, ruled="forfeit")
    absence = PairingResult(Pairing((3,)), (Fraction(1, 2),), blocks=0, ruled="absence")
    past = history([[forfeit, absence]])
    assert not past.meetings
    assert not past.byes[3]
    assert past.points == {1: 1, 2: 0, 3: Fraction(1, 2)}


def test_the_stage_ends_after_its_rounds() -> None:
    rules = StageRules(format="swiss", rounds=2)
    before = play(rules, field(6), score=at_random(Random(1)))
    assert len(before) == 2
    assert pair_round(rules, field(6), before, seed="x") is None


@pytest.mark.parametrize("count", [120, 151])
def test_leaving_out_hopeless_edges_does_not_change_the_cost(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = StageRules(format="swiss", rounds=9)
    before = play(rules, field(count), score=at_random(Random(count)), rounds=5)
    fast = pair_round(rules, field(count), before, seed="x")
    monkeypatch.setattr(matching, "_LARGE", 10**6)
    whole = pair_round(rules, field(count), before, seed="x")
    assert fast is not None
    assert whole is not None
    assert fast.cost == whole.cost


def test_costs_that_do_not_fit_are_refused() -> None:
    parts = [np.full((4, 4), 2**60), np.full((4, 4), 2**60), np.full((4, 4), 2**60)]
    with pytest.raises(OverflowError):
        matching.fold(parts)


def test_huge_denominators_are_paired() -> None:
    """Scores of 1/p for many primes p have a common denominator beyond 128 bits."""
    primes = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157]
    before = [
        [
            PairingResult(Pairing((2 * at + 1, 2 * at + 2)), (Fraction(1, p), 1 - Fraction(1, p)))
            for at, p in enumerate(primes)
        ]
    ]
    found = pair_round(StageRules(format="swiss", rounds=3), field(24), before, seed="x")
    assert found is not None
    assert found.cost["rematches"] == 0
    assert len(found.pairings) == 12
