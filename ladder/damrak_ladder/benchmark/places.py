"""The measured addresses: every kind of page and API response, drawn from a generated database."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from urllib.parse import urlencode

from damrak_ladder.accounts.models import User
from damrak_ladder.benchmark.large_tournament import SLUG
from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Block, BlockState, Fault, Ladder, Match
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.trials.models import Trial

EACH: Final = 30
"""The number of different addresses of each kind, if the database has that many."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page or API response, with addresses of that kind."""

    name: str
    addresses: Sequence[str]
    is_private: bool = False  # needs a session or a token


@dataclass(frozen=True, slots=True)
class Known:
    """The parts of a generated database from which addresses are drawn."""

    chance: random.Random
    me: User
    ladders: list[str]
    blocks: Sequence[int]
    matches: Sequence[int]

    def some(self, make: Callable[[], str], count: int = EACH) -> list[str]:
        """Return up to `count` different addresses from repeated calls of `make`."""
        return list(dict.fromkeys(make() for _ in range(count)))


def kinds(me: User, today: date, seed: int = 1) -> list[Kind]:
    """Return all kinds of pages; the seed determines which addresses are drawn."""
    recorded = Block.objects.filter(state=BlockState.RECORDED)
    matches = Match.objects.exclude(replay="")
    known = Known(
        chance=random.Random(seed),  # noqa: S311 - guards no secret
        me=me,
        ladders=list(Ladder.objects.order_by("slug").values_list("slug", flat=True)),
        blocks=list(recorded.order_by("pk").values_list("pk", flat=True)),
        matches=list(matches.order_by("pk").values_list("pk", flat=True)),
    )
    every = [
        *_reading(),
        *_ladders(known, today),
        *_bots(known),
        *_games(known),
        *_own(known),
        *_api(known),
    ]
    return [*every, *_tournaments()]


def _reading() -> list[Kind]:
    return [
        Kind("home", ["/en/", "/da/", "/nb/", "/nl/", "/fi/", "/pl/"]),
        Kind("course", ["/en/learn/", "/pl/learn/"]),
        Kind("predictions", ["/en/predictions/", "/pl/predictions/"]),
        Kind("highlights", ["/en/highlights/", "/en/highlights/?week=", "/en/records/"]),
        Kind("puzzles", ["/en/puzzles/", "/en/puzzles/all/", "/en/puzzles/all/?sort=hard"]),
    ]


