"""The statistical value of a mirrored block, measured in recorded real games.

`mirror.json` contains, for pairs of bots, the frequency of each result of the two games of a block:
the first bot's score when it began, and when the other one did, each 0, 0.5 or 1. They were played
by tests/ladder/play_mirrors.py. A test replays the first ones of each pair (`first`), which ensures
that the record belongs to these bots and these rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def mirror_variance() -> dict[str, float]:
    """Return each pair's variance of a mirrored block, divided by that of two independent games."""
    text = files("damrak_ladder.simulation").joinpath("mirror.json").read_text("utf-8")
    recorded: dict[str, Any] = json.loads(text)
    return {pair: round(ratio(one["blocks"]), 4) for pair, one in recorded["pairs"].items()}


def ratio(blocks: Mapping[str, int]) -> float:
    """Return the ratio for one pair.

    `blocks` counts blocks by scores, as in {"1 0": 57, "1 0.5": 3}.
    The two games of a block differ in the first player, so their variances are taken separately:
    the effect of changing seats is not credited to the common seed.
    """
    played = sum(blocks.values())
    scores = {tuple(float(part) for part in key.split()): n for key, n in blocks.items()}
    means = [sum(pair[game] * n for pair, n in scores.items()) / played for game in (0, 1)]

    def moment(a: int, b: int) -> float:
        return sum((p[a] - means[a]) * (p[b] - means[b]) * n for p, n in scores.items()) / played

    alone = moment(0, 0) + moment(1, 1)
    return (alone + 2 * moment(0, 1)) / alone if alone else 1.0
