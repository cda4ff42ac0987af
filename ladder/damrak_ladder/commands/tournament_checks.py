"""The verbs of `damrak-ladder tournaments` that check a tournament."""

from __future__ import annotations

import argparse
from typing import Any

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_json
from damrak_ladder.commands.tournament_admin import find


def add_verbs(verbs: Any) -> None:
    """Add the verbs to the group."""
    verify = add_command(
        verbs,
        "verify",
        "compare every result with its replays",
        """
        Reproduces every game of a tournament from its replay, checks the signatures, and compares
        places, points and faults with the stored results. Exits with 1 if a result is not
        confirmed.
        """,
        "damrak-ladder tournaments verify cup --json",
        _verify,
    )
    verify.add_argument("slug", metavar="TOURNAMENT")
    verify.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    add_json(verify)


def _verify(args: argparse.Namespace) -> int:
    tournament = find(args.slug)
    from damrak_ladder.tournaments.verification import verified

    found = list(verified(tournament, jobs=max(1, args.jobs)))
    bad = [one for one in found if one.problem]
    games = sum(one.games for one in found)
    if args.json:
        problems = [one.as_json() for one in bad]
        said = {"tournament": tournament.slug, "blocks": len(found), "games": games}
        say_json(said | {"confirmed": len(found) - len(bad), "problems": problems})
    else:
        say(f"{len(found) - len(bad)} of {len(found)} blocks with {games} games are confirmed")
        if bad:
            say_table([one.as_json() for one in bad], "")
    return 1 if bad else 0
