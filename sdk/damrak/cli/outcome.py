"""The outcome of a series, as tables for people or one JSON object for programs."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from damrak.errors import BotStartError
from damrak.local import package_version
from damrak.series import SeriesPlan
from damrak.standing import BotFailure, Standing, Tally
from damrak_engine.options import DEFAULTS
from damrak_statistics.block_scores import Sprt

FAILURES_SHOWN = 3
LINES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished or interrupted series."""

    plan: SeriesPlan
    standing: Standing
    seconds: float
    jobs: int
    test: Sprt | None
    interrupted: bool
    start_failure: BotStartError | None = None

    @property
    def failed_always(self) -> tuple[int, ...]:
        """The bots that left the table in every game."""
        failures = Counter(failure.bot for failure in self.standing.failures)
        tallies = enumerate(self.standing.tallies)
        return tuple(bot for bot, tally in tallies if 0 < tally.games == failures[bot])

    @property
    def is_ok(self) -> bool:
        """Whether every bot can play: it starts, and finishes at least one game."""
        return self.start_failure is None and not self.failed_always

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of the test."""
        assert self.test is not None
        return self.test.llr(self.standing.tallies[0].block_scores)


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Return the object printed by `--json`, which docs/bot-authors/cli.md describes."""
    plan, standing = outcome.plan, outcome.standing
    options = plan.options.to_json()
    usual = DEFAULTS.to_json()
    return {
        "ok": outcome.is_ok,
        "games": standing.games,
        "blocks": standing.blocks,
        "seconds": round(outcome.seconds, 3),
        "bots": [_bot_json(outcome, bot) for bot in range(len(plan.bots))],
        "board": plan.board.id,
        "options": {name: value for name, value in options.items() if value != usual[name]},
        "seed": plan.seed,
        "mirrored": plan.is_mirrored,
        "jobs": outcome.jobs,
        "ends": dict(standing.ends),
        "interrupted": outcome.interrupted,
        "start_failure": _start_failure_json(outcome.start_failure),
        "sprt": _test_json(outcome),
        "saved": None if plan.save is None else str(plan.save),
        "damrak": package_version(),
    }


def _start_failure_json(failure: BotStartError | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "bot": failure.spec,
        "reason": failure.reason,
        "detail": failure.detail,
        "traceback": failure.traceback,
        "bundle": failure.bundle,
    }


def _bot_json(outcome: Outcome, bot: int) -> dict[str, Any]:
    return tally_json(outcome.standing, bot, outcome.plan.bots[bot].version)


def tally_json(standing: Standing, bot: int, version: str) -> dict[str, Any]:
    """Return the results of one bot as a JSON object."""
    tally = standing.tallies[bot]
    elo = standing.elo(bot)
    return {
        "name": tally.name,
        "version": version,
        "games": tally.games,
        "wins": tally.wins,
        "shared": tally.shared,
        "places": [tally.places[place + 1] for place in range(standing.seats)],
        "share": round(standing.score(bot), 4),
        "score_mean": round(tally.mean(tally.total), 3),
        "points": {
            "routes": round(tally.mean(tally.routes), 3),
            "contracts": round(tally.mean(tally.contracts), 3),
            "goods": round(tally.mean(tally.goods), 3),
        },
        "elo": elo and round(elo.value, 2),
        "elo_low": elo and round(elo.low, 2),
        "elo_high": elo and round(elo.high, 2),
        "seconds": round(tally.seconds, 3),
        "faults": tally.faults.total(),
        "fault_reasons": dict(tally.faults),
    }


def _test_json(outcome: Outcome) -> dict[str, Any] | None:
    test = outcome.test
    if test is None:
        return None
    llr = outcome.llr
    return {
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "llr": round(llr, 4),
        "lower": round(test.lower, 4),
        "upper": round(test.upper, 4),
        "verdict": test.verdict(llr),
    }


def print_outcome(console: Console, outcome: Outcome) -> None:
    """Print the table, followed by failures and other remarks."""
    if outcome.standing.games:
        console.print(standing_table(outcome.standing))
    _print_printed(console, outcome)
    _print_failures(console, outcome)
    for bot in outcome.failed_always:
        name, games = outcome.standing.tallies[bot].name, outcome.standing.games
        console.print(Text(f"{name} failed in every game ({games} of {games})", "bold red"))
    for line in (*_how(outcome), *_verdict(outcome)):
        console.print(Text(line), soft_wrap=True)


