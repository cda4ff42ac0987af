"""`damrak submit`: upload a bot to a ladder and follow its qualification."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.text import Text

from damrak.cli.console import err, out, remark
from damrak.cli.errors import FAILED, INTERRUPTED, OK, Misuse
from damrak.cli.ladders import add_site, clean
from damrak.cli.parser import FAULTS, Commands, add_command, add_json
from damrak.specs import parse_spec

if TYPE_CHECKING:
    from damrak.ladder.archive import Packed
    from damrak.ladder.faults import Remains
    from damrak.ladder.site import Site

ENOUGH: Final = 3
"""Number of failures after which the bot is known not to work."""

STEPS: Final = {"refused": "red", "failed": "red", "qualified": "green", "live": "bold green"}


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "submit",
        run,
        summary="upload a bot to a ladder and follow its qualification",
        text="""
            Checks the bot, packs its folder, uploads it as a new version of NAME, and shows every
            step until the version has qualified. The bot is created if it does not exist. A
            qualified version goes live; until then the previous version plays. Hidden files,
            bytecode, and files that .damrakignore or .gitignore exclude are not uploaded. If the
            version fails, the command prints the reason and the end of its log, saves a repro
            bundle, and exits with code 1. No login is needed where `make up` runs.""",
        examples=(
            "damrak submit my_bot --bot my-bot --to http://127.0.0.1:8000",
            "damrak submit my_bot --bot my-bot --note 'thinks twice'",
            "damrak submit my_bot --bot my-bot --canary",
            "damrak submit my_bot --bot my-bot --no-wait --json",
        ),
    )
    parser.add_argument(
        "place", metavar="DIR", type=Path, help="the bot's folder, its .py file, or an archive"
    )
    parser.add_argument(
        "--bot", metavar="NAME", help="name of the bot on the ladder (default: name of the folder)"
    )
    parser.add_argument(
        "--note", metavar="TEXT", default="", help="description of the changes; public"
    )
    parser.add_argument(
        "--canary",
        action="store_true",
        help="start as a canary; make it live later with `damrak live`",
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="exit when the upload has been accepted"
    )
    parser.add_argument("--no-check", action="store_true", help="skip the local check")
    add_site(parser)
    add_json(parser)


@dataclass(frozen=True, slots=True)
class _Order:
    """What to submit, and how."""

    slug: str
    packed: Packed
    note: str
    is_canary: bool


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.archive import pack
    from damrak.ladder.login import find_site

    console = err() if args.json else out()
    slug = _slug(args.bot, args.place)
    packed = pack(args.place)
    site = find_site(args.to, may_be_plain=args.insecure)
    if not args.no_check and not _is_fit(args.place, packed, console):
        return FAILED
    console.print(Text(f"packed: {packed.holds.summary}, {len(packed.data):,} bytes"))
    version = _send(site, _Order(slug, packed, args.note, args.canary), console)
    if args.no_wait:
        return _end(args, console, site, version, [], None)
    return _follow(args, console, site, version, packed.holds.run)


def _slug(given: str | None, place: Path) -> str:
    from damrak.ladder.registration import check_name, name_like

    if given is not None:
        return check_name(given)
    path = place.resolve()
    found = name_like(path.parent.name if path.name == "bot.py" else path.name.partition(".")[0])
    if found is None:
        raise Misuse("give the name of the bot on the ladder with --bot")
    return found


def _is_fit(place: Path, packed: Packed, console: Console) -> bool:
    """Return whether the bot passes the first local checks; prints those that fail."""
    from damrak.preflight.checks import Preflight

    if packed.holds.run is not None or not packed.names:
        return True  # programs in other languages and archives are checked by the ladder
    name = packed.holds.class_name
    spec = parse_spec(f"{place}:{name}" if name else str(place))
    failed = 0
    for finding in Preflight(spec).basics():
        if finding.level == "fail":
            failed += 1
            line = Text.assemble(("fail", "red"), f"  {finding.check}: {finding.detail}")
            console.print(line, soft_wrap=True)
        if failed == ENOUGH:
            break  # enough to know; each further check might have to wait for a timeout
    if failed:
        words = (
            f"not submitted; `damrak check {place}` shows details, and --no-check submits it anyway"
        )
        console.print(Text(words, "red"), soft_wrap=True)
    return not failed


def _send(site: Site, order: _Order, console: Console) -> dict[str, Any]:
    from damrak.ladder.registration import ensure_bot
    from damrak.ladder.site import SiteRefusal

    path = f"bots/{order.slug}"
    if ensure_bot(site, order.slug):
        console.print(Text(f"created the bot {order.slug} on {site.address.text}"), soft_wrap=True)
    query = {"note": order.note, **({"canary": "true"} if order.is_canary else {})}
    try:
        version: dict[str, Any] = site.send(
            f"{path}/versions", order.packed.data, "application/octet-stream", **query
        )
    except SiteRefusal as refusal:
        number = refusal.more.get("version")
        if refusal.code != "same-content" or not isinstance(number, int):
            raise
        console.print(Text(f"no changes: identical to version {number}", "yellow"))
        known: list[dict[str, Any]] = site.get(f"{path}/versions", limit=1000)
        version = next(row for row in known if row["number"] == number)
    return version


def _follow(
    args: argparse.Namespace,
    console: Console,
    site: Site,
    version: dict[str, Any],
    program: tuple[str, ...] | None,
) -> int:
    from damrak.ladder.faults import gather
    from damrak.ladder.journey import Travel

    travel = Travel(site, int(version["id"]))
    steps: list[dict[str, Any]] = []
    try:
        for step in travel.steps():
            steps.append({"at": step.at, "kind": step.kind, "text": step.text})
            line = Text.assemble((f"{clean(step.kind):10}", STEPS.get(step.kind, "cyan")))
            console.print(line.append(f"  {clean(step.text)}"), soft_wrap=True)
    except KeyboardInterrupt:
        remark(f"it continues on the ladder: {_page(site, version)}")
        if args.json:
            _end(args, console, site, travel.version or version, steps, None)
        return INTERRUPTED
    remains = None
    if travel.version["state"] == "failed":
        remains = gather(site, travel.version, Path(FAULTS))
    code = _end(args, console, site, travel.version, steps, remains)
    if remains is not None and remains.bundle is None and program is not None:
        again = f"damrak conform unix:/tmp/seat --one-seat -- {shlex.join(program)}"
        console.print(Text(f"test it in its folder: {again}", "bold"), soft_wrap=True)
    return code


def _end(
    args: argparse.Namespace,
    console: Console,
    site: Site,
    version: dict[str, Any],
    steps: list[dict[str, Any]],
    remains: Remains | None,
) -> int:
    state, page = clean(version["state"]), _page(site, version)
    if args.json:
        said = {
            "url": page,
            "bot": version["bot"],
            "version": version["number"],
            "id": version["id"],
            "state": version["state"],
            "is_live": version["is_live"],
            "reason": version["reason"],
            "steps": steps,
            "bundle": None if remains is None or remains.bundle is None else str(remains.bundle),
        }
        print(json.dumps(said))
    elif state == "qualified":
        plays = (
            "is live"
            if version["is_live"]
            else f"has qualified; make it live with: damrak live {_named(version)}"
        )
        console.print(Text(f"version {version['number']} {plays}: {page}", "green"), soft_wrap=True)
    elif state in ("failed", "benched"):
        words = f"version {version['number']} has {state}: {clean(version['reason'])}"
        console.print(Text(words, "red"), soft_wrap=True)
        _tell(console, args, remains)
        console.print(Text(page), soft_wrap=True)
    else:
        console.print(Text(f"version {version['number']} is {state}: {page}"), soft_wrap=True)
    return FAILED if state in ("failed", "benched") else OK


def _tell(console: Console, args: argparse.Namespace, remains: Remains | None) -> None:
    if remains is None:
        return
    for title, lines in (("it printed", remains.log), ("traceback", remains.traceback)):
        if lines:
            console.print(Text(f"{title}, in match {remains.match}:", "bold"))
            for line in lines:
                console.print(Text(f"  {line}"), soft_wrap=True)
    if remains.bundle is not None:
        console.print(
            Text(f"again: damrak repro {remains.bundle} --bot {args.place}", "bold"), soft_wrap=True
        )


def _named(version: dict[str, Any]) -> str:
    return f"{version['bot']} {version['number']}"


def _page(site: Site, version: dict[str, Any]) -> str:
    return site.page(f"/bots/{version['bot']}/{version['number']}/")
