"""The command `damrak-ladder tournaments`."""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from damrak_ladder.commands import tournament_checks
from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.commands.tournament_admin import add_verbs
from damrak_ladder.usage_errors import Misuse

if TYPE_CHECKING:
    from damrak_ladder.message_codes.message import Message
    from damrak_ladder.tournaments.formats import RoundPairing
    from damrak_ladder.tournaments.simulation import Estimate

_EXAMPLES: Final = """
damrak-ladder tournaments pair cup.trf --json
damrak-ladder tournaments pair - < evening.json
damrak-ladder tournaments simulate --format culling --entrants 16 --lead 25 --blocks 4
"""
_SIMULATED: Final = (
    "single-elimination",
    "double-elimination",
    "round-robin",
    "groups",
    "swiss",
    "swiss-tables",
    "culling",
    "snapshot",
    "gauntlet",
)


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "tournaments",
        "run tournaments, pair rounds and estimate what a format is worth",
        """
        "pair" and "simulate" work on files and numbers alone: they need no database.
        docs/organisers/formats.md explains the formats.
        """,
        _EXAMPLES,
    )
    _add_pair(verbs)
    _add_simulate(verbs)
    add_verbs(verbs)
    tournament_checks.add_verbs(verbs)


def _add_pair(verbs: Any) -> None:
    pair = add_command(
        verbs,
        "pair",
        "the pairings of the next round of a file",
        """
        Reads a tournament and prints its next round. FILE is a TRF, paired as a Swiss for two, or
        JSON with the entrants, the played rounds and the rules; "-" reads standard input. Entrants
        are named by their start rank. The same file and seed give the same pairings.

        The cost shows what could not be avoided, the most important part first. Players that a TRF
        marks as absent in the next column (0000 - Z or 0000 - H) are not paired.
        """,
        """
        damrak-ladder tournaments pair cup.trf
        damrak-ladder tournaments pair cup.trf --round 3 --json      pair round 3 once more
        damrak-ladder tournaments pair tables.json --absent 4,17 --seed evening
        """,
        _pair,
    )
    pair.add_argument("file", metavar="FILE", help="a TRF or JSON file, or - for standard input")
    pair.add_argument(
        "--round", type=int, metavar="N", help="this round, from the rounds before it only"
    )
    pair.add_argument(
        "--absent", default="", metavar="RANKS", help="such as 4,17: do not pair them"
    )
    pair.add_argument("--seed", metavar="TEXT", help="draws what nothing else decides (default: 0)")
    add_json(pair)


def _add_simulate(verbs: Any) -> None:
    simulate = add_command(
        verbs,
        "simulate",
        "how often a format finds the best bot, and what it costs",
        """
        Plays many tournaments of bots with known strengths and prints how often the best one wins,
        with the blocks and games of a tournament. The best leads the second by --lead Elo; the
        others are normal with the deviation --spread; seeds carry an error of 50 Elo.

        A block is two independent games for two bots, and one game a seat at tables. Mirrored
        blocks are more exact, so the real probability is at least this one. Ties for a place that
        matters go to sudden death, which is not counted. A culling costs as much as a Swiss at
        tables with the same --blocks. Warnings name what the rounds of a field this large cannot
        avoid.
        """,
        """
        damrak-ladder tournaments simulate --format single-elimination --entrants 16 --lead 25
        damrak-ladder tournaments simulate --format culling --entrants 16 --lead 25 --blocks 4
        damrak-ladder tournaments simulate --format swiss --entrants 64 --rounds 9 --json
        """,
        _simulate,
    )
    add = simulate.add_argument
    add("--format", required=True, metavar="F", help=f"one of {', '.join(_SIMULATED)}")
    add("--entrants", type=int, default=16, metavar="N", help="default: 16")
    add("--lead", type=float, default=25.0, metavar="ELO", help="of the best bot (default: 25)")
    add("--blocks", type=int, default=4, metavar="K", help="of each pairing (default: 4)")
    add("--players", type=int, choices=(2, 3, 4), help="seats at a table (default: as usual)")
    add("--rounds", type=int, metavar="N", help="of a Swiss (default: as usual)")
    add("--spread", type=float, default=150.0, metavar="ELO", help="of the others (default: 150)")
    add("--runs", type=int, default=4000, metavar="N", help="tournaments (default: 4000)")
    add("--seed", type=int, default=1, metavar="S", help="the same number, the same result")
    add_json(simulate)


def _simulate(args: argparse.Namespace) -> int:
    _check(args)
    found, warnings = _estimate(args)
    if args.json:
        say_json(
            {
                "format": args.format,
                "entrants": args.entrants,
                "best_wins": round(found.best_wins, 4),
                "error": round(found.error, 4),
                "blocks": round(found.blocks),
                "games": round(found.games),
                "sudden_death_blocks": round(found.sudden_death, 1),
                "runs": found.runs,
                "seed": args.seed,
                "warnings": warnings,
            }
        )
        return 0
    say(
        f"The best of {args.entrants} bots wins with {found.best_wins:.0%} "
        f"(± {2 * found.error:.1%}, {found.runs} runs)."
    )
    say(f"A tournament takes {round(found.blocks):,} blocks, {round(found.games):,} games.")
    for warning in warnings:
        say(f"Warning: {warning}")
    return 0


