"""A series plays its plan on any number of processes, and adds the games up without loss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from damrak.errors import BotFileError
from damrak.series import SeriesPlan, play_series
from damrak.specs import parse_spec
from damrak.standing import Block, Game, Standing, unique_names
from damrak_engine.errors import OptionsError
from damrak_engine.options import Options
from damrak_engine.replay import parse_replay
from damrak_engine.verify import verify

RANDOM, GREEDY = parse_spec("random"), parse_spec("greedy")


def timeless(blocks: list[Block]) -> list[Block]:
    """Return the blocks without machine-dependent values."""
    return [
        replace(block, games=tuple(replace(game, seconds=()) for game in block.games))
        for block in blocks
    ]


@pytest.mark.process
def test_the_number_of_processes_changes_no_game() -> None:
    plan = SeriesPlan(bots=(RANDOM, GREEDY), blocks=12, seed="seven")
    here = timeless(list(play_series(plan)))
    assert timeless(list(play_series(plan, 1))) == here
    assert timeless(list(play_series(plan, 3))) == here


def test_another_seed_gives_other_games() -> None:
    plan = SeriesPlan(bots=(RANDOM, GREEDY), blocks=2)
    other = timeless(list(play_series(replace(plan, seed="another"))))
    assert timeless(list(play_series(plan))) != other


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_mirrored_block_everyone_sits_everywhere_once_on_one_seed(seats: int) -> None:
    plan = SeriesPlan(bots=(RANDOM,) * seats, blocks=3)
    seatings = plan.seatings(1)
    assert sorted(seatings) == sorted({tuple(seating) for seating in seatings})
    for seat in range(seats):
        assert {seating[seat] for seating in seatings} == set(range(seats))
    assert len({plan.game(1, seating).seed for seating in seatings}) == 1
    assert plan.game(0, seatings[0]).seed != plan.game(1, seatings[0]).seed
    assert plan.games == 3 * seats


def test_not_mirrored_every_game_has_its_seed_and_bots_still_change_seats() -> None:
    plan = SeriesPlan(bots=(RANDOM, GREEDY), blocks=4, is_mirrored=False)
    assert [plan.seatings(block) for block in range(3)] == [[(0, 1)], [(1, 0)], [(0, 1)]]
    assert plan.games == 4
    blocks = list(play_series(plan))
    assert [len(block.games) for block in blocks] == [1, 1, 1, 1]


def test_results_follow_the_bots_and_not_the_seats(tmp_path: Path) -> None:
    plan = SeriesPlan(bots=(GREEDY, RANDOM, RANDOM), blocks=2, save=tmp_path)
    blocks = list(play_series(plan))
    for block in blocks:
        for number, (seating, game) in enumerate(
            zip(plan.seatings(block.index), block.games, strict=True)
        ):
            data = (tmp_path / f"{block.index:06}-{number}.json").read_bytes()
            verify(data)
            result = parse_replay(data).result
            for seat, bot in enumerate(seating):
                assert game.totals[bot] == result.seats[seat].total
                assert game.places[bot] == result.seats[seat].place


@pytest.mark.process
def test_stopping_early_leaves_the_files_of_counted_games_only(tmp_path: Path) -> None:
    plan = SeriesPlan(bots=(RANDOM, RANDOM), blocks=10_000, save=tmp_path)
    blocks = play_series(plan, 2)
    for _ in range(3):
        next(blocks)
    blocks.close()
    kept = [f"{block:06}-{game}.json" for block in range(3) for game in range(2)]
    assert sorted(path.name for path in tmp_path.iterdir()) == kept


def test_first_player_rotates_from_block_to_block() -> None:
    plan = SeriesPlan(
        bots=(RANDOM, RANDOM, RANDOM), blocks=4, options=Options(first_player="rotate")
    )
    assert [plan.game(block, (0, 1, 2)).first for block in range(4)] == [0, 1, 2, 0]
    list(play_series(replace(plan, blocks=1)))


@pytest.mark.process
def test_a_plan_that_cannot_be_played_is_refused_before_the_first_game(tmp_path: Path) -> None:
    plan = SeriesPlan(bots=(RANDOM, RANDOM), blocks=1, options=Options(first_player="seat 2"))
    with pytest.raises(OptionsError, match="no seat 2"):
        play_series(plan)
    file = tmp_path / "nothing.py"
    file.write_text("x = 1\n")
    with pytest.raises(BotFileError, match="no class"):
        play_series(SeriesPlan(bots=(parse_spec(str(file)), RANDOM), blocks=1))


@pytest.mark.process
def test_a_bot_that_fails_is_counted_and_leaves_a_bundle(tmp_path: Path) -> None:
    file = tmp_path / "clumsy.py"
    file.write_text("from damrak import Bot\n\nclass Clumsy(Bot):\n    pass\n")
    bundles = tmp_path / "bundles"
    plan = SeriesPlan(bots=(parse_spec(str(file)), RANDOM), blocks=3, bundles=bundles)
    standing = Standing(plan.names)
    for block in play_series(plan):
        standing.add(block)
    assert standing.tallies[0].faults == {"crash": 6}
    assert standing.tallies[1].wins == 6
    assert standing.ends == {"forfeit": 6}
    written = [failure.bundle for failure in standing.failures]
    assert written[3:] == [None] * 3
    assert sorted(path.name for path in bundles.iterdir()) == [
        "clumsy-crash-000000-0.json",
        "clumsy-crash-000000-1.json",
        "clumsy-crash-000001-0.json",
    ]


def test_equal_names_are_disambiguated() -> None:
    assert unique_names(["a", "b", "a", "a"]) == ["a", "b", "a#2", "a#3"]


def _places(seats: int) -> st.SearchStrategy[tuple[int, ...]]:
    totals = st.lists(st.integers(0, 3), min_size=seats, max_size=seats)
    return totals.map(lambda it: tuple(1 + sum(other > own for other in it) for own in it))


def _game(places: tuple[int, ...]) -> Game:
    points = tuple(10 - place for place in places)
    return Game(places, points, points, points, points, (0.0,) * len(places), "carts")


@given(
    st.integers(2, 4).flatmap(
        lambda seats: st.lists(
            st.lists(_places(seats), min_size=seats, max_size=seats), min_size=1, max_size=8
        )
    )
)
def test_a_standing_is_consistent(played: list[list[tuple[int, ...]]]) -> None:
    seats = len(played[0][0])
    standing = Standing(["bot"] * seats)
    for index, games in enumerate(played):
        standing.add(Block(index, tuple(_game(places) for places in games)))
    games_played = len(played) * seats
    assert standing.games == games_played
    assert standing.blocks == len(played)
    for tally in standing.tallies:
        assert tally.games == tally.places.total() == games_played
        assert tally.places[1] == tally.wins + tally.shared
        assert tally.block_scores.total() == len(played)
    assert sum(tally.wins for tally in standing.tallies) <= games_played
    assert sum(standing.score(bot) for bot in range(seats)) == pytest.approx(seats / 2)
