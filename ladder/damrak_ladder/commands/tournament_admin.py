"""The verbs of `damrak-ladder tournaments` that work on the tournaments of the platform."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_json
from damrak_ladder.usage_errors import Misuse

if TYPE_CHECKING:
    from damrak_ladder.tournaments.models import Tournament

_ACT_EXAMPLES: Final = """
damrak-ladder tournaments act cup open
damrak-ladder tournaments act cup enter slug=my-bot
damrak-ladder tournaments act cup replay_round round=2 --reason "a worker failed" --dry-run
damrak-ladder tournaments act cup undo --undoes 17
"""


def add_verbs(verbs: Any) -> None:
    """Add the verbs to the group."""
    listing = add_command(
        verbs,
        "list",
        "list the tournaments",
        "Lists all tournaments of this platform, newest first.",
        "damrak-ladder tournaments list --json",
        _list,
    )
    add_json(listing)
    show = add_command(
        verbs,
        "show",
        "show a tournament: its rounds, tables and alerts",
        "Shows a tournament as its organisers see it, with alerts and the acts that resolve them.",
        "damrak-ladder tournaments show cup",
        _show,
    )
    show.add_argument("slug", metavar="TOURNAMENT")
    add_json(show)
    _add_create(verbs)
    _add_act(verbs)
    _add_season(verbs)


def _add_create(verbs: Any) -> None:
    create = add_command(
        verbs,
        "create",
        "create a tournament as a draft",
        """
        Creates a tournament with one stage. The acts open, enter, close and start take it further.
        Other rules, such as several stages, are read from a JSON file (docs/api.md).
        """,
        """
        damrak-ladder tournaments create cup --owner ann --format swiss --rounds 7
        damrak-ladder tournaments create league --owner ann --rules league.json
        """,
        _create,
    )
    create.add_argument("slug", metavar="TOURNAMENT", help="its name in addresses")
    create.add_argument("--owner", required=True, metavar="USER", help="its organiser")
    create.add_argument("--name", help="its display name")
    create.add_argument(
        "--format", default="round-robin", help="such as swiss (default: %(default)s)"
    )
    create.add_argument("--rounds", type=int, help="default: what the format needs")
    create.add_argument("--blocks", type=int, default=1, help="blocks of each pairing (default: 1)")
    create.add_argument("--board", default="amsterdam", help="a board (default: %(default)s)")
    create.add_argument("--rules", metavar="FILE", help="all rules, as JSON")


def _add_act(verbs: Any) -> None:
    act = add_command(
        verbs,
        "act",
        "act as an organiser, or preview an act",
        """
        Performs one act: open, enter, close, start, pause, resume, stop, speed, withdraw,
        disqualify, override, replay_block, replay_round, forfeit, skip_block, release,
        plan_release, arrange, finalise, reopen, cancel or undo. With --dry-run it prints what
        would change, and changes nothing. The act is recorded without an actor.
        """,
        _ACT_EXAMPLES,
        _act,
    )
    act.add_argument("slug", metavar="TOURNAMENT")
    act.add_argument("kind", metavar="ACT")
    act.add_argument("fields", nargs="*", metavar="NAME=VALUE", help="values are JSON or text")
    act.add_argument("--reason", default="", help="required for rulings")
    act.add_argument("--undoes", type=int, metavar="SERIAL", help="the act to undo")
    act.add_argument("--dry-run", action="store_true", help="only print what would change")


def _add_season(verbs: Any) -> None:
    season = add_command(
        verbs,
        "next-season",
        "begin the next season of a league, or preview it",
        """
        Creates the season after this one, whose results must be final and public, and opens its
        entries. Rules and bots are those of this season. With --dry-run it prints the divisions
        and moves, and creates nothing.
        """,
        """
        damrak-ladder tournaments next-season canals-1 --dry-run
        damrak-ladder tournaments next-season canals-1 --name "Canals, autumn"
        """,
        _next_season,
    )
    season.add_argument("tournament", metavar="TOURNAMENT", help="the last season of the league")
    season.add_argument("--slug", metavar="SLUG", help="default: that of this season, numbered")
    season.add_argument("--name", metavar="NAME", help="default: that of this season, numbered")
    season.add_argument("--dry-run", action="store_true", help="only print the next season")
    add_json(season)


def _next_season(args: argparse.Namespace) -> int:
    last = find(args.tournament)
    from django.utils import timezone

    from damrak_ladder.message_codes.wording import english
    from damrak_ladder.tournaments.errors import TournamentError
    from damrak_ladder.tournaments.next_season import begin_next_season, names_of_next, outlook

    try:
        found = outlook(last)
        names = names_of_next(last, found.number)
        slug, name = args.slug or names["slug"], args.name or names["name"]
        if not args.dry_run:
            begin_next_season(last, last.owner, slug, name, timezone.now())
    except TournamentError as problem:
        cure = english(getattr(problem, "cure", None))
        raise Misuse(f"{problem} {cure}".strip()) from None
    said = {"slug": slug, "name": name, **found.as_json(), "dry_run": args.dry_run}
    if args.json:
        say_json(said)
        return 0
    for number, division in enumerate(said["divisions"], 1):
        say(f"division {number}: {', '.join(division)}")
    say_table([{"bot": one["bot"], "move": one["why"]} for one in said["moves"]], "")
    if args.dry_run:
        say(f"nothing was created; {slug} would be season {found.number}")
    else:
        say(f"{slug} is open for entries: damrak-ladder tournaments act {slug} close")
    return 0


def _list(args: argparse.Namespace) -> int:
    _load()
    from damrak_ladder.tournaments.models import Tournament

    rows = [
        {
            "tournament": one.slug,
            "name": one.name,
            "phase": one.phase,
            "visibility": one.visibility,
            "entrants": one.entrants.filter(standing="in").count(),
            "owner": one.owner.username,
        }
        for one in Tournament.objects.select_related("owner").order_by("-pk")
    ]
    if args.json:
        say_json(rows)
    else:
        say_table(rows, "There are no tournaments: damrak-ladder tournaments create --help")
    return 0


def _show(args: argparse.Namespace) -> int:
    tournament = find(args.slug)
    from django.utils import timezone

    from damrak_ladder.tournaments import documents, journal
    from damrak_ladder.tournaments.alerts import alerts
    from damrak_ladder.tournaments.disclosure import Disclosed

    state, course = journal.state_of(tournament), journal.course_of(tournament)
    seen = Disclosed(state, course, is_organiser=True)
    said = documents.tournament_json(tournament, seen)
    said["standings"] = documents.standings_json(tournament, seen)["stages"]
    said["alerts"] = [one.as_json() for one in alerts(tournament, timezone.now())]
    if args.json:
        say_json(said)
        return 0
    say(f"{tournament.name}: {said['phase']}, {said['entrants']} entrants, serial {said['serial']}")
    for stage in said["standings"]:
        rows = [
            {name: row[name] for name in ("place", "bot", "points", "played", "decided_by")}
            for row in stage["rows"]
        ]
        say_table(rows, "")
    for alert in said["alerts"]:
        say(f"alert: {alert['text']}")
    return 0


def _create(args: argparse.Namespace) -> int:
    _load()
    from django.utils import timezone

    from damrak_ladder.accounts.models import User
    from damrak_ladder.tournaments.creation import Plan, create
    from damrak_ladder.tournaments.errors import TournamentError

    owner = User.objects.filter(username=args.owner).first()
    if owner is None:
        raise Misuse(f"there is no user {args.owner!r}; see: damrak-ladder users list")
    name = args.name or args.slug.replace("-", " ").title()
    try:
        made = create(owner, Plan(args.slug, name, _rules(args)), timezone.now(), is_platform=True)
    except TournamentError as problem:
        raise Misuse(str(problem)) from None
    say(f"{made.slug} is a draft: damrak-ladder tournaments act {made.slug} open")
    return 0


def _rules(args: argparse.Namespace) -> dict[str, Any]:
    if args.rules:
        try:
            with open(args.rules, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError) as problem:
            raise Misuse(f"{args.rules}: {problem}") from None
        if not isinstance(found, dict):
            raise Misuse(f"{args.rules}: expected a JSON object")
        return found
    stage = {"format": args.format, "blocks": args.blocks}
    if args.rounds is not None:
        stage["rounds"] = args.rounds
    return {"stages": [stage], "boards": [args.board]}


def _act(args: argparse.Namespace) -> int:
    tournament = find(args.slug)
    from django.utils import timezone

    from damrak_ladder.message_codes.wording import english
    from damrak_ladder.tournaments import desk
    from damrak_ladder.tournaments.duties import advance
    from damrak_ladder.tournaments.errors import TournamentError
    from damrak_ladder.tournaments.log.acts import AUTOMATIC, Kind

    kinds = sorted(set(Kind) - AUTOMATIC - {Kind.CREATE})
    if args.kind not in kinds:
        raise Misuse(f"there is no act {args.kind!r}; there are: {', '.join(kinds)}")
    request = desk.Request(
        Kind(args.kind),
        dict(map(_field, args.fields)),
        reason=args.reason,
        undoes=args.undoes,
        serial=tournament.serial,
    )
    do = desk.preview if args.dry_run else desk.perform
    try:
        answer = do(tournament, request, timezone.now())
        if not args.dry_run:
            advance(tournament, timezone.now())
    except TournamentError as problem:
        cure = english(getattr(problem, "cure", None))
        raise Misuse(f"{problem} {cure}".strip()) from None
    say_json({"serial": answer.serial, "dry_run": args.dry_run, "changes": dict(answer.changes)})
    return 0


def _field(text: str) -> tuple[str, Any]:
    name, found, value = text.partition("=")
    if not found or not name:
        raise Misuse(f"{text!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def find(slug: str) -> Tournament:
    """Return the tournament of this name.

    Raises:
        Misuse: there is none.
    """
    _load()
    from damrak_ladder.tournaments.models import Tournament

    found = Tournament.objects.select_related("owner", "league").filter(slug=slug).first()
    if found is None:
        raise Misuse(f"there is no tournament {slug!r}; see: damrak-ladder tournaments list")
    return found


def _load() -> None:
    from damrak_ladder.management import load

    load()
