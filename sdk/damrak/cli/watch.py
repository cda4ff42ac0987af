"""`damrak watch`: follow a match of a ladder in the terminal."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, RenderableType
from rich.text import Text

from damrak.cli.arguments import positive
from damrak.cli.console import out, remark
from damrak.cli.display import Display
from damrak.cli.errors import FAILED, OK
from damrak.cli.ladders import add_site, clean
from damrak.cli.moment_text import Commentator
from damrak.cli.parser import Commands, add_command
from damrak.cli.played import add_output, match_line
from damrak.cli.watched_board import WatchedBoard

if TYPE_CHECKING:
    from damrak.ladder.site import Site

POLL_SECONDS: Final = 2.0


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "watch",
        run,
        summary="follow a match of a ladder live",
        text="""
            Follows a match while it is played, with one line for each event, as the public sees
            it: hidden cards and contracts are question marks. On a terminal the state of the table
            stays below these lines: the row, and the points, hand, carts and routes of each seat.
            Otherwise the last state is printed at the end. It waits for a match that has not
            begun, resumes after lost connections, and shows a recorded match from its beginning.
            Exit code 1 means that the match was given up.""",
        examples=(
            "damrak watch 8123",
            "damrak watch 8123 --ndjson | jq -r .event.event",
            "damrak matches --state running",
        ),
    )
    parser.add_argument("match", metavar="MATCH", type=positive, help="the number of the match")
    add_site(parser)
    add_output(parser, "event")


@dataclass
class Watching:
    """What has been seen of a match; a new attempt begins from zero."""

    show: Callable[[dict[str, Any]], None]
    events: list[dict[str, Any]] = field(default_factory=list)
    commentator: Commentator | None = None
    board: WatchedBoard | None = None
    is_over: bool = False

    def begin(self, header: dict[str, Any]) -> None:
        """Begin with the constant facts of the match."""
        self.commentator, self.board = Commentator(header), WatchedBoard(header)
        self.events.clear()
        names = " - ".join(clean(f"{one['bot']} v{one['version']}") for one in header["seats"])
        self.show({"kind": "setting", "seats": header["seats"], "lines": [names]})

    def take(self, first: int, moments: list[Any]) -> None:
        """Take the moments from this position on that are not known."""
        assert self.commentator is not None
        assert self.board is not None
        for number, moment in enumerate(moments, first):
            if number < len(self.events):
                continue
            row = {"kind": "event", "number": number, "event": moment[0], "changes": moment[1]}
            self.events.append(row)
            self.board.take(moment[1])
            self.show({**row, "lines": self.commentator.lines(moment)})

    def void(self) -> None:
        """Forget an attempt that does not count."""
        self.events.clear()
        self.board = None
        self.show({"kind": "void", "lines": ["this attempt does not count"]})


class TableDisplay(Display):
    """The state of the table, below the lines of the events."""

    def __init__(self, console: Console, watching: Watching, *, is_shown: bool) -> None:
        self._watching = watching  # the display asks for its picture at once
        super().__init__(console, is_shown=is_shown)

    def _picture(self) -> RenderableType:
        board = self._watching.board
        return Text() if board is None else board.picture()


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.cli.tournament_site import site_of

    site = site_of(args)
    console, is_text = out(), not (args.json or args.ndjson)
    watching = Watching(_printer(args, console))
    with TableDisplay(console, watching, is_shown=is_text and console.is_terminal):
        match = _followed(site, args.match, watching)
    if is_text and watching.board is not None:
        console.print(watching.board.picture(), "", soft_wrap=True)
    if args.json:
        events = [{name: row[name] for name in ("event", "changes")} for row in watching.events]
        print(json.dumps({"match": match, "events": events}))
    elif args.ndjson:
        print(json.dumps({"kind": "match", "match": match}), flush=True)
    elif match["state"] == "recorded":
        console.print(match_line(match), soft_wrap=True, highlight=False, markup=False)
    elif match["state"] != "dead":
        remark("the result is published when all matches of its block are over")
    if match["state"] == "dead":
        remark("the match was given up")
        return FAILED
    return OK


def _followed(site: Site, number: int, watching: Watching) -> dict[str, Any]:
    """Follow a match to its end; return it as it is then."""
    from damrak.ladder.live import follow

    for match in _states(site, number):
        if match["state"] == "recorded":
            if not watching.events:
                found = json.loads(site.file(f"/matches/{number}/moments/table.json"))
                watching.begin(found)
                watching.take(0, found["moments"])
            return match
        if match["state"] == "dead" or watching.is_over:
            return match
        for told in follow(site, number) if match["state"] == "running" else ():
            if told.name == "setting":
                watching.begin(told.data)
            elif told.name == "moments" and watching.commentator is not None:
                watching.take(told.data["first"], told.data["moments"])
            elif told.name == "void":
                watching.void()
            elif told.name == "over" and watching.events:
                watching.is_over = True
    raise AssertionError


def _states(site: Site, number: int) -> Iterator[dict[str, Any]]:
    """Yield the match again and again, with pauses while it has not begun."""
    is_told = False
    while True:
        match = site.get(f"matches/{number}")
        yield match
        if match["state"] == "waiting" and not is_told:
            remark("the match has not begun; waiting for it")
            is_told = True
        time.sleep(POLL_SECONDS)


def _printer(args: argparse.Namespace, console: Console) -> Callable[[dict[str, Any]], None]:
    def show(row: dict[str, Any]) -> None:
        lines = row.pop("lines")
        if args.ndjson:
            print(json.dumps(row), flush=True)
        elif not args.json:
            for line in lines:
                console.print(line, soft_wrap=True, highlight=False, markup=False)

    return show
