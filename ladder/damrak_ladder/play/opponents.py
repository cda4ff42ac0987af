"""The bots that people can play against: house bots, and bots whose authors allow it.

A remote bot can be chosen while its live version waits in the lobby of a host.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from damrak_ladder.bots.house import display_name, house_version
from damrak_ladder.bots.models import Bot, Kind, Version
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.pipeline.queue.capacity import places, present
from damrak_ladder.pipeline.queue.waiting_blocks import remotes_of
from damrak_ladder.play.errors import BadChoice, BotAway
from damrak_ladder.play.models import OpenBot

HOUSE: Final = ("greedy", "planner", "mcts:iterations=20", "random")
"""The specs of the house bots to choose from."""

MOST: Final = 100
"""How many other bots are offered."""

_HOUSE_NAMES: Final = {spec.replace(":", "-").replace("=", "-"): spec for spec in HOUSE}


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot to choose: the value in forms, and its name."""

    value: str
    slug: str
    name: str


def house_opponents() -> list[Opponent]:
    """Return the house bots to choose from, the easiest to begin with first."""
    return [
        Opponent(value, f"house-{value}", display_name(spec))
        for value, spec in _HOUSE_NAMES.items()
    ]


def open_opponents(now: datetime) -> list[Opponent]:
    """Return the bots whose authors let people play against them, if they can play now."""
    bots = _allowed().order_by("slug")
    rows = list(bots.values_list("slug", "name", "live", "live__kind"))
    remotes = [version for *_names, version, kind in rows if kind == Kind.REMOTE and version]
    away = set(remotes) - connected(remotes, now)
    offered = [(slug, name) for slug, name, version, _kind in rows if version not in away]
    return [Opponent(f"bot-{slug}", slug, name) for slug, name in offered[:MOST]]


def connected(remotes: Collection[int], now: datetime) -> frozenset[int]:
    """Return which of these remote versions wait in the lobby of any host."""
    if not remotes:
        return frozenset()
    return present(places(now)).intersection(remotes)


def awaited(block: Block, now: datetime) -> QuerySet[Version, Version]:
    """Return the remote versions that are not connected, while a game waits for its beginning."""
    if block.state != BlockState.WAITING:
        return Version.objects.none()
    remotes = remotes_of([block.pk]).get(block.pk, frozenset())
    away = remotes - connected(remotes, now)
    return Version.objects.filter(pk__in=away).select_related("bot").order_by("pk")


def _allowed() -> QuerySet[Bot, Bot]:
    kinds = (Kind.UPLOADED, Kind.REMOTE)
    return Bot.objects.filter(open_to_people__isnull=False, live__kind__in=kinds)


def versions_of(values: Sequence[str], now: datetime) -> list[Version]:
    """Return the versions that these values of a form name.

    Raises:
        BadChoice: there is no such opponent.
        BotAway: it is a remote bot that is not connected.
    """
    return [_version_of(value, now) for value in values]


def _version_of(value: str, now: datetime) -> Version:
    if value in _HOUSE_NAMES:
        return house_version(_HOUSE_NAMES[value], now)
    slug = value.removeprefix("bot-")
    bot = _allowed().filter(slug=slug).select_related("live").first() if slug != value else None
    if bot is None or bot.live is None:
        raise BadChoice(value)
    if bot.live.kind == Kind.REMOTE and not connected([bot.live.pk], now):
        raise BotAway(bot.slug)
    return bot.live


def is_open(bot: Bot) -> bool:
    """Return whether people may play against this bot."""
    return OpenBot.objects.filter(bot=bot).exists()


def set_open(bot: Bot, *, is_to_be_open: bool, now: datetime) -> None:
    """Let people play against this bot, or no longer; games that have begun go on."""
    if is_to_be_open:
        OpenBot.objects.get_or_create(bot=bot, defaults={"since": now})
    else:
        OpenBot.objects.filter(bot=bot).delete()
