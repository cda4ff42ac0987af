"""Fills the data folder in DAMRAK_HOME for a site of browser tests."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import datetime

import django

from damrak_ladder.management import prepare
from ladder.databases import create_tables


def main(blocks: int) -> None:
    """Create the tables, and simulate this number of blocks; with 0, leave them empty."""
    prepare()
    django.setup()
    create_tables()
    from django.utils import timezone

    from damrak_ladder.highlights.analysed import collect_notable
    from damrak_ladder.highlights.collection import collect
    from damrak_ladder.puzzles.generation import make_puzzles
    from ladder.sites import fill

    if blocks:
        fill(timezone.now(), blocks=blocks, replays=1)
        _keep_notable_with_replays()
        collect()
        collect_notable()
        _tournament(timezone.now())
        _webhook(timezone.now())
        while make_puzzles(timezone.now):
            pass


def _keep_notable_with_replays() -> None:
    """Let notable games be games with replays, because other simulated blocks have none to draw."""
    from damrak_ladder.matches.models import SeatResult
    from damrak_ladder.replays.errors import ReplayStoreError
    from damrak_ladder.replays.storage import load
    from damrak_ladder.standings.models import Notable

    wins = SeatResult.objects.filter(place=1).select_related("seat__match").order_by("-pk")
    drawn = []
    for win in wins[:4]:
        with suppress(ReplayStoreError):
            load(win.seat.match.replay)
            drawn.append(win.seat)
    kept = dict(zip(Notable.objects.order_by("-pk"), drawn, strict=False))
    for row, seat in kept.items():
        row.match_id, row.version_id = seat.match_id, seat.version_id
        row.save()
    Notable.objects.exclude(pk__in=[row.pk for row in kept]).delete()


def _tournament(now: datetime) -> None:
    """Start a tournament of the live bots, whose organiser is a member of staff."""
    from damrak_ladder.accounts.models import User
    from damrak_ladder.bots.models import Bot
    from damrak_ladder.tournaments.creation import Plan, create
    from damrak_ladder.tournaments.duties import advance
    from damrak_ladder.tournaments.models import League, Tournament
    from ladder.tournaments.cups import act, rules

    sam = User.objects.get(username="sam")
    made = create(sam, Plan("evening", "Evening cup", rules("swiss", rounds=3)), now)
    for slug in Bot.objects.filter(live__isnull=False).values_list("slug", flat=True):
        act(made, sam, "enter", {"slug": slug}, now)
    for kind in ("open", "close", "start"):
        act(made, sam, kind, now=now)
    advance(made, now)
    league = League.objects.create(slug="house", name="House league", owner=sam, created=now)
    Tournament.objects.filter(pk=made.pk).update(league=league, season=1)


def _webhook(now: datetime) -> None:
    """Give an author a webhook with a delivery that failed and one that arrived."""
    from damrak_ladder.accounts.models import User
    from damrak_ladder.webhooks.fan_out import new_post
    from damrak_ladder.webhooks.models import Endpoint

    endpoint = Endpoint.objects.create(
        user=User.objects.get(username="ada"),
        url=f"https://hooks.example.org/{'damrak' * 12}",
        target="bot",
        name="canal-rat",
        types=["block.finished", "version.changed"],
        created=now,
        renewed=now,
    )
    data = {"block": 77, "matches": [301, 302], "ladder": "amsterdam", "bots": ["canal-rat"]}
    for number, state in enumerate(("dead", "sent")):
        post = new_post(endpoint, f"change {number}", "block.finished", now, data)
        post.created = post.due = post.tried = now
        post.state, post.tries = state, 10 - number
        post.trouble = "" if state == "sent" else "The response was 500."
        post.save()


if __name__ == "__main__":
    main(int(sys.argv[1]))
