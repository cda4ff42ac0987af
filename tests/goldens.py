"""The contents of the files under tests/golden/: games in full, and counts of histories.

`.ci/regen-golden` writes them, and a test compares them. They change only with the rules, a board
or the replay format.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from damrak_engine.boards import board_names, load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import CallDice, SeedDice
from damrak_engine.events import FAULTS, Event, event_to_json
from damrak_engine.options import parse_options
from damrak_engine.rules import rules_for
from damrak_engine.scoring import result
from damrak_engine.state import State

FOLDER = Path(__file__).parent / "golden"
PERFT = "perft.json"


@dataclass(frozen=True)
class Game:
    """A game to write to a file."""

    board: str
    seats: int
    number: int
    title: str = ""
    options: dict[str, str] = field(default_factory=dict)
    leavers: tuple[int, ...] = ()  # the steps at which the actor leaves

    @property
    def file(self) -> str:
        """The name of its file."""
        return "-".join([self.board, str(self.seats), *filter(None, [self.title])]) + ".txt"


def games() -> list[Game]:
    """Return every board with every number of seats, then games with leavers and other options."""
    plain = [
        Game(name, seats, seats)
        for name in board_names()
        for seats in range(load_board(name).players[0], load_board(name).players[1] + 1)
    ]
    return [
        *plain,
        Game("amsterdam", 4, 9, "leavers", leavers=(2, 40)),
        Game("amsterdam", 2, 5, "forfeit", leavers=(30,)),
        Game(
            "amsterdam",
            3,
            7,
            "options",
            {
                "reshuffle": "eager",
                "flush_guard": "once",
                "pass": "voluntary",
                "second_card": "optional",
                "equal_turns": "on",
                "initial_choice": "in_turn_order",
                "returned_order": "shuffled",
                "first_player": "seat 2",
                "final_tie": "seed draw",
            },
        ),
    ]


# ---- games in full ------------------------------------------------------------------------------


def transcript(game: Game) -> str:
    """Return the game line by line: header, decisions in words, events as JSON, result."""
    board = load_board(game.board)
    options = parse_options(dict(game.options))
    seed = hashlib.sha256(f"golden {game.number}".encode()).digest()
    digest = hashlib.sha256(_json(board.source).encode()).hexdigest()
    lines = [
        f"board {game.board} {digest}",
        f"seats {game.seats}",
        f"seed {seed.hex()}",
        f"options {_json(options.to_json())}",
        "",
    ]
    random, dice, log, told = Random(game.number), SeedDice(seed), list[Event](), 0
    state = new_game(rules_for(board, game.seats, options), dice, log)
    step = 0
    while not state.is_over:
        lines += [_json(event_to_json(event)) for event in log[told:]]
        told = len(log)
        if step in game.leavers:
            lines.append(f"> seat {state.actor}: leaves")
            state.leave(state.actor, FAULTS[step % len(FAULTS)], "as planned", dice)
        else:
            action = _choose(state, random)
            words = state.rules.space.describe(action)
            lines.append(f"> seat {state.actor}: {words} ({action})")
            state.apply(action, dice)
        step += 1
    lines += [_json(event_to_json(event)) for event in log[told:]]
    return "\n".join([*lines, "", _json(asdict(result(state, dice)))]) + "\n"


def _choose(state: State, random: Random) -> int:
    actions = state.legal_actions()
    return actions[int(random.random() * len(actions))]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


# ---- counts ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Position:
    """A position after a number of random steps of a game, and the depth of the count from it."""

    seats: int
    number: int
    steps: int
    depth: int
    options: dict[str, str] = field(default_factory=dict)


POSITIONS = [
    Position(2, 1, 0, 5),
    Position(2, 2, 20, 4),
    Position(2, 3, 45, 5),
    Position(3, 4, 0, 5),
    Position(3, 5, 30, 4),
    Position(3, 6, 75, 4),
    Position(4, 7, 0, 5),
    Position(4, 8, 40, 4),
    Position(4, 9, 100, 5),
    Position(3, 10, 12, 3, {"second_card": "optional", "pass": "voluntary"}),
    Position(3, 11, 40, 5, {"all_wild": "no", "double_open_from": "4 players"}),
]


def histories(state: State, depth: int, dice: CallDice) -> int:
    """Return the number of different sequences of `depth` decisions, with fixed dice."""
    if depth == 0:
        return 1
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    found = 0
    for action in actions:
        after = state.copy()
        after.apply(action, dice)
        found += histories(after, depth - 1, dice)
    return found


def counted(position: Position) -> dict[str, Any]:
    """Return the counts of a position, with all data required to find it again."""
    seed = hashlib.sha256(f"perft {position.number}".encode()).digest()
    random, dice = Random(position.number), SeedDice(seed)
    rules = rules_for(
        load_board("amsterdam"), position.seats, parse_options(dict(position.options))
    )
    state = new_game(rules, dice)
    for _ in range(position.steps):
        state.apply(_choose(state, random), dice)
    fixed = CallDice(lambda stream, n: (7 * stream + 11) % n)
    counts = [histories(state.copy(), depth, fixed) for depth in range(1, position.depth + 1)]
    return {
        "seats": position.seats,
        "options": position.options,
        "seed": seed.hex(),
        "random": position.number,
        "steps": position.steps,
        "counts": counts,
    }


def perft() -> str:
    """Return the file of counts, one position per line."""
    lines = [json.dumps(counted(position)) for position in POSITIONS]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def files() -> dict[str, str]:
    """Return every golden file by its name."""
    return {game.file: transcript(game) for game in games()} | {PERFT: perft()}
