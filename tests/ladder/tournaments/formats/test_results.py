"""Points of pairings, byes and rulings, and the rules of stages."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.message_codes.message import Message
from damrak_ladder.tournaments.formats import (
    FORMATS,
    TIE_BREAKS,
    FormatError,
    GameResult,
    Pairing,
    RulesError,
    StageRules,
    bye,
    plan,
    ruling,
    score_pairing,
)
from ladder.tournaments.formats.events import field

TABLES = StageRules(format="swiss-tables", players=4)
SWISS = StageRules(format="swiss")
HALF = Fraction(1, 2)


@given(
    size=st.integers(2, 4),
    games=st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=1, max_size=9),
    points=st.sampled_from(["share", "match"]),
)
def test_shares_of_a_pairing_sum_to_half_its_entrants(
    size: int, games: list[list[int]], points: str
) -> None:
    rules = StageRules(format="swiss-tables", players=4, points=points)
    pairing = Pairing(tuple(range(1, size + 1)))
    result = score_pairing(rules, pairing, [[GameResult(tuple(it[:size]))] for it in games])
    assert sum(result.points) == Fraction(size, 2)
    assert all(0 <= it <= 1 for it in result.points)
    if points == "share":
        assert sum(result.first_places) == len(games)
    for at in range(size):
        for other in range(size):
            if at != other:
                assert result.share(at, other) + result.share(other, at) == 1


def test_a_table_counts_the_opponents_beaten() -> None:
    pairing = Pairing((5, 6, 7, 8))
    games = [GameResult((1, 2, 3, 4), (90, 70, 50, 30), (9, 0, 0, 3)), GameResult((1, 2, 2, 4))]
    result = score_pairing(TABLES, pairing, [games])
    assert result.points == (1, Fraction(7, 12), Fraction(5, 12), 0)
    assert (result.blocks, result.games) == (1, 2)
    assert result.first_places == (2, 0, 0, 0)
    assert result.game_points == (90, 70, 50, 30)
    assert result.goods == (9, 0, 0, 3)


def test_places_can_have_points_of_their_own() -> None:
    rules = StageRules(
        format="swiss-tables",
        players=4,
        points="places",
        place_points=(
            (Fraction(1), Fraction(0)),
            (Fraction(4), Fraction(1), Fraction(0)),
            (Fraction(5), Fraction(3), Fraction(1), Fraction(0)),
        ),
    )
    rules.validate(8)
    games = [GameResult((1, 2, 2, 4)), GameResult((4, 1, 2, 3))]
    assert score_pairing(rules, Pairing((1, 2, 3, 4)), [games]).points == (
        Fraction(5, 2),
        Fraction(7, 2),
        Fraction(5, 2),
        HALF,
    )
    three = score_pairing(rules, Pairing((1, 2, 3)), [[GameResult((1, 1, 3))]])
    assert three.points == (Fraction(5, 2), Fraction(5, 2), 0)


def test_byes_are_worth_one_for_two_and_a_half_at_tables() -> None:
    assert bye(SWISS, Pairing((1,))).points == (1,)
    assert bye(TABLES, Pairing((1,))).points == (HALF,)
    own = StageRules(format="swiss", bye_points=Fraction(1, 4))
    assert bye(own, Pairing((1,))).points == (Fraction(1, 4),)
    with pytest.raises(FormatError, match="a bye has one entrant"):
        bye(SWISS, Pairing((1, 2)))


def test_rulings() -> None:
    pairing = Pairing((1, 2, 3, 4))
    result = score_pairing(TABLES, pairing, [[GameResult((1, 2, 3, 4))]])
    award = ruling(TABLES, pairing, "award", [1], result)
    assert award.points == (0, 1, Fraction(2, 3), Fraction(1, 3))
    assert award.is_meeting
    forfeit = ruling(TABLES, pairing, "forfeit", [1, 2])
    assert forfeit.points == (0, 0, Fraction(5, 6), Fraction(5, 6))
    assert not forfeit.is_meeting
    void = ruling(TABLES, pairing, "void", [], result)
    assert void.points == (0, 0, 0, 0)
    assert not void.is_meeting
    two = ruling(SWISS, Pairing((1, 2)), "forfeit", [2])
    assert two.points == (1, 0)
    with pytest.raises(FormatError, match="against an entrant of another pairing"):
        ruling(SWISS, Pairing((1, 2)), "award", [3])
    with pytest.raises(FormatError, match="name the entrants that lose"):
        ruling(SWISS, Pairing((1, 2)), "award", [])
    with pytest.raises(FormatError, match="choose void, award or forfeit"):
        ruling(SWISS, Pairing((1, 2)), "replay", [1])


def test_pairings_without_games_have_no_result() -> None:
    with pytest.raises(FormatError, match="without games"):
        score_pairing(SWISS, Pairing((1, 2)), [])
    with pytest.raises(FormatError, match="3 places in a pairing of 2"):
        score_pairing(SWISS, Pairing((1, 2)), [[GameResult((1, 2, 3))]])


@pytest.mark.parametrize(
    ("rules", "entrants", "field_name", "message"),
    [
        ({"format": "bracket"}, 8, "format", codes.UnknownChoice("bracket", FORMATS)),
        (
            {"format": "swiss", "players": 4},
            8,
            "players",
            codes.ForTwoOnly("swiss", "swiss-tables"),
        ),
        ({"format": "swiss-tables"}, 8, "players", codes.ForTablesOnly("swiss-tables", "swiss")),
        (
            {"format": "double-elimination", "players": 4},
            8,
            "players",
            codes.ForTwoOnly("double-elimination", "single-elimination"),
        ),
        ({"format": "single-elimination", "players": 3}, 8, "players", codes.KnockoutTables()),
        ({"format": "single-elimination", "rounds": 3}, 8, "rounds", codes.KnockoutRounds()),
        ({"format": "swiss", "rounds": 0}, 8, "rounds", codes.WholeOutside(1, 1000)),
        ({"format": "swiss", "blocks": 5000}, 8, "blocks", codes.WholeOutside(1, 1000)),
        ({"format": "swiss", "groups": 2}, 8, "groups", codes.NoGroups("swiss")),
        ({"format": "groups", "groups": 5}, 8, "groups", codes.TooManyGroups(5, 8, 4)),
        ({"format": "swiss"}, 1, "entrants", codes.FieldSize(1, 2000)),
        (
            {"format": "gauntlet", "challengers": 8},
            8,
            "challengers",
            codes.TooManyChallengers(8, 8, 7),
        ),
        (
            {"format": "swiss", "tie_breaks": ("goods", "goods")},
            8,
            "tie_breaks",
            codes.ListedTwice(),
        ),
        (
            {"format": "swiss", "tie_breaks": ("luck",)},
            8,
            "tie_breaks",
            codes.UnknownChoice("luck", TIE_BREAKS),
        ),
        ({"format": "swiss", "points": "places"}, 8, "place_points", codes.PlacePoints(2)),
        (
            {"format": "swiss", "bye_points": Fraction(11)},
            8,
            "bye_points",
            codes.NumberOutside(0, 10),
        ),
    ],
)
def test_wrong_rules_name_the_field_and_the_fix(
    rules: dict[str, Any], entrants: int, field_name: str, message: Message
) -> None:
    with pytest.raises(RulesError) as caught:
        plan(StageRules(**rules), field(entrants))
    assert (caught.value.field, caught.value.message) == (field_name, message)
