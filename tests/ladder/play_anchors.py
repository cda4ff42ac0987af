"""Measures how strong the house bots are, for the anchors of the two usual ladders.

    python tests/ladder/play_anchors.py amsterdam|daily [BLOCKS]

Plays so many mirrored blocks of each table of house bots, fits them with the ladder's own ratings,
`planner` being 1500, and prints Elo with 95 % intervals: of all, and by size of table.
"""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from damrak.bots import house_bot
from damrak.testing import play_match
from damrak_engine.board import Board, parse_board
from damrak_engine.boards import load_board
from damrak_engine.generator import generate
from damrak_engine.options import parse_options
from damrak_ladder.ratings import Block, Game, History, Ratings, Scale, rate, rate_by_seats

BOTS: Final = ("random", "greedy", "planner", "mcts:iterations=20", "planner")
ANCHOR: Final = BOTS.index("planner")
SLOW: Final = BOTS.index("mcts:iterations=20")
SECOND: Final = 4
"""Another `planner`, rated by itself: it fills tables of four as well as the slow bot does."""

QUICK_TABLES: Final = {
    2: ((0, 1), (0, 2), (1, 2)),
    3: ((0, 1, 2),),
    4: ((0, 1, 2, SECOND),),
}
SLOW_TABLE: Final = (0, 1, 2, SLOW)
SLOW_SHARE: Final = 200
DAILY: Final = 24
SEVERAL_BOARDS: Final = 20
BEGINS: Final = parse_options({"first_player": "seat 0"})


def block(table: Sequence[int], board: Board, seed: int) -> Block:
    """All rotations of a table."""
    games = []
    for shift in range(len(table)):
        order = [(shift + seat) % len(table) for seat in range(len(table))]  # who sits where
        bots = [house_bot(BOTS[table[player]]) for player in order]
        came = play_match(bots, seed=seed, board=board, options=BEGINS).seats
        turns, places = [0] * len(table), [0] * len(table)
        for seat, player in enumerate(order):
            turns[player], places[player] = seat, came[seat].place
        games.append(Game(tuple(turns), tuple(places)))
    return Block(tuple(table), tuple(games))


def boards(ladder: str) -> list[Board]:
    """What is played on."""
    if ladder == "amsterdam":
        return [load_board("amsterdam")]
    return [parse_board(generate(seed, DAILY)) for seed in range(SEVERAL_BOARDS)]


def blocks(ladder: str, number: int) -> Iterator[Block]:
    """So many of each table of quick bots, and some with the slow one."""
    pool = boards(ladder)
    tables = [
        (table, number)
        for size in ((2,) if ladder == "amsterdam" else (2, 3, 4))
        for table in QUICK_TABLES[size]
    ]
    if ladder != "amsterdam":
        tables.append((SLOW_TABLE, number // SLOW_SHARE))
    for table, count in tables:
        for nth in range(count):
            digest = hashlib.sha256(f"damrak-anchors/{ladder}/{table}/{nth}".encode())
            seed = int.from_bytes(digest.digest())
            yield block(table, pool[nth % len(pool)], seed)
        sys.stderr.write(f"{' '.join(BOTS[bot] for bot in table)}\n")


def tell(title: str, found: Ratings) -> None:
    """Print them."""
    sys.stdout.write(f"{title}\n")
    for bot, name in enumerate(BOTS):
        interval = f"{found.low[bot]:8.0f} … {found.high[bot]:.0f}"
        sys.stdout.write(f"  {name:20} {found.elo[bot]:8.0f} {interval}\n")


def main() -> None:
    """Play, fit, print."""
    ladder = sys.argv[1]
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    history = History.of(list(blocks(ladder, number)))
    scale = Scale(anchors={ANCHOR: 1500.0})
    tell("all", rate(history, len(BOTS), scale))
    for size, found in rate_by_seats(history, len(BOTS), scale).items():
        tell(f"{size} seats", found)


if __name__ == "__main__":
    main()
