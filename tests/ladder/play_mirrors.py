"""Plays the mirrored blocks that `damrak-ladder simulate` reports, and records them.

    python tests/ladder/play_mirrors.py [BLOCKS] > mirror.json
    mv mirror.json ladder/damrak_ladder/simulation/

takes two minutes. Pairs range from two copies of one bot to bots that have little in common. A
changed `planner` is the house bot with other constants.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from unittest.mock import patch

from damrak.bot import Bot
from damrak.bots import planner
from damrak.bots.greedy import GreedyBot
from damrak.bots.planner import PlannerBot
from damrak.bots.random_ import RandomBot
from damrak.testing import play_match
from damrak.view import View
from damrak_engine.options import parse_options

BEGINS = parse_options({"first_player": "seat 0"})
"""Seat 0 always begins, so that a block is one seed played with either player first."""

FIRST = 8
"""The number of blocks that are recorded individually, so that a test can replay them."""


def changed(**constants: float) -> type[PlannerBot]:
    """Return the planner with other constants."""

    class Changed(PlannerBot):
        def choose(self, view: View) -> int:
            with patch.multiple(planner, **constants):
                return super().choose(view)

    return Changed


PAIRS: Mapping[str, tuple[Callable[[], Bot], Callable[[], Bot]]] = {
    "planner, its copy": (PlannerBot, PlannerBot),
    "planner, one a little less patient": (PlannerBot, changed(OPTIMISM=1.4)),
    "planner, one a little less for goods": (PlannerBot, changed(GOODS=0.35)),
    "planner, one without goods": (PlannerBot, changed(GOODS=0.0)),
    "planner, one with a short opening": (PlannerBot, changed(SETUP_TURNS=6)),
    "planner, one that collects": (PlannerBot, changed(COLLECT=12, SPENT=0.0)),
    "planner, one that hurries": (PlannerBot, changed(OPTIMISM=0.6)),
    "a hurried planner, one for goods": (changed(OPTIMISM=0.6), changed(GOODS=3.0)),
    "planner for goods, one without contracts": (changed(GOODS=3.0), changed(SHARE=0.0)),
    "planner, greedy": (PlannerBot, GreedyBot),
    "greedy, random": (GreedyBot, RandomBot),
}


def block(pair: str, number: int) -> str:
    """Return the first bot's scores in a block: when it began, and when it did not."""
    one, other = PAIRS[pair]
    digest = hashlib.sha256(f"damrak-mirror/{pair}/{number}".encode()).digest()
    seed = int.from_bytes(digest)
    began = play_match((one(), other()), seed=seed, options=BEGINS)
    waited = play_match((other(), one()), seed=seed, options=BEGINS)
    scores = [_score(began.seats[0].place, began.seats[1].place)]
    scores.append(_score(waited.seats[1].place, waited.seats[0].place))
    return " ".join(f"{score:g}" for score in scores)


def _score(own: int, other: int) -> float:
    return 1.0 if own < other else 0.5 if own == other else 0.0


def main() -> None:
    """Play, and write JSON to stdout."""
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    pairs = {}
    for pair in PAIRS:
        sys.stderr.write(f"{pair}\n")
        ended = [block(pair, number) for number in range(blocks)]
        pairs[pair] = {"first": ended[:FIRST], "blocks": dict(sorted(Counter(ended).items()))}
    sys.stdout.write(json.dumps({"board": "amsterdam", "pairs": pairs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
