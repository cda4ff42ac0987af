"""Files for the command that pairs a round."""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import FormatError
from damrak_ladder.tournaments.trf import TrfError
from damrak_ladder.tournaments.trf.pairing_file import read


def document(**more: Any) -> bytes:
    return json.dumps({"entrants": 6, "rounds": 4} | more).encode()


def test_a_document_is_paired() -> None:
    file = read(
        document(
            played=[
                [
                    {"entrants": [1, 4], "points": [1, 0]},
                    {"entrants": [2, 5], "points": ["1/2", 0.5]},
                    {"entrants": [3]},
                ]
            ],
            absent=[6],
            forbidden=[[1, 2]],
            seed=7,
        )
    )
    assert [it.points for it in file.played[0]] == [
        (1, 0),
        (Fraction(1, 2), Fraction(1, 2)),
        (1,),
    ]
    found = file.pair()
    assert found is not None
    assert sorted(n for it in found.pairings for n in it.entrants) == [1, 2, 3, 4, 5]
    assert found.seed == "7"
    assert (1, 2) not in [it.entrants for it in found.pairings]


def test_entrants_can_have_owners_and_ratings() -> None:
    entrants = [{"rank": at, "owner": "a" if at < 3 else f"o{at}", "rating": 10.5} for at in (1, 2)]
    entrants += [{"rank": 7, "name": "Bot"}, {"rank": 9, "guest": True}]
    file = read(document(entrants=entrants, players=4))
    assert file.rules.format == "swiss-tables"
    assert [it.number for it in file.entrants] == [1, 2, 7, 9]
    assert file.entrants[0].owner == file.entrants[1].owner
    assert file.entrants[3].guest


def test_rules_are_read() -> None:
    file = read(
        document(
            format="swiss-tables",
            players=3,
            bye_points="1/2",
            tie_breaks=["goods"],
            points="places",
            place_points=[[1, 0], [2, 1, 0]],
            table_preference="score-groups",
        )
    )
    assert file.rules.bye_points == Fraction(1, 2)
    assert file.rules.place_points == ((1, 0), (2, 1, 0))


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"round": 3}, "'round': unknown; the keys are absent, entrants"),
        ({"entrants": 1}, "entrants: write a number from 2 to 2000"),
        ({"entrants": "many"}, "entrants: write a list"),
        ({"entrants": [{"rank": 1}, {"rank": 1}]}, "a rank occurs twice"),
        ({"entrants": [{"elo": 5}, {}]}, "entry 1 may have name and"),
        ({"rounds": "4"}, "rounds: write a whole number, not '4'"),
        ({"double": 1}, "double: write true or false"),
        ({"absent": [7]}, "absent: there is no entrant 7"),
        ({"forbidden": [1, 2]}, "forbidden: write a list"),
        ({"played": [[{"entrants": [1, 2]}]]}, "played, round 1, pairing 1, points: write a list"),
        ({"played": [[{"points": [1]}]]}, 'write {"entrants": [1, 2], "points": [1, 0]}'),
        ({"played": [[{"entrants": [1, 2], "points": [1]}]]}, "2 entrants, 1 points"),
        ({"played": [[{"entrants": [1, 2], "points": [1, "x"]}]]}, "'x' are no points"),
        ({"played": [[{"entrants": [1, 2], "points": [1, 1e300]}]]}, "are no points"),
        ({"played": [[{"entrants": [1]}, {"entrants": [1]}]]}, "paired twice"),
        ({"seed": [1]}, "seed: write a text or a number"),
    ],
)
def test_errors_name_the_place_and_the_fix(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(TrfError) as caught:
        read(document(**more))
    assert problem in str(caught.value)


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(TrfError, match="line 2: not JSON"):
        read(b'{"entrants": 4,\n oops}')
    with pytest.raises(TrfError, match="not UTF-8"):
        read(b'{"\xff": 4}')
    with pytest.raises(TrfError, match=r"nested too deeply|not JSON"):
        read(b'{"a":' + b"[" * 100_000)
    with pytest.raises(FormatError, match="rounds: WholeOutside"):
        read(document(rounds=0))
    with pytest.raises(TrfError, match="0 played rounds, not 3"):
        read(document(), until=3)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises((TrfError, FormatError)):
        read(data)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda it: (
            st.lists(it, max_size=3)
            | st.dictionaries(
                st.sampled_from(["rank", "entrants", "points", "owner"]), it, max_size=3
            )
        ),
        max_leaves=8,
    ),
    st.sampled_from(
        ["entrants", "played", "absent", "forbidden", "manual", "seed", "players", "place_points"]
    ),
)
def test_arbitrary_values_are_read_or_refused(value: Any, key: str) -> None:
    with suppress(TrfError, FormatError):
        read(json.dumps({"entrants": 4} | {key: value}).encode())
