"""Initial data of a new platform: an administrator, house bots, two ladders."""

from __future__ import annotations

import secrets
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from damrak_ladder.accounts import local_key
from damrak_ladder.accounts.errors import AccountError
from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import grant
from damrak_ladder.bots.house import house_version
from damrak_ladder.installation.files import write_whole
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
from damrak_ladder.matches.models import Ladder
from damrak_ladder.matches.standard_summaries import CLASSIC, DAILY_BOARDS
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.desk import Request, perform
from damrak_ladder.tournaments.log.acts import Kind as ActKind
from damrak_ladder.tournaments.models import League, Tournament
from damrak_ladder.usage_errors import Misuse

_NAME_LETTERS: Final = "bcdfghjkmnpqrstvwxz23456789"  # no vowels, and no letters that look alike
_HOST: Final = "@localhost"
HOUSE: Final = ("random", "greedy", "planner", "mcts:iterations=20")

# `planner` has its Elo by definition. The others were measured against it in this many mirrored
# blocks of each table, with 95 % intervals:
#
#                                 greedy                random
#   amsterdam, 1500   2 seats     725 (670 … 779)       139 (75 … 204)
#   daily, 4000       2 seats     704 (669 … 739)       347 (311 … 383)
#                     3 seats     735 (707 … 763)       356 (326 … 385)
#                     4 seats     845 (828 … 861)       452 (433 … 471)
#
# On mixed tables the distance depends on the size of the table, so only planner is an anchor there:
# others with one Elo for all sizes would bias each of them. `damrak-ladder anchors measure` plays
# and fits such games.
USUAL: Final = (
    LadderPlan(
        slug="amsterdam",
        name="Amsterdam",
        summary=CLASSIC,
        boards=("amsterdam",),
        shares={2: 1.0},
        house=HOUSE,
        anchors={"planner": 1500.0, "greedy": 725.0, "random": 140.0},
        anchor_errors={"greedy": 28.0, "random": 33.0},
    ),
    LadderPlan(
        slug="daily",
        name="New boards every day",
        summary=DAILY_BOARDS,
        boards=("daily:24",),
        shares={2: 1.0, 3: 1.0, 4: 1.0},
        house=HOUSE,
        anchors={"planner": 1500.0},
    ),
)
"""The ladders of a new platform."""

LEAGUE_BOTS: Final = ("planner", "mcts:iterations=20", "greedy", "mcts:iterations=5", "random")
LEAGUE_SUMMARY: Final = "The bots of the platform, each against each."
LEAGUE_RULES: Final[dict[str, Any]] = {
    "stages": [{"format": "round-robin", "double": True, "blocks": 2}],
    "boards": ["amsterdam"],
    "entry": {"kinds": ["house"]},
    "seeding": "entry",
    "games_a_minute": 2,
    "schedule": {"next_season_h": 1},
}
"""A season of 40 minutes. The next one opens an hour later, and starts after another hour.

Between 500 and 1,000 games a day keep the disk and the processor nearly idle.
"""


def make_admin(password_file: Path, now: datetime, name: str | None = None) -> User:
    """Return an active staff user; if there is none, create one and store the password in the file.

    Without a name a random one is chosen, as a well-known name could be locked out by anyone.

    Raises:
        Misuse: the name is not valid, or the former administrator lost the role or was deactivated.
    """
    with transaction.atomic():
        found = User.objects.filter(is_staff=True, is_active=True).order_by("pk").first()
        if found is not None:
            return found
        former = Q(is_staff=True) | Q(email__iendswith=_HOST)
        if User.objects.filter(former).exists():
            raise Misuse(
                "nobody of the staff may log in: damrak-ladder users activate NAME, "
                "or users role NAME staff (see: damrak-ladder users list)"
            )
        password = secrets.token_urlsafe(12)
        name = name or random_name()
        admin = User(username=name, email=f"{name}{_HOST}", date_joined=now)
        admin.set_password(password)
        try:
            admin.full_clean()
        except ValidationError as problem:
            raise Misuse(f"--admin {name}: {' '.join(problem.messages)}") from None
        admin.save()
        grant(admin, Role.STAFF)
        # Otherwise the address would have to be confirmed by mail first.
        EmailAddress.objects.create(user=admin, email=admin.email, verified=True, primary=True)
        write_whole(password_file, f"{password}\n".encode())
    return admin


def random_name() -> str:
    """Return a random name for the first administrator."""
    return "admin-" + "".join(secrets.choice(_NAME_LETTERS) for _ in range(6))


def first_password(password_file: Path, admin: User) -> str | None:
    """Return the administrator's generated password; None once it has been changed."""
    try:
        password = password_file.read_text("ascii").strip()
    except OSError:
        return None
    if admin.check_password(password):
        return password
    password_file.unlink(missing_ok=True)
    return None


def make_ladders(now: datetime) -> list[Ladder]:
    """Create the missing default ladders with their house bots; return the new ones."""
    known = set(Ladder.objects.values_list("slug", flat=True))
    return [create_ladder(plan, now) for plan in USUAL if plan.slug not in known]


def make_league(admin: User, now: datetime) -> Tournament | None:
    """Create a small league and let its first season run among house bots; None if there is one.

    A new platform shows a tournament at once.
    """
    if Tournament.objects.exists():
        return None
    with transaction.atomic():
        league = League.objects.create(
            slug="house-league", name="House league", owner=admin, created=now
        )
        name = "House league, season 1"
        plan = Plan("house-league-1", name, LEAGUE_RULES, LEAGUE_SUMMARY, league=league, season=1)
        made = create(admin, plan, now, is_platform=True)
        perform(made, Request(ActKind.OPEN), now)
        for spec in LEAGUE_BOTS:
            slug = house_version(spec, now).bot.slug
            perform(made, Request(ActKind.ENTER, {"slug": slug}), now)
        perform(made, Request(ActKind.CLOSE), now)
        perform(made, Request(ActKind.START), now)
    return made


def make_local_key(admin: User, now: datetime) -> bool:
    """Let this machine's user submit without logging in; return whether that is possible."""
    try:
        local_key.make(admin, now)
    except AccountError:
        return False  # the administrator has the maximum number of tokens
    return True
