"""Tournaments for tests, played with made-up results."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.bots.models import Kind, State, Version
from damrak_ladder.matches.models import Host, Seat
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.tournaments import desk
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.duties import advance, run_duties
from damrak_ladder.tournaments.log.acts import Kind as ActKind
from damrak_ladder.tournaments.models import League, Tournament
from ladder.bot_versions import some_bot, some_version
from ladder.flow import Player, some_host
from ladder.people import NOW, somebody

STEP = timedelta(seconds=2)


def organiser(name: str = "olga") -> User:
    """Return a user with the role of an organiser."""
    user = somebody(name)
    grant(user, Role.ORGANISER)
    return user


def rules(format_: str = "round-robin", **more: Any) -> dict[str, Any]:
    """Return rules with one stage; names of the stage's fields are recognised."""
    stage = {"format": format_}
    for name in ("players", "rounds", "blocks", "sudden_death_limit", "third_place", "double"):
        if name in more:
            stage[name] = more.pop(name)
    return {"stages": [stage], "boards": ["practice"], "seeding": "entry", **more}


def entered_bot(slug: str, kind: Kind = Kind.HOUSE) -> Version:
    """Return a qualified live version of a new bot with an owner of its own."""
    bot = some_bot(slug)
    version = some_version(bot, kind=kind)
    Version.objects.filter(pk=version.pk).update(state=State.QUALIFIED)
    bot.live = version
    bot.save()
    return version


def cup(
    entrants: int,
    format_: str = "round-robin",
    slug: str = "cup",
    remote: Collection[int] = (),
    **more: Any,
) -> tuple[Tournament, User]:
    """Return a tournament with entries of this many bots, not started, and its organiser."""
    user = organiser(f"organiser-of-{slug}")
    tournament = create(user, Plan(slug, slug.title(), rules(format_, **more)), NOW)
    act(tournament, user, "open")
    for number in range(1, entrants + 1):
        kind = Kind.REMOTE if number in remote else Kind.HOUSE
        version = entered_bot(f"{slug}-{number}", kind)
        act(tournament, user, "enter", {"slug": version.bot.slug})
    return tournament, user


def started(
    entrants: int, format_: str = "round-robin", slug: str = "cup", **more: Any
) -> tuple[Tournament, User]:
    """Return a tournament whose first round is paired."""
    tournament, user = cup(entrants, format_, slug, **more)
    act(tournament, user, "close")
    act(tournament, user, "start")
    advance(tournament, NOW)
    tournament.refresh_from_db()
    return tournament, user


def act(
    tournament: Tournament,
    user: User | None,
    kind: str,
    payload: dict[str, Any] | None = None,
    now: datetime = NOW,
    **more: Any,
) -> desk.Answer:
    """Perform an act, by default with a reason."""
    more.setdefault("reason", "for a test")
    request = desk.Request(ActKind(kind), payload or {}, actor=user, **more)
    return desk.perform(tournament, request, now)


def some_league(*seasons: Tournament) -> League:
    """Return a league with these seasons."""
    owner = seasons[0].owner
    league = League.objects.create(slug="league", name="The League", owner=owner, created=NOW)
    for number, one in enumerate(seasons, 1):
        Tournament.objects.filter(pk=one.pk).update(league=league, season=number)
    return league


def by_number(seat: Seat) -> float:
    """Return the strength of an entrant of a cup: the first is far the best."""
    return -100.0 * int(seat.version.bot.slug.rpartition("-")[2])


def play(
    tournament: Tournament,
    rounds: int = 200,
    now: datetime = NOW,
    strength: Callable[[Seat], float] = by_number,
    until: Callable[[], bool] = lambda: False,
    pairs: bool = True,
) -> datetime:
    """Book, play and pair until nothing happens any more; return the time afterwards."""
    if not Host.objects.exists():
        some_host(workers=16, now=now)
    player, tokens = Player(strength=strength), secrets.token_bytes
    idle = 0
    for _ in range(rounds):
        now += STEP
        Host.objects.update(last_seen=now)
        schedule(now, tokens)
        dispatch(now, player.send)
        done = player.play_all(now)
        if until():
            break
        acts = run_duties(now) if pairs else 0
        idle = 0 if done or acts else idle + 1
        if idle > 2:
            break
    tournament.refresh_from_db()
    return now