def standing_table(standing: Standing) -> Table:
    """Return a table with a column for each bot."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    for tally in standing.tallies:
        table.add_column(Text(tally.name), justify="right")
    elos = [standing.elo(bot) for bot in range(len(standing.tallies))]
    table.add_row("score", *(f"{standing.score(i):.1%}" for i in range(len(elos))))
    _add(table, standing, "wins", lambda it: str(it.wins))
    _add(table, standing, "shared wins", lambda it: str(it.shared))
    for place in range(1, standing.seats + 1):
        table.add_row(f"place {place}", *(str(it.places[place]) for it in standing.tallies))
    _add(table, standing, "points a game", lambda it: f"{it.mean(it.total):.1f}")
    _add(table, standing, "  routes", lambda it: f"{it.mean(it.routes):.1f}")
    _add(table, standing, "  contracts", lambda it: f"{it.mean(it.contracts):.1f}")
    _add(table, standing, "  goods", lambda it: f"{it.mean(it.goods):.1f}")
    _add(table, standing, "seconds a game", lambda it: f"{it.mean(it.seconds):.3f}")
    _add(table, standing, "faults", lambda it: _fault_words(it.faults))
    table.add_row("Elo difference", *(f"{elo.value:+.0f}" if elo else "-" for elo in elos))
    between = (f"{elo.low:+.0f} … {elo.high:+.0f}" if elo else "-" for elo in elos)
    table.add_row("  95 % interval", *between)
    return table


def _add(table: Table, standing: Standing, label: str, cell: Callable[[Tally], str]) -> None:
    table.add_row(label, *(Text(cell(tally)) for tally in standing.tallies))


def _fault_words(faults: Counter[str]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in faults.most_common()) or "0"


def _print_printed(console: Console, outcome: Outcome) -> None:
    for bot, text in sorted(outcome.standing.printed.items()):
        name = outcome.standing.tallies[bot].name
        console.print(Text(f"{name} printed in the first game, at the end:"), soft_wrap=True)
        print_traceback(console, "\n".join(text.splitlines()[-LINES_SHOWN:]))


def _print_failures(console: Console, outcome: Outcome) -> None:
    standing = outcome.standing
    for failure in _telling_ones(standing.failures):
        _print_failure(console, outcome, failure, "left the table")
    for failure in _telling_ones(standing.late_failures):
        _print_failure(console, outcome, failure, "had a fault that did not affect the match")


def _telling_ones(failures: list[BotFailure]) -> list[BotFailure]:
    """Return the first failure of each kind, up to `FAILURES_SHOWN` per bot."""
    chosen: dict[tuple[int, str, str], BotFailure] = {}
    for failure in failures:
        of_this_bot = sum(bot == failure.bot for bot, _, _ in chosen)
        if of_this_bot < FAILURES_SHOWN:
            chosen.setdefault((failure.bot, failure.reason, failure.detail), failure)
    return list(chosen.values())


def _print_failure(console: Console, outcome: Outcome, failure: BotFailure, what: str) -> None:
    name = outcome.standing.tallies[failure.bot].name
    line = Text(f"{name} {what}: {failure.reason}: {failure.detail}", "red")
    console.print(line, soft_wrap=True)
    print_traceback(console, failure.traceback)
    if failure.bundle is not None:
        again = f"  reproduce: damrak repro {shlex.quote(failure.bundle)}"
        console.print(Text(again), soft_wrap=True)
    elif failure.traceback:  # one of the first, which should have a bundle
        nowhere = f"  no repro bundle: cannot write to {outcome.plan.bundles}"
        console.print(Text(nowhere), soft_wrap=True)


def print_start_failure(console: Console, failure: BotStartError) -> None:
    """Print why no game was played, with the traceback."""
    console.print(Text(f"{failure}; no game was played", "red"), soft_wrap=True)
    print_traceback(console, failure.traceback)
    if failure.bundle is not None:
        console.print(
            Text(f"  reproduce: damrak repro {shlex.quote(failure.bundle)}"), soft_wrap=True
        )


def print_traceback(console: Console, traceback: str) -> None:
    """Print the place in the bot, if known."""
    if traceback:
        console.print(Text(indent(traceback.rstrip(), "  "), "dim"), soft_wrap=True)


def _how(outcome: Outcome) -> list[str]:
    plan, standing = outcome.plan, outcome.standing
    mirrored = f" in {standing.blocks} mirrored block{'s' if standing.blocks != 1 else ''}"
    rate = standing.games / max(outcome.seconds, 1e-9)
    lines = [
        f"{standing.games} games{mirrored if plan.is_mirrored else ''} on {plan.board.id}, "
        f"{outcome.seconds:.1f} s, {rate:.1f} games/s, {outcome.jobs} at a time, seed {plan.seed}"
    ]
    if outcome.interrupted:
        lines.insert(0, f"interrupted: {standing.games} of {plan.games} games were played")
    if plan.save is not None:
        lines.append(f"replays: {plan.save} (damrak verify, damrak show)")
    return lines


def _verdict(outcome: Outcome) -> list[str]:
    test = outcome.test
    if test is None:
        return []
    name = outcome.standing.tallies[0].name
    llr = outcome.llr
    words = {
        "H1": f"{name} passed the test: {test.elo1:+g} Elo rather than {test.elo0:+g}",
        "H0": f"{name} failed the test: {test.elo0:+g} Elo rather than {test.elo1:+g}",
        None: "not decided yet",
    }[test.verdict(llr)]
    bounds = f"LLR {llr:.2f}, bounds {test.lower:.2f} and {test.upper:.2f}"
    return [f"{words} ({bounds})"]
