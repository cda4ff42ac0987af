"""Benchmark of analyses: their cost, and the calibration of winning chances.

    python -m damrak_ladder.analyses.benchmark
    python -m damrak_ladder.analyses.benchmark --games 400 replays/*.json

The games are the reference policy's own, or those of the given replays: then the chances are tested
against the play of others.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event
from damrak_engine.options import DEFAULTS
from damrak_engine.replay import Played, Player, Replay, parse_replay, record
from damrak_engine.rules import rules_for
from damrak_engine.scoring import result
from damrak_ladder.analyses.analysis import analyse
from damrak_ladder.analyses.board_index import ground_of
from damrak_ladder.analyses.course import course_of
from damrak_ladder.analyses.policy import Policy
from damrak_ladder.analyses.rollouts import chance_of, play_on, wilson, worth_of

TRIES: Final = 200
MOMENTS: Final = 3  # per game
BINS: Final = 10
_PLAYED: Final = Played("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "bench", "bench")


def main(arguments: list[str] | None = None) -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(prog="python -m damrak_ladder.analyses.benchmark")
    parser.add_argument("replays", nargs="*", type=Path, help="replay files of other players")
    parser.add_argument("--games", type=int, default=150, help="own games for each size of table")
    parser.add_argument("--costly", type=int, default=3, help="games analysed to measure the cost")
    parser.add_argument("--board", default="amsterdam")
    args = parser.parse_args(arguments)
    say = sys.stdout.write
    groups = {
        f"{seats} seats": [_game(args.board, seats, number) for number in range(args.games)]
        for seats in (2, 3, 4)
    }
    if args.replays:
        groups = {"replays": [parse_replay(path.read_bytes()) for path in args.replays]}
    for name, replays in groups.items():
        for replay in replays[: args.costly]:
            began = time.process_time()
            found = analyse(replay, [replay.result])
            spent = time.process_time() - began
            positions = len(found["chances"]["moments"])
            tries = f"{found['chances']['tries']} and 2 x {found['luck']['tries']} tries"
            size = len(json.dumps(found))
            say(f"{name}: {spent:5.1f} s CPU, {positions} positions, {tries}, {size} bytes\n")
        say(f"\n{name}: {len(replays)} games, {MOMENTS} moments of each, {TRIES} tries\n")
        say(calibration([pair for replay in replays for pair in pairs_of(replay)]) + "\n")


def pairs_of(replay: Replay) -> Iterator[tuple[float, float]]:
    """Yield the predicted and actual share of one random seat at random moments of a match."""
    chance = random.Random(replay.hash)  # noqa: S311
    steps = course_of(replay)[:-1]
    came = worth_of(replay.result)
    for step in chance.sample(steps, min(MOMENTS, len(steps))):
        seat = chance.randrange(len(replay.seats))
        shares = [
            play_on(step.state.copy(), chance_of(replay.hash, number)).shares[seat]
            for number in range(TRIES)
        ]
        yield sum(shares) / TRIES, came.shares[seat]


def calibration(pairs: list[tuple[float, float]]) -> str:
    """Return a table of predicted chances, their frequency, and the share that was won."""
    lines = ["chance        cases  mean  won (95 %)"]
    for bin_ in range(BINS):
        low, high = bin_ / BINS, (bin_ + 1) / BINS
        held = [pair for pair in pairs if low <= pair[0] < high or pair[0] == high == 1]
        if held:
            mean = sum(chance for chance, _ in held) / len(held)
            won = wilson(sum(share for _, share in held) / len(held), len(held))
            span = f"{won.low:.2f} to {won.high:.2f}"
            lines.append(
                f"{low:.1f} to {high:.1f}  {len(held):6d}  {mean:.2f}  {won.value:.2f} ({span})"
            )
    brier = sum((chance - share) ** 2 for chance, share in pairs) / len(pairs)
    base = sum(share for _, share in pairs) / len(pairs)
    guess = sum((base - share) ** 2 for _, share in pairs) / len(pairs)
    lines.append(f"Brier score {brier:.3f}; {guess:.3f} for always the same chance")
    return "\n".join(lines) + "\n"


def _game(board: str, seats: int, number: int) -> Replay:
    """Return a game of the reference policy against itself, as a replay."""
    seed = random.Random(f"{board}/{seats}/{number}").randbytes(32)  # noqa: S311
    dice = SeedDice(seed)
    log: list[Event] = []
    played = load_board(board)
    rules = rules_for(played, seats, DEFAULTS)
    state = new_game(rules, dice, log)
    policy = Policy(ground_of(rules))
    while not state.is_over:
        state.apply(policy.choose(state), dice)
    return record(
        board=played,
        options=DEFAULTS,
        seats=tuple(Player(f"policy-{seat}", "1", "bench") for seat in range(seats)),
        seed=seed,
        events=log,
        result=result(state, dice),
        played=_PLAYED,
    )


if __name__ == "__main__":
    main()
