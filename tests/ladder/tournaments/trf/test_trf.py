"""TRF files: parsing what comes from anywhere, and writing."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import (
    Entrant,
    Pairing,
    PairingResult,
    StageRules,
    standings,
)
from damrak_ladder.tournaments.trf import TrfError, ascii_name, from_rounds, parse, write
from ladder.tournaments.formats.events import at_random, play
from samples import examples

FILES = sorted((Path(__file__).parents[1] / "formats" / "bbppairings").glob("*.trf"))
HALF = Fraction(1, 2)


def line(rank: int, *cells: str, name: str = "Bot", points: str = "0.0") -> str:
    head = f"001 {rank:>4}      {name:<33} {'':>4}{'':28}{points:>4} {rank:>4}"
    return head + "".join(f"  {cell:<8}" for cell in cells)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_written_files_hold_what_was_read(path: Path) -> None:
    found = parse(path.read_bytes())
    again = parse(write(found))
    assert again.players == found.players
    assert again.results() == found.results()
    for player in found.players:
        mine = [
            it.points[it.pairing.entrants.index(player.rank)]
            for results in found.results()
            for it in results
            if player.rank in it.pairing.entrants
        ]
        assert sum(mine) == player.points


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_all_line_ends_are_read(end: str) -> None:
    text = FILES[0].read_text("ascii")
    assert parse(text.replace("\n", end).encode()) == parse(text)


def test_codes_of_results() -> None:
    text = "\n".join(
        [
            "012 Cup",
            "XXR 9",
            "XXP 1 4",
            line(1, "   2 w 1", "   3 b +", "0000 - H", "0000 - Z"),
            line(2, "   1 b 0", "0000 - U", "   3 w =", ""),
            line(3, "0000 - F", "   1 w -", "   2 b =", ""),
            line(4, "", "0000 -  ", "", ""),
        ]
    )
    found = parse(text)
    assert (found.name, found.rounds, found.forbidden, found.played) == ("Cup", 9, ((1, 4),), 3)
    first, second, third = found.results()
    assert first == [
        PairingResult(Pairing((1, 2)), (Fraction(1), Fraction(0))),
        PairingResult(Pairing((3,)), (Fraction(1),), blocks=0),
    ]
    assert second[0].ruled == "forfeit"
    assert not second[0].is_meeting
    assert third[0] == PairingResult(Pairing((1,)), (HALF,), blocks=0, ruled="absence")
    assert found.absent(4) == (1,)
    assert found.present(3) == (2, 3)


def test_our_tournaments_are_written() -> None:
    entrants = [Entrant(10 * at, at, rating=1500.4) for at in range(1, 6)]
    rules = StageRules(format="swiss", rounds=3)
    rounds = play(rules, entrants, score=at_random(Random(1)))
    places = [row.number for row in standings(rules, entrants, rounds)]
    names = [(it, f"Ångström-ødd {it.number}") for it in entrants]
    text = write(from_rounds("Évening cup", names, rounds, places=places, total_rounds=3))
    assert text.isascii()
    assert "012 Evening cup" in text
    found = parse(text)
    assert found.players[0].name == "Angstrom-odd 10"
    assert found.players[0].rating == 1500
    assert found.played == 3
    points = {row.number: row.points for row in standings(rules, entrants, rounds)}
    assert [it.points for it in found.players] == [points[10 * it.rank] for it in found.players]
    with pytest.raises(TrfError, match="export JSON for tables"):
        from_rounds("x", names, [[PairingResult(Pairing((10, 20, 30)), (HALF,) * 3)]])


@given(st.text(max_size=60))
def test_names_are_printable_ascii_of_33_columns(name: str) -> None:
    plain = ascii_name(name)
    assert plain.isascii()
    assert plain.isprintable()
    assert 1 <= len(plain) <= 33
    assert parse(write(parse(line(1, name=plain)))).players[0].name == plain


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("012 Cup", "no line begins with 001"),
        (line(1) + "\n" + line(1), "line 2: start rank 1 is that of line 1 too"),
        (line(1).replace("   1 ", "   x ", 1), "line 1: the start rank (columns 5-8) is 'x'"),
        (line(1, "   7 w 1"), "line 1, round 1: there is no opponent with start rank 7"),
        (line(1, "   1 w 1"), "there is no opponent with start rank 1"),
        (line(1, "   2 w 1") + "\n" + line(2), "the opponent 2 has another pairing in line 2"),
        (
            line(1, "   2 w 1") + "\n" + line(2, "   1 b 1"),
            "the result 1 does not fit 1 in line 2",
        ),
        (line(1, "   2 w ?"), "round 1 (columns 92-99): the result is '?'; write one of"),
        (line(1, "0000 - 1"), "the result is '1'; write one of H F U Z"),
        (line(1, "  ab w 1"), "the opponent is 'ab'"),
        (line(1, "   2-w 1"), "does not fit; write it like"),
        (line(1, points="x.5"), "the points (columns 81-84) are 'x.5'"),
        (line(1) + "\nXXP 1 9", "line 2: there is no player with start rank 9"),
        (line(1) + "\nXXP 1", "line 2: XXP names two different players"),
        (line(1) + "\nXXR many", "the number of rounds is 'many'"),
    ],
)
def test_errors_name_the_line_and_the_fix(text: str, problem: str) -> None:
    with pytest.raises(TrfError) as caught:
        parse(text)
    assert problem in str(caught.value)


@examples(150)
@given(st.data())
def test_damaged_files_are_read_or_refused(data: st.DataObject) -> None:
    text = bytearray(FILES[0].read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(st.integers(0, 255))
    with suppress(TrfError):
        found = parse(bytes(text))
        standings(StageRules(format="swiss"), found.entrants(), found.results())


def test_huge_files_are_refused() -> None:
    with pytest.raises(TrfError, match="a TRF has at most"):
        parse(b"0" * 8_000_001)
