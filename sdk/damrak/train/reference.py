"""The training of a reference player: a run of steps in a folder, which can be continued.

The first step imitates `planner`. A step of practice plays the network against itself and improves
it by proximal policy optimisation. A step of search teaches it what a search with the network
itself would have chosen. After each step the network faces the champion at the gate. Every step is
determined by the seed, its number and the result of the step before, so an interrupted one is
repeated exactly.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from damrak.atomic import write_atomically
from damrak.env.encode import encoder_for
from damrak.env.table import rules_given
from damrak.train.expert import EPOCHS, SEARCH_RATE, Effort, learn, search_games
from damrak.train.gate import judge
from damrak.train.imitation import imitate
from damrak.train.measurement import share_won
from damrak.train.network import Adam, Network
from damrak.train.ppo import RATE, improve
from damrak.train.self_play import Recorder

Kind = Literal["imitation", "practice", "search"]
PRACTICE_SHARE: Final = 0.6  # of the time; the rest is for search
LENGTH: Final = 128  # decisions in each of them between two updates
SLOWER: Final = 8  # steps after which the learning rate has fallen to 1 / sqrt(2)
RIVAL: Final = "planner"
LOG: Final = "run.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """What determines a run, apart from its length."""

    players: int = 2
    seed: int = 1
    hidden: tuple[int, ...] = (512, 256)
    imitated: int = 300_000
    """The number of decisions of `planner` to begin with; 0 begins with nothing but the rules."""
    decisions: int = 1_000_000
    """The number of decisions of a step of practice."""
    games: int = 200
    """The number of games of a step of search."""
    blocks: int = 2048
    """The most mirrored blocks of a test at the gate."""
    abreast: int = 256
    """The number of games side by side in a step of practice."""
    measured: int = 200
    """The number of games against `planner` after each step."""


def settings_for(hours: float) -> Settings:
    """Return the usual settings, with smaller steps if the run is too short for them."""
    usual = Settings()
    return Settings(
        imitated=min(usual.imitated, round(500_000 * hours)),
        decisions=min(usual.decisions, max(1, round(2_000_000 * hours))),
        games=min(usual.games, max(4, round(100 * hours))),
    )


def kept_settings(folder: Path) -> Settings:
    """Return the settings of the run in this folder."""
    kept = json.loads((folder / LOG).read_text())["settings"]
    return Settings(**kept | {"hidden": tuple(kept["hidden"])})


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the log."""

    number: int
    kind: Kind
    seconds: float
    decisions: int
    games: int
    blocks: int
    elo: float
    low: float
    high: float
    promoted: bool
    share_won: float
    """Against `planner`, by the candidate without search."""


class Run:
    """A run in its folder: `run.json`, `steps.csv`, and the weights of learner and champion."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings
        self.steps: list[Step] = []
        self.rules = rules_given("amsterdam", settings.players, None)
        encoder = encoder_for(self.rules)
        rng = np.random.default_rng(settings.seed)
        self._learner = Network.fresh(encoder.size, settings.hidden, encoder.actions, rng)
        self._adam = Adam()
        self.champion = self._learner.copy()
        if self._log.exists():
            self._resume()

    @property
    def _log(self) -> Path:
        return self.folder / LOG

    @property
    def seconds(self) -> float:
        """The time of all finished steps."""
        return sum(step.seconds for step in self.steps)

    def proceed(self, seconds: float) -> Iterator[Step]:
        """Yield each step when it is finished and kept, until the run has taken this time."""
        while self.seconds < seconds:
            yield self._step(self._next_kind(seconds))

    def _next_kind(self, seconds: float) -> Kind:
        kinds = {step.kind for step in self.steps}
        if not kinds and self.settings.imitated:
            return "imitation"
        if "search" in kinds or ("practice" in kinds and self.seconds >= PRACTICE_SHARE * seconds):
            return "search"
        return "practice"

    def _step(self, kind: Kind) -> Step:
        began, number, it = time.monotonic(), len(self.steps) + 1, self.settings
        seed = f"{it.seed} {number}"
        if kind == "practice":
            decisions, games = self._practise(number)
        elif kind == "imitation":
            decisions, games = imitate(self._learner, Adam(), self.rules, it.imitated, seed)
        else:
            decisions, games = self._search(seed)
        verdict = judge(self._learner, self.champion, self.rules, f"{it.seed} {number}", it.blocks)
        if verdict.promoted:
            self.champion = self._learner.copy()
        share = share_won(self._learner, it.players, it.measured, RIVAL)
        step = Step(
            number,
            kind,
            round(time.monotonic() - began, 3),
            decisions,
            games,
            **asdict(verdict),
            share_won=round(share, 4),
        )
        self.steps.append(step)
        self.keep()
        return step

    def _search(self, seed: str) -> tuple[int, int]:
        self._learner = self.champion.copy()
        found = search_games(self.champion, self.rules, self.settings.games, Effort(), seed)
        rng = np.random.default_rng(len(self.steps))
        learn(self._learner, Adam(), found, EPOCHS, SEARCH_RATE, rng)
        return len(found.seen), found.games

    def _practise(self, number: int) -> tuple[int, int]:
        it = self.settings
        seed = it.seed * 1_000_003 + number
        recorder = Recorder(it.abreast, LENGTH, "amsterdam", it.players, seed)
        rng = np.random.default_rng(seed)
        rate = RATE / (1 + number / SLOWER) ** 0.5
        decisions = games = 0
        while decisions < it.decisions:
            found = recorder.record(self._learner)
            improve(self._learner, self._adam, found, rate, rng)
            decisions += it.abreast * LENGTH
            games += found.games
        recorder.envs.close()
        return decisions, games

    # ---- files ------------------------------------------------------------------------------

    def keep(self) -> None:
        """Write everything except the bot.

        `run.json` comes last: the number of its steps names the weights that belong to it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(self.steps)
        file = io.BytesIO()
        arrays = self._learner.weights | self._adam.arrays()
        arrays |= {f"champion_{name}": array for name, array in self.champion.weights.items()}
        np.savez(file, updates=self._adam.updates, **arrays)  # type: ignore[arg-type]
        write_atomically(self.folder / f"weights-{number}.npz", file.getvalue())
        table = io.StringIO()
        lines = csv.DictWriter(table, list(Step.__dataclass_fields__), lineterminator="\n")
        lines.writeheader()
        lines.writerows(asdict(step) for step in self.steps)
        write_atomically(self.folder / "steps.csv", table.getvalue().encode())
        log = {"settings": asdict(self.settings), "steps": [asdict(step) for step in self.steps]}
        write_atomically(self._log, json.dumps(log, indent=1).encode() + b"\n")
        (self.folder / f"weights-{number - 1}.npz").unlink(missing_ok=True)

    def _resume(self) -> None:
        log, kept = json.loads(self._log.read_text()), kept_settings(self.folder)
        if kept != self.settings:
            raise OtherSettings(f"{self.folder}: the run there has other settings: {kept}")
        self.steps = [Step(**step) for step in log["steps"]]
        with np.load(self.folder / f"weights-{len(self.steps)}.npz") as arrays:
            names = list(self._learner.weights)
            self._learner = Network({name: arrays[name] for name in names})
            self.champion = Network({name: arrays[f"champion_{name}"] for name in names})
            self._adam = Adam.from_arrays(dict(arrays))


class OtherSettings(ValueError):
    """A folder contains a run with other settings; the message names them."""