def _ladders(known: Known, today: date) -> list[Kind]:
    draw = known.chance.choice

    def ladder(**asked: object) -> str:
        return f"/en/ladders/{draw(known.ladders)}/?{urlencode(asked)}"

    def past() -> str:
        return str(today - timedelta(days=known.chance.randrange(1, 170)))

    bots = Bot.objects.filter(live__isnull=False).count()

    def down() -> int:
        return known.chance.randrange(bots // 20, bots * 8 // 10)

    return [
        Kind("ladders", ["/en/ladders/"]),
        Kind("ladder", [f"/en/ladders/{slug}/" for slug in known.ladders]),
        Kind(
            "ladder, one table size",
            [f"/en/ladders/mixed/?seats={seats}" for seats in (2, 3, 4)],
        ),
        Kind(
            "ladder, one kind of bot",
            known.some(lambda: ladder(kind=draw(["uploaded", "remote", "house"]))),
        ),
        Kind(
            "ladder, sorted",
            known.some(lambda: ladder(sort=draw(["first", "games", "faults", "trend", "width"]))),
        ),
        Kind("ladder, far down", known.some(lambda: ladder(after=f"r{down()}"))),
        Kind("ladder, a past day", known.some(lambda: ladder(on=past()))),
        Kind(
            "ladder, a past day, far down",
            known.some(lambda: ladder(on=past(), after=f"r{down() // 3}")),
        ),
        Kind("blocks of a ladder", [f"/en/ladders/{slug}/blocks/" for slug in known.ladders]),
        Kind(
            "blocks of a ladder, far down",
            known.some(
                lambda: f"/en/ladders/{draw(known.ladders)}/blocks/?before={draw(known.blocks)}"
            ),
        ),
        Kind("matrix", [f"/en/ladders/{slug}/matrix/" for slug in known.ladders]),
        Kind("knockout", [f"/en/ladders/{slug}/knockout/?size=16" for slug in known.ladders]),
        Kind("queue", ["/en/queue/"]),
        Kind("hosts", ["/en/hosts/"]),
        Kind(
            "search", known.some(lambda: f"/en/search/?q={draw(['heron', 'can', 'pike-l', '77'])}")
        ),
        Kind("rules", ["/en/rules/", "/da/rules/", "/fi/rules/"]),
        Kind("docs", ["/en/docs/", "/en/docs/boards/", "/en/docs/replay/", "/en/docs/ratings/"]),
        Kind("feed of a ladder", [f"/en/ladders/{slug}/feed/" for slug in known.ladders]),
        Kind("feed of blocks", [f"/en/ladders/{slug}/blocks/feed/" for slug in known.ladders]),
        Kind("feed of everything", ["/en/feed/"]),
        Kind("log in", ["/en/accounts/login/"]),
    ]


def _tournaments() -> list[Kind]:
    """Return the pages of the large tournament, if there is one."""
    if not Tournament.objects.filter(slug=SLUG).exists():
        return []
    pages = {
        "tournament": "",
        "standings of 200 entrants": "standings/",
        "entrants, 200": "entrants/",
        "round of 200 entrants": "rounds/0/9/",
        "cross-table": "cross-table/0/",
    }
    return [Kind(name, [f"/en/tournaments/{SLUG}/{path}"]) for name, path in pages.items()]


def _bots(known: Known) -> list[Kind]:
    slugs = list(Bot.objects.filter(live__isnull=False).values_list("slug", flat=True))
    busy = list(
        Bot.objects.filter(slug__startswith="house-").values_list("slug", flat=True)
    ) + list(known.me.bots.values_list("slug", flat=True))
    numbers = list(
        Version.objects.filter(number__lt=1000).values_list("bot__slug", "number")[:20_000]
    )
    owners = list(
        User.objects.filter(bots__isnull=False).distinct().values_list("username", flat=True)
    )
    draw = known.chance.choice

    def version() -> str:
        slug, number = draw(numbers)
        return f"/en/bots/{slug}/{number}/"

    return [
        Kind("bot", known.some(lambda: f"/en/bots/{draw(slugs)}/")),
        Kind("bot, busiest", [f"/en/bots/{slug}/" for slug in busy]),
        Kind(
            "bot, far down",
            known.some(lambda: f"/en/bots/{draw(busy)}/?before={draw(known.blocks)}"),
        ),
        Kind("version", known.some(version)),
        Kind("version, busiest", [f"/en/bots/{slug}/1/" for slug in busy]),
        Kind("compare", known.some(lambda: f"/en/compare/?a={draw(slugs)}&b={draw(slugs)}")),
        Kind("person", known.some(lambda: f"/en/owners/{draw(owners)}/")),
        Kind("feed of a bot", known.some(lambda: f"/en/bots/{draw(slugs)}/feed/")),
    ]


def _games(known: Known) -> list[Kind]:
    draw = known.chance.choice
    matches = known.some(lambda: str(draw(known.matches)))
    running = Match.objects.filter(block__state=BlockState.RUNNING).values_list("pk", flat=True)
    return [
        Kind("play", ["/en/play/"]),
        Kind("match", [f"/en/matches/{match}/" for match in matches]),
        Kind("match, running", [f"/en/matches/{match}/" for match in running[:5]]),
        Kind("match, embedded", [f"/en/matches/{match}/embed/" for match in matches]),
        Kind("match, checked", [f"/en/matches/{match}/verify/" for match in matches]),
        Kind("moments of a match", [f"/matches/{match}/moments/all.json" for match in matches]),
        Kind("position of a match", [f"/matches/{match}/position.svg" for match in matches]),
        Kind("position as PNG", [f"/matches/{match}/position.png?at=90" for match in matches[:8]]),
        Kind("film of a match", [f"/matches/{match}/film.svg" for match in matches]),
        Kind("replay of a match", [f"/matches/{match}/replay.json" for match in matches]),
        Kind("card of a match", [f"/matches/{match}/card.png" for match in matches[:8]]),
        Kind("block", known.some(lambda: f"/en/blocks/{draw(known.blocks)}/")),
    ]


def _own(known: Known) -> list[Kind]:
    me = known.me
    busiest = max(me.bots.all(), key=lambda bot: bot.versions.count())
    trials = Trial.objects.filter(owner=me).values_list("pk", flat=True)
    faulty = Fault.objects.exclude(seat=None).order_by("-pk")
    seats = faulty.values_list("match", "seat__number")[:EACH]
    pages = {
        "desk": ["/en/desk/"],
        "desk: submit": ["/en/desk/submit/", "/en/desk/remote/"],
        "desk: a bot": [f"/en/desk/bots/{busiest.slug}/"],
        "desk: a version": [f"/en/desk/bots/{busiest.slug}/{n}/" for n in (1, 2, 3)],
        "desk: tests": ["/en/desk/tests/"],
        "desk: a test": [f"/en/desk/tests/{pk}/" for pk in trials],
        "desk: tokens": ["/en/desk/tokens/"],
        "desk: notices": ["/en/desk/notices/"],
        "desk: webhooks": ["/en/desk/webhooks/"],
        "organise": ["/en/organise/"],
        "log of a seat": [f"/en/matches/{match}/seats/{seat}/log/" for match, seat in seats],
    }
    return [Kind(name, addresses, is_private=True) for name, addresses in pages.items()]


def _api(known: Known) -> list[Kind]:
    draw = known.chance.choice
    slugs = list(Bot.objects.filter(live__isnull=False).values_list("slug", flat=True)[:2000])
    versions = list(Version.objects.values_list("pk", flat=True)[:2000])
    matches = known.some(lambda: str(draw(known.matches)))
    mine = list(Version.objects.filter(bot__owner=known.me).values_list("pk", flat=True)[:EACH])
    trials = list(Trial.objects.filter(owner=known.me).values_list("pk", flat=True))
    begin = "/api/v1"
    public = {
        "api: index": ["/"],
        "api: ladders": ["/ladders"],
        "api: ladder": [f"/ladders/{slug}" for slug in known.ladders],
        "api: ratings, 50": [f"/ladders/{slug}/ratings?limit=50" for slug in known.ladders],
        "api: ratings, 1000": [f"/ladders/{slug}/ratings" for slug in known.ladders],
        "api: ratings, far down": [
            f"/ladders/{slug}/ratings?limit=50&offset=5000" for slug in known.ladders
        ],
        "api: bots": ["/bots?limit=50", "/bots?limit=50&offset=500"],
        "api: bots, 200 far down": ["/bots?offset=5000", "/bots?offset=9000"],
        "api: bot": [f"/bots/{draw(slugs)}" for _ in range(EACH)],
        "api: versions of a bot": [f"/bots/{draw(slugs)}/versions" for _ in range(EACH)],
        "api: version": [f"/versions/{draw(versions)}" for _ in range(EACH)],
        "api: match": [f"/matches/{match}" for match in matches],
        "api: replay": [f"/matches/{match}/replay" for match in matches],
        "api: queue": ["/queue"],
    }
    private = {
        "api: me": ["/me"],
        "api: journey": [f"/versions/{pk}/steps" for pk in mine],
        "api: failures": [f"/versions/{pk}/failures" for pk in mine],
        "api: tests": ["/trials"],
        "api: a test": [f"/trials/{pk}" for pk in trials],
    }
    return [
        *(Kind(name, [begin + rest for rest in found]) for name, found in public.items()),
        *(Kind(name, [begin + rest for rest in found], True) for name, found in private.items()),
    ]
