"""Single and double elimination, for two and at tables of four."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import (
    Entrant,
    GameResult,
    Pairing,
    PairingResult,
    StageRules,
    bracket,
    bye,
    decide,
    dependent_slots,
    needs_sudden_death,
    pair_round,
    plan,
    ruling,
    score_pairing,
    standings,
)
from damrak_ladder.tournaments.formats.brackets import nodes
from ladder.tournaments.formats.events import Rounds, Score, field, play
from samples import examples

SINGLE = StageRules(format="single-elimination")
DOUBLE = StageRules(format="double-elimination")
TABLES = StageRules(format="single-elimination", players=4)


def favourites(rules: StageRules) -> Score:
    """The better seed always wins."""

    def score(pairing: Pairing) -> PairingResult:
        if pairing.is_bye:
            return bye(rules, pairing)
        order = sorted(pairing.entrants)
        places = tuple(order.index(number) + 1 for number in pairing.entrants)
        return score_pairing(rules, pairing, [[GameResult(places)]])

    return score


def losses(rounds: Rounds) -> Counter[int]:
    """Lost pairings of each entrant, by points and sudden death."""
    found: Counter[int] = Counter()
    for result in (it for results in rounds for it in results if not it.pairing.is_bye):
        found[decide(SINGLE, field(64), [], result).losers[0]] += 1
    return found


def played_pairings(rounds: Rounds) -> list[PairingResult]:
    return [it for results in rounds for it in results if not it.pairing.is_bye]


@examples(20)
@given(count=st.integers(2, 64), seed=st.integers(0, 10**6))
def test_single_elimination_ends_after_one_loss_each(count: int, seed: int) -> None:
    rounds = play(SINGLE, field(count), seed=seed)
    assert len(played_pairings(rounds)) == count - 1
    rows = standings(SINGLE, field(count), rounds)
    lost = losses(rounds)
    assert lost[rows[0].number] == 0
    assert all(lost[row.number] == 1 for row in rows[1:])
    assert [row.place for row in rows[:2]] == [1, 2]
    assert plan(SINGLE, field(count)).pairings == count - 1


@examples(20)
@given(count=st.integers(2, 64), seed=st.integers(0, 10**6))
def test_double_elimination_ends_after_two_losses_each(count: int, seed: int) -> None:
    rounds = play(DOUBLE, field(count), seed=seed)
    rows = standings(DOUBLE, field(count), rounds)
    lost = losses(rounds)
    assert lost[rows[0].number] <= 1
    assert all(lost[row.number] == 2 for row in rows[1:])
    is_reset = lost[rows[0].number] == 1
    assert len(played_pairings(rounds)) == 2 * count - 2 + is_reset
    expected = plan(DOUBLE, field(count))
    assert (expected.pairings, expected.at_most_pairings) == (2 * count - 2, 2 * count - 1)
    assert len(rounds) == len(expected.rounds) + is_reset
    assert [row.place for row in rows[: min(4, count)]] == list(range(1, min(4, count) + 1))


def test_64_entrants_play_126_pairings_or_127_with_a_reset() -> None:
    found = {len(played_pairings(play(DOUBLE, field(64), seed=seed))) for seed in range(8)}
    assert found == {126, 127}
    without = StageRules(format="double-elimination", bracket_reset=False)
    assert {len(played_pairings(play(without, field(64), seed=it))) for it in range(8)} == {126}


@pytest.mark.parametrize("count", [5, 8, 13, 16, 33, 64])
@pytest.mark.parametrize("rules", [SINGLE, DOUBLE])
def test_the_first_two_seeds_meet_in_the_final_and_byes_go_to_top_seeds(
    rules: StageRules, count: int
) -> None:
    rounds = play(rules, field(count), score=favourites(rules))
    met = [it.pairing.slot for it in played_pairings(rounds) if {1, 2} == {*it.pairing.entrants}]
    assert met[-1] == "F"
    assert all(slot == "F" or slot.startswith("W") for slot in met)
    assert met[0] in ("F", f"W{(count - 1).bit_length()}.1")
    byes = sorted(it.pairing.entrants[0] for it in rounds[0] if it.pairing.is_bye)
    assert byes == list(range(1, 2 ** (count - 1).bit_length() - count + 1))
    assert standings(rules, field(count), rounds)[0].number == 1


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_losers_meet_the_same_rival_again_as_late_as_possible(size: int) -> None:
    """Two that met in neighbouring upper rounds meet again when the lower bracket has one slot."""
    count = size.bit_length() - 1
    places = {node.name: node for node in nodes(DOUBLE, size)}

    def path(slot: str) -> list[str]:
        found = [slot]
        for node in nodes(DOUBLE, size):
            if node.name.startswith("L") and any(
                source.kind == "winner" and source.slot == found[-1] for source in node.sources
            ):
                found.append(node.name)
        return found

    drops = {
        source.slot: path(node.name)
        for node in places.values()
        if node.name.startswith("L")
        for source in node.sources
        if source.kind == "loser"
    }
    for early in range(1, count):
        for late in range(early + 1, count + 1):
            for slot in (name for name in drops if name.startswith(f"W{early}.")):
                index = (int(slot.partition(".")[2]) - 1) >> (late - early)
                meeting = next(it for it in drops[slot] if it in drops[f"W{late}.{index + 1}"])
                level = int(meeting[1:].partition(".")[0])
                width = 2 ** (count - 1 - (level + 1) // 2)
                spare = (late - early) & -(late - early)  # the shared bits of the two moves
                assert width <= min(spare, 2 ** (count - late))


def test_no_pairing_of_the_lower_bracket_repeats_the_round_before() -> None:
    for seed in range(8):
        rounds = play(DOUBLE, field(64), seed=seed)
        seen: dict[frozenset[int], str] = {}
        for result in played_pairings(rounds):
            pair = frozenset(result.pairing.entrants)
            slot = result.pairing.slot
            if pair in seen and slot.startswith("L"):
                level = int(slot[1:].partition(".")[0])
                assert level >= 5  # two thirds of the lower bracket have left by then
            seen[pair] = slot


@examples(15)
@given(count=st.integers(2, 64), seed=st.integers(0, 10**6))
def test_tables_of_four_send_two_on(count: int, seed: int) -> None:
    rounds = play(TABLES, field(count), seed=seed)
    rows = standings(TABLES, field(count), rounds)
    assert sorted(row.number for row in rows) == list(range(1, count + 1))
    assert rounds[-1][0].pairing.slot == "F"
    final = rounds[-1][0].pairing.entrants
    assert {row.number for row in rows[: len(final)]} == set(final)
    assert [row.place for row in rows[: len(final)]] == list(range(1, len(final) + 1))
    assert plan(TABLES, field(count)).pairings == len(played_pairings(rounds))


def test_tables_of_four_are_seeded_as_usual() -> None:
    found = pair_round(TABLES, field(16), [], seed="x")
    assert found is not None
    assert sorted(it.entrants for it in found.pairings) == [
        (1, 8, 9, 16),
        (2, 7, 10, 15),
        (3, 6, 11, 14),
        (4, 5, 12, 13),
    ]
    first, second = bracket(TABLES, field(16), [])[4:6]
    assert [str(it) for it in first.sources] == [
        "winner of W1.1",
        "winner of W1.2",
        "place 2 of W1.1",
        "place 2 of W1.2",
    ]
    assert (second.name, second.entrants) == ("W2.2", (None,) * 4)


def test_third_place_is_played_in_the_round_of_the_final() -> None:
    rules = StageRules(format="single-elimination", third_place=True)
    rounds = play(rules, field(8))
    assert {it.pairing.slot for it in rounds[-1]} == {"F", "P3"}
    rows = standings(rules, field(8), rounds)
    assert [row.place for row in rows] == [1, 2, 3, 4, 5, 5, 5, 5]
    shared = standings(SINGLE, field(8), play(SINGLE, field(8)))
    assert [row.place for row in shared] == [1, 2, 3, 3, 5, 5, 5, 5]
    assert [row.decided_by for row in shared] == ["", "round", "round", "", "round", "", "", ""]


def test_absent_entrants_give_their_opponents_a_walkover() -> None:
    rounds = play(DOUBLE, field(8), rounds=1)
    found = pair_round(DOUBLE, field(8), rounds, seed="x", absent=[1, 8])
    assert found is not None
    alone = {it.slot: it.entrants for it in found.pairings if it.is_bye}
    assert len(alone) == 2  # one waits in the upper and one in the lower bracket
    rest = play(DOUBLE, field(8), absent=[1, 8])
    rows = standings(DOUBLE, field(8), rest)
    assert {row.number for row in rows[-2:]} == {1, 8}


def tied(sudden: tuple[int, ...] = (), goods: tuple[int, ...] = ()) -> PairingResult:
    half = Fraction(1, 2)
    extra = tuple(Fraction(it, 2) for it in sudden)
    return PairingResult(
        Pairing((7, 2), "F"),
        (half, half),
        sudden_points=extra,
        sudden_death=3 if sudden else 0,
        goods=goods,
    )


def test_a_tie_is_decided_by_the_first_criterion_that_differs() -> None:
    entrants = field(8)
    assert decide(SINGLE, entrants, [], tied()).decided_by == "seed"
    assert decide(SINGLE, entrants, [], tied()).winners == (2,)
    found = decide(SINGLE, entrants, [], tied((2, 0), (1, 9)))
    assert (found.winners, found.decided_by) == ((7,), "sudden-death")
    assert decide(SINGLE, entrants, [], tied(goods=(1, 9))).decided_by == "goods"
    earlier = PairingResult(Pairing((2, 7), "W1.1"), (Fraction(0), Fraction(1)))
    found = decide(DOUBLE, entrants, [[earlier]], tied(goods=(1, 9)))
    assert (found.winners, found.decided_by) == ((7,), "head-to-head")


def test_sudden_death_is_bounded() -> None:
    rules = StageRules(format="single-elimination", sudden_death_limit=2)
    pairing = Pairing((1, 2), "F")
    level = [GameResult((1, 2)), GameResult((2, 1))]
    assert needs_sudden_death(rules, score_pairing(rules, pairing, [level]))
    assert needs_sudden_death(rules, score_pairing(rules, pairing, [level], [level]))
    assert not needs_sudden_death(rules, score_pairing(rules, pairing, [level], [level] * 2))
    won = [GameResult((1, 2)), GameResult((1, 2))]
    assert not needs_sudden_death(rules, score_pairing(rules, pairing, [level], [won]))
    assert not needs_sudden_death(
        StageRules(format="swiss"), score_pairing(rules, pairing, [level])
    )


def test_a_void_pairing_sends_neither_on_and_an_award_the_other() -> None:
    first = play(SINGLE, field(4), rounds=1)
    pairing = first[0][0].pairing
    first[0][0] = ruling(SINGLE, pairing, "void", (), first[0][0])
    after = pair_round(SINGLE, field(4), first, seed="x")
    assert after is not None
    assert [it.is_bye for it in after.pairings] == [True]
    first[0][0] = ruling(SINGLE, pairing, "award", [pairing.entrants[0]], first[0][0])
    slot = bracket(SINGLE, field(4), first)[0]
    assert (slot.winners, slot.decided_by) == ((pairing.entrants[1],), "ruling")


def test_dependent_slots_are_those_that_can_be_reached() -> None:
    assert dependent_slots(SINGLE, 8, "W1.1") == {"W2.1", "F"}
    assert dependent_slots(SINGLE, 8, "W1.4") == {"W2.2", "F"}
    found = dependent_slots(DOUBLE, 8, "W2.1")
    assert {"W3.1", "F", "F2", "L3.1", "L4.1"} <= found
    assert not {it for it in found if it.startswith(("L1", "W1"))}
    assert dependent_slots(DOUBLE, 8, "L4.1") == {"F", "F2"}


def test_guests_take_no_place() -> None:
    entrants = [Entrant(1, 1, guest=True), *field(4)[1:]]
    rows = standings(SINGLE, entrants, play(SINGLE, entrants))
    assert rows[-1].number == 1
    assert rows[-1].place is None
    assert rows[0].place == 1


def test_every_pair_of_slots_has_its_own_name() -> None:
    for count, rules in ((64, DOUBLE), (37, SINGLE), (50, TABLES)):
        names = [node.name for node in nodes(rules, count)]
        assert len(set(names)) == len(names)
        assert all(one.round <= other.round for one, other in combinations(nodes(rules, count), 2))


def test_a_bracket_before_the_start_is_open() -> None:
    slots = bracket(DOUBLE, field(6), [])
    assert slots[0].entrants == (1, 0)
    assert {slot.name for slot in slots if slot.round == 1} == {"W1.1", "W1.2", "W1.3", "W1.4"}
    assert "F2" not in {slot.name for slot in slots}
