"""The command `damrak-ladder ladders`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Ladder

_EXAMPLES: Final = """
damrak-ladder ladders list
damrak-ladder ladders show amsterdam
damrak-ladder ladders add blitz --boards amsterdam --seats 2:1 --control bank_ms=10000
damrak-ladder ladders add usual        the two ladders of a new platform, if they are missing
damrak-ladder ladders change blitz --weight 0.5
damrak-ladder ladders close blitz
"""
_FIELDS: Final = "A field that is not given stays as it is."


def add_parser(commands: Any) -> None:
    """Add the parsers of the commands."""
    _, verbs = add_group(
        commands,
        "ladders",
        "list and configure ladders",
        "A ladder is a permanent competition. Its settings define the boards, rules and table"
        " sizes, and the bots that are admitted.",
        _EXAMPLES,
    )
    listing = add_command(
        verbs,
        "list",
        "list ladders",
        "Lists all ladders.",
        "damrak-ladder ladders list --json",
        _list,
    )
    add_json(listing)
    show = add_command(
        verbs,
        "show",
        "show the settings of a ladder",
        "Prints all fields of a ladder as JSON.",
        "damrak-ladder ladders show amsterdam",
        _show,
    )
    show.add_argument("slug")
    for verb, summary, run in (
        ("add", "create a ladder", _add),
        ("change", "change a ladder", _change),
    ):
        text = f"{summary.capitalize()}. {_FIELDS}"
        examples = "\n".join(line for line in _EXAMPLES.splitlines() if f"s {verb}" in line)
        _add_fields(add_command(verbs, verb, summary, text, examples, run))
    for verb, summary, text, run in (
        ("open", "resume a ladder", "Schedules blocks of the ladder again.", _open),
        (
            "close",
            "pause a ladder",
            "Schedules no more blocks of the ladder. Its results and ratings are kept.",
            _close,
        ),
    ):
        parser = add_command(verbs, verb, summary, text, f"damrak-ladder ladders {verb} blitz", run)
        parser.add_argument("slug")


def _add_fields(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("slug", help="name in URLs: lower-case letters, digits and hyphens")
    add("--name", help="display name")
    add("--summary", help="description in a sentence")
    add(
        "--boards",
        nargs="+",
        metavar="BOARD",
        help="boards from which each block draws: names (damrak-ladder boards list), or "
        "daily:N for a new board of N locations every day, 12 to 40",
    )
    add(
        "--seats",
        nargs="+",
        metavar="N:SHARE",
        dest="shares",
        help="relative frequencies of tables with 2, 3 and 4 players, such as 2:1 3:1 4:0.5",
    )
    add(
        "--options",
        nargs="*",
        metavar="NAME=VALUE",
        help="rule options that differ from the defaults, such as goods_ties=split (see "
        "docs/rules.md)",
    )
    add(
        "--control",
        nargs="*",
        metavar="LIMIT=NUMBER",
        help="time control: decision_ms (null: none), bank_ms, increment_ms, grace_ms; strikes",
    )
    add(
        "--rotations",
        type=int,
        metavar="N",
        help="deals per block, each played from every seat (default: 1)",
    )
    add(
        "--admits",
        nargs="*",
        metavar="KIND",
        help="admitted kinds of bots: uploaded, remote, or both",
    )
    add("--house", nargs="*", metavar="BOT", help="house bots of the ladder (see damrak bots)")
    add(
        "--anchors",
        nargs="*",
        metavar="BOT=ELO[:SD]",
        help="Elo of some house bots, with standard deviation; the first without one is fixed,"
        " others without one get 30 (damrak-ladder anchors measure prints them)",
    )
    add("--weight", type=float, metavar="X", help="share of the capacity relative to other ladders")
    add("--enters-all", choices=("yes", "no"), help="whether new bots enter automatically")


def _list(args: argparse.Namespace) -> int:
    _load()
    from damrak_ladder.matches.models import Block, BlockState, Ladder

    rows = [
        {
            "slug": ladder.slug,
            "name": ladder.name,
            "open": ladder.is_open,
            "boards": list(ladder.boards),
            "seats": [f"{seats}:{share:g}" for seats, share in ladder.shares.items()],
            "bots": ladder.entries.filter(left=None).count(),
            "blocks": Block.objects.filter(ladder=ladder, state=BlockState.RECORDED).count(),
        }
        for ladder in Ladder.objects.order_by("slug")
    ]
    if args.json:
        say_json(rows)
    else:
        say_table(rows, "There are no ladders: damrak-ladder ladders add usual")
    return 0


def _show(args: argparse.Namespace) -> int:
    ladder = _find(args.slug)
    from damrak_ladder.matches.ladders import plan_of

    say_json(asdict(plan_of(ladder)))
    return 0


def _add(args: argparse.Namespace) -> int:
    _load()
    from django.utils import timezone

    from damrak_ladder.embedded.initial_data import make_ladders
    from damrak_ladder.matches.errors import BadLadder
    from damrak_ladder.matches.ladders import LadderPlan, create_ladder

    given = _fields(args)
    if args.slug == "usual" and not given:
        made = make_ladders(timezone.now())
        say(
            f"New: {', '.join(ladder.slug for ladder in made)}"
            if made
            else "The ladders exist already."
        )
        return 0
    if "boards" not in given or "shares" not in given:
        raise Misuse("a new ladder needs --boards and --seats (see: damrak-ladder ladders add -h)")
    plan = LadderPlan(slug=args.slug, **({"name": args.slug.title()} | given))
    try:
        ladder = create_ladder(plan, timezone.now())
    except BadLadder as problem:
        raise Misuse(str(problem)) from None
    say(f"{ladder.slug} is open")
    return 0


def _change(args: argparse.Namespace) -> int:
    given = _fields(args)
    if not given:
        raise Misuse("nothing is to be changed (see: damrak-ladder ladders change --help)")
    return _change_to(args.slug, given, "changed")


def _open(args: argparse.Namespace) -> int:
    return _change_to(args.slug, {"is_open": True}, "open")


def _close(args: argparse.Namespace) -> int:
    return _change_to(args.slug, {"is_open": False}, "closed")


def _change_to(slug: str, given: dict[str, Any], done: str) -> int:
    ladder = _find(slug)
    from django.utils import timezone

    from damrak_ladder.matches.errors import BadLadder
    from damrak_ladder.matches.ladders import change_ladder, plan_of

    try:
        change_ladder(ladder, replace(plan_of(ladder), **given), timezone.now())
    except BadLadder as problem:
        raise Misuse(str(problem)) from None
    say(f"{slug} is {done}")
    return 0


def _fields(args: argparse.Namespace) -> dict[str, Any]:
    """Return the given options in the types of a plan."""
    found: dict[str, Any] = {}
    for name in ("name", "summary", "rotations", "weight"):
        if (value := getattr(args, name)) is not None:
            found[name] = value
    for name in ("boards", "admits", "house"):
        if (value := getattr(args, name)) is not None:
            found[name] = tuple(value)
    for name, mark, key, parse in (
        ("shares", ":", int, float),
        ("options", "=", str, str),
        ("control", "=", str, json.loads),
        ("anchors", "=", str, _elo),
    ):
        if (texts := getattr(args, name)) is not None:
            option = "seats" if name == "shares" else name
            found[name] = dict(_pair(option, text, mark, key, parse) for text in texts)
    if "anchors" in found:
        given = found["anchors"]
        found["anchors"] = {spec: elo for spec, (elo, _) in given.items()}
        found["anchor_errors"] = {spec: sd for spec, (_, sd) in given.items() if sd is not None}
    if args.enters_all is not None:
        found["enters_all"] = args.enters_all == "yes"
    return found


def _elo(text: str) -> tuple[float, float | None]:
    """Return an Elo and its standard deviation, if given."""
    elo, found, error = text.partition(":")
    return float(elo), float(error) if found else None


def _pair(option: str, text: str, mark: str, key: Any, parse: Any) -> tuple[Any, Any]:
    # From the right, because the name of a house bot may contain the separator.
    name, found, value = text.rpartition(mark)
    try:
        if not found:
            raise ValueError
        return key(name), parse(value)
    except ValueError:
        raise Misuse(f"--{option}: {text!r} is not of the form NAME{mark}VALUE") from None


def _find(slug: str) -> Ladder:
    _load()
    from damrak_ladder.matches.models import Ladder

    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        raise Misuse(f"there is no ladder {slug!r}; see: damrak-ladder ladders list")
    return ladder


def _load() -> None:
    from damrak_ladder.management import load

    load()
