"""`damrak results`: show the results of a tournament, and follow them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site, answers
from damrak.cli.parser import Commands, add_command, add_json
from damrak.cli.tournament_site import result_line, site_of

if TYPE_CHECKING:
    from damrak.ladder.site import Site

_OVER: Final = frozenset({"over", "final", "cancelled"})


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "results",
        run,
        summary="show the results of a tournament",
        text="""
            Shows all pairings that you may see, round by round, with the points of each side.
            With --watch it goes on until the tournament is over and prints each result once, as
            soon as it is released.""",
        examples=("damrak results spring-cup", "damrak results spring-cup --watch"),
    )
    parser.add_argument("tournament", metavar="TOURNAMENT", help="its name in addresses")
    parser.add_argument("--watch", action="store_true", help="print new results as they come")
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.site import part

    site, path = site_of(args), f"tournaments/{part(args.tournament)}"
    said: set[tuple[Any, ...]] = set()
    for found in _states(site, path, is_watched=args.watch):
        for line in _lines(site, path, found, said):
            _print(line, as_json=args.json)
        if found["phase"] in _OVER:
            break
    return OK


def _states(site: Site, path: str, *, is_watched: bool) -> Iterator[dict[str, Any]]:
    first = site.get(path)
    if is_watched:
        yield from answers(site, path, first)
    else:
        yield first


def _lines(
    site: Site, path: str, found: dict[str, Any], said: set[tuple[Any, ...]]
) -> Iterator[dict[str, Any]]:
    """Yield the pairings whose result or state has not been printed yet."""
    for stage in found["stages"]:
        for made in stage["rounds"]:
            place = (made["stage"], made["round"], made["generation"])
            if (*place, "all") in said:
                continue
            full = site.get(f"{path}/rounds/{made['round']}", stage=made["stage"])
            for pairing in full["pairings"]:
                key = (*place, pairing["table"], pairing["state"], str(pairing["points"]))
                if key not in said:
                    said.add(key)
                    yield {"stage": made["stage"], "round": made["round"], **pairing}
            if full["phase"] == "closed":
                said.add((*place, "all"))


def _print(pairing: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(pairing), flush=True)
        return
    line = f"round {pairing['round']}, table {pairing['table']}: {result_line(pairing)}"
    out().print(Text(line), soft_wrap=True)
