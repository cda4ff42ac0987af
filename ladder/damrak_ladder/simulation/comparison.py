"""Comparison of our rating with others, which learn from and predict the same games."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from damrak_ladder.ratings import History, Ratings, Scale, Tables, rate
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, NORMAL_975, Booleans, Floats
from damrak_ladder.simulation import open_skill
from damrak_ladder.simulation.peers import Elo, Glicko2, Peer
from damrak_ladder.simulation.season import joined
from damrak_ladder.simulation.side_by_side import Progress, Run
from damrak_ladder.simulation.trueskill import TrueSkill
from damrak_ladder.simulation.world import World

HELD_OUT: Final = 10  # one block in this many is held out for prediction
_FORETOLD: Final = 2000  # minimum of predicted blocks; simulated repeats fill the rest
_REPEATS: Final = 19  # minimum number of repeats; more up to this total of blocks,
_REPEATED_OVER: Final = 1_000_000
_MOST_REPEATS: Final = 119  # but not more than this
_LEAST: Final = 1e-6  # limit of the certainty of a prediction


@dataclass(frozen=True, slots=True)
class Score:
    """The quality of a rating."""

    # For each pair of players at the held-out tables; a shared place counts one half.
    log_loss: float
    coverage95: float | None  # the share of bots whose 95 % interval contains the truth


@dataclass(frozen=True, slots=True)
class Contest:
    """A season that ratings learn from, and its players."""

    world: World
    scale: Scale
    rounds: Sequence[History]


def peers() -> dict[str, Callable[[int], Peer]]:
    """Return the other ratings, by name; openskill only if it is installed."""
    found: dict[str, Callable[[int], Peer]] = {
        "trueskill": TrueSkill,
        "glicko2": Glicko2,
        "elo K=8": partial(Elo, k=8.0),
        "elo K=24": partial(Elo, k=24.0),
    }
    if open_skill.is_installed():
        found = {"openskill": open_skill.OpenSkill, **found}
    return found


def compare(
    contests: Sequence[Contest],
    seed: int,
    run: Run = map,
    progress: Progress = lambda done, of: None,
) -> Mapping[str, Score]:
    """Return the score of each rating.

    A rating learns from nine blocks in ten, in the order played, and predicts the tenth. All
    contests have equal weight: each has its own bots and games.
    """
    found: dict[str, list[Score]] = {}
    pieces = [(contest, [seed, 6, at], len(contests)) for at, contest in enumerate(contests)]
    progress(0, len(pieces))
    for number, scores in enumerate(run(_scores, pieces)):
        progress(number + 1, len(pieces))
        for name, score in scores.items():
            found.setdefault(name, []).append(score)
    return {name: _mean(scores) for name, scores in found.items()}


def _mean(scores: Sequence[Score]) -> Score:
    inside = [score.coverage95 for score in scores if score.coverage95 is not None]
    loss = float(np.mean([score.log_loss for score in scores]))
    return Score(loss, float(np.mean(inside)) if inside else None)


def _scores(piece: tuple[Contest, list[int], int]) -> dict[str, Score]:
    contest, seed, contests = piece
    rng = np.random.default_rng(seed)
    world, scale = contest.world, contest.scale
    split = [_split(one, rng) for one in contest.rounds]
    shown = [learn for learn, _ in split]
    hidden = _enough(contest, joined([held for _, held in split]), rng)
    is_free = np.ones(len(world), dtype=bool)
    is_free[list(scale.anchors)] = False
    ours = rate(joined(shown), len(world), scale)
    coverage = _repeated_coverage(world, ours, joined(shown), is_free, rng, contests)
    scores = {"damrak": Score(_loss(hidden, partial(_ours, ours)), coverage)}
    for name, make in peers().items():
        peer = make(len(world))
        for news in shown:
            peer.learn(news)
        known = _coverage(world.elo, peer.strengths, peer.errors, is_free)
        scores[name] = Score(_loss(hidden, partial(_peers, peer)), known)
    return scores


def _enough(contest: Contest, hidden: History, rng: np.random.Generator) -> History:
    """Return these blocks and simulated repeats of tables of the season.

    Few predicted blocks would measure chance rather than ratings.
    """
    lacking = max(0, _FORETOLD - len(hidden))
    season = joined(contest.rounds)
    tables = {}
    for seats, table in season.tables.items():
        drawn = rng.integers(0, len(table), -(-lacking * len(table) // len(season)))
        tables[seats] = table.players[drawn]
    return joined([hidden, contest.world.play(tables, rng)])


def _repeated_coverage(
    world: World,
    ours: Ratings,
    shown: History,
    free: Booleans,
    rng: np.random.Generator,
    contests: int,
) -> float:
    """Return the coverage of our intervals, over these games and simulated repeats of them.

    All intervals of a ladder depend on the same few anchors, so they are right or wrong together:
    one ladder alone would not be conclusive.
    """
    tables = {seats: table.players for seats, table in shown.tables.items()}
    shares = [_share(_contains(ours, world.elo), free)]
    wanted = min(_MOST_REPEATS, _REPEATED_OVER // max(1, len(shown)))
    for _ in range(max(_REPEATS, wanted) // contests):
        again = rate(world.play(tables, rng), len(world), ours.scale, ours)
        shares.append(_share(_contains(again, world.elo), free))
    return float(np.mean(shares))


def _contains(ratings: Ratings, elo: Floats) -> Booleans:
    return np.asarray((ratings.low <= elo) & (elo <= ratings.high))


def _split(news: History, rng: np.random.Generator) -> tuple[History, History]:
    learn, held = {}, {}
    for seats, table in news.tables.items():
        hidden = rng.integers(0, HELD_OUT, len(table)) == 0
        learn[seats], held[seats] = table.only(~hidden), table.only(hidden)
    return History(learn), History(held)


def _loss(history: History, expected: Callable[[Tables, int, int], Floats]) -> float:
    total, count = 0.0, 0
    for table in history.tables.values():
        for a, b in itertools.combinations(range(table.seats), 2):
            own, other = table.places[:, a], table.places[:, b]
            score = (own < other) + 0.5 * (own == other)
            chance = np.clip(expected(table, a, b), _LEAST, 1 - _LEAST)
            total -= float(np.sum(score * np.log(chance) + (1 - score) * np.log(1 - chance)))
            count += len(score)
    return total / max(1, count)


def _ours(ratings: Ratings, table: Tables, a: int, b: int) -> Floats:
    """Return our predictions, with the advantage of turns, shrunk according to the uncertainty."""
    one, other = table.players[table.block, a], table.players[table.block, b]
    turns = np.array(ratings.turns.get(table.seats, (0.0,) * table.seats))
    gap = ratings.elo[one] + turns[table.turns[:, a]] - ratings.elo[other]
    gap = (gap - turns[table.turns[:, b]]) / ELO_PER_LOGIT
    variance = (ratings.error[one] ** 2 + ratings.error[other] ** 2) / ELO_PER_LOGIT**2
    return np.asarray(1 / (1 + np.exp(-gap / np.sqrt(1 + np.pi / 8 * variance))))


def _peers(peer: Peer, table: Tables, a: int, b: int) -> Floats:
    players = table.players[table.block]
    pairs = zip(players[:, a].tolist(), players[:, b].tolist(), strict=True)
    return np.array([peer.expects(one, other) for one, other in pairs])


def _coverage(truth: Floats, found: Floats, error: Floats | None, free: Booleans) -> float | None:
    """Return the coverage of a peer's intervals after the optimal linear mapping of its scale.

    This favours the peers: our own rating is not mapped to the true scale.
    """
    if error is None:
        return None
    slope, shift = np.polyfit(found, truth, 1)
    inside = np.abs(slope * found + shift - truth) <= NORMAL_975 * slope * error
    return _share(inside, free)


def _share(inside: Booleans, among: Booleans) -> float:
    return float(np.mean(inside[among])) if among.any() else float("nan")