def _estimate(args: argparse.Namespace) -> tuple[Estimate, list[str]]:
    """Return the estimate of a format, and the warnings about its first stage."""
    import numpy as np

    from damrak_ladder.tournaments.formats import Entrant, RulesError, plan
    from damrak_ladder.tournaments.simulation import (
        affordable_runs,
        estimate,
        model_field,
        usual_stages,
    )

    runs = affordable_runs(args.entrants, args.runs)
    try:
        stages = usual_stages(
            args.format, args.entrants, args.blocks, players=args.players, rounds=args.rounds
        )
        random = np.random.default_rng(args.seed)
        strengths = model_field(args.entrants, args.lead, args.spread, runs, random)
        found = estimate(stages, strengths, args.seed)
        planned = plan(stages[0], [Entrant(at, at) for at in range(1, args.entrants + 1)])
    except RulesError as problem:
        raise Misuse(f"--{problem.field}: {_english(problem.message)}") from None
    return found, [_english(one) for one in planned.warnings]


def _english(message: Message) -> str:
    """Return a message in English, also without an installation, which these verbs do not need."""
    from django.conf import settings

    if not settings.configured:
        settings.configure(USE_I18N=False)
    from damrak_ladder.message_codes.wording import english

    return english(message)


def _check(args: argparse.Namespace) -> None:
    for name, least, most in (
        ("entrants", 2, 512),
        ("lead", 0, 5000),
        ("blocks", 1, 1000),
        ("spread", 0, 5000),
        ("runs", 1, 1_000_000),
        ("seed", 0, 2**63),
    ):
        value = getattr(args, name)
        if not least <= value <= most:  # also false for NaN
            raise Misuse(f"--{name}: from {least} to {most}, not {value:g}")
    if args.format not in _SIMULATED:
        raise Misuse(f"--format: {args.format!r} is unknown; choose {', '.join(_SIMULATED)}")


def _pair(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from damrak_ladder.tournaments.formats import FormatError, RulesError
    from damrak_ladder.tournaments.trf import TrfError
    from damrak_ladder.tournaments.trf.pairing_file import read

    if args.round is not None and args.round < 1:
        raise Misuse(f"--round: 1 or more, not {args.round}")
    try:
        file = read(_content(args.file), until=None if args.round is None else args.round - 1)
        absent = {*file.absent, *_ranks(args.absent)}
        if unknown := absent - {entrant.number for entrant in file.entrants}:
            raise Misuse(f"--absent: there is no entrant {min(unknown)}")
        file = replace(file, absent=tuple(absent), seed=args.seed or file.seed)
        found = file.pair()
    except RulesError as problem:
        raise Misuse(f"{args.file}: {problem.field}: {_english(problem.message)}") from None
    except (TrfError, FormatError) as problem:
        raise Misuse(f"{args.file}: {problem}") from None
    if args.json:
        say_json(_as_json(found, len(file.played)))
        return 0
    _print(found, len(file.played))
    return 0


def _content(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read(9_000_000)
    try:
        with Path(name).open("rb") as file:
            return file.read(9_000_000)
    except OSError as problem:
        raise Misuse(f"{name}: {str(problem.strerror).lower()}") from None


def _ranks(text: str) -> set[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise Misuse(f"--absent: ranks with commas such as 4,17, not {text!r}")
    return {int(part) for part in parts}


def _as_json(found: RoundPairing | None, played: int) -> dict[str, Any]:
    if found is None:
        return {"round": None, "pairings": [], "bye": None, "byes": [], "cost": {}, "over": True}
    byes = [it.entrants[0] for it in found.pairings if it.is_bye]
    return {
        "round": played + 1,
        "pairings": [list(it.entrants) for it in found.pairings if not it.is_bye],
        "bye": byes[0] if byes else None,
        "byes": byes,
        "cost": {name: _number(value) for name, value in found.cost.items()},
        "seed": found.seed,
        "over": False,
    }


def _number(value: Fraction | int) -> float | int:
    return int(value) if value == int(value) else float(value)


def _print(found: RoundPairing | None, played: int) -> None:
    if found is None:
        say(f"All rounds are played: {played}.")
        return
    say(f"Round {played + 1}")
    rows = [
        {"table": at, "entrants": " - ".join(map(str, it.entrants)) + (" (bye)" * it.is_bye)}
        for at, it in enumerate(found.pairings, 1)
    ]
    say_table(rows, "All entrants are absent.")
    cost = ", ".join(f"{name.replace('_', ' ')} {_number(it):g}" for name, it in found.cost.items())
    say(f"Cost: {cost or 'none'}. Seed: {found.seed}.")
