"""House bots: part of the platform, identified by their spec, such as `mcts:ms=100`.

Each is a bot with one version, owned by the account "house", which cannot be used to log in.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.archives import content_of
from damrak_ladder.bots.models import Bot, Kind, Promotion, State, Version
from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note

OWNER: Final = "house"
PREFIX: Final = "house-"
"""The prefix of the slugs of house bots, reserved for them."""

GUEST: Final = "guest"
"""What follows the prefix in the slugs of the stand-ins for people at a table."""

HOUSE_BOTS: Final[dict[str, frozenset[str]]] = {
    "random": frozenset(),
    "greedy": frozenset(),
    "planner": frozenset(),
    "mcts": frozenset({"ms", "iterations"}),
}
"""The names of house bots, and the parameters that each accepts."""


def check_spec(spec: str) -> None:
    """Check that a spec names a house bot.

    Raises:
        ValueError: no such bot, parameter or value; the message is one line for users.
    """
    name, _, given = spec.partition(":")
    if name not in HOUSE_BOTS:
        raise ValueError(f"no house bot {name!r}; there are: {', '.join(HOUSE_BOTS)}")
    for item in given.split(",") if given else []:
        key, _, text = item.partition("=")
        if key not in HOUSE_BOTS[name]:
            known = ", ".join(sorted(HOUSE_BOTS[name])) or "none"
            raise ValueError(f"{name} has no parameter {key!r}; it takes: {known}")
        if not re.fullmatch("[0-9]{1,9}", text):
            raise ValueError(f"{name}: {key} must be a whole number, not {text!r}")


def house_slug(spec: str) -> str:
    """Return the slug of the house bot with this spec."""
    return PREFIX + re.sub("[^a-z0-9]+", "-", spec).strip("-")


def display_name(spec: str) -> str:
    """Return the display name of this house bot: `mcts, 50 iterations`."""
    name, _, given = spec.partition(":")
    parts = [item.partition("=") for item in given.split(",") if item]
    return ", ".join([name, *(f"{value} {key}" for key, _, value in parts)])[:60]


def house_owner(now: datetime) -> User:
    """Return the account that owns house bots; it is created on first use."""
    user, is_new = User.objects.get_or_create(
        username=OWNER, defaults={"is_active": False, "date_joined": now}
    )
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def house_version(spec: str, now: datetime) -> Version:
    """Return the live version of a house bot; it is created on first use.

    Raises:
        ValueError: no such bot, parameter or value.
    """
    check_spec(spec)
    slug = house_slug(spec)
    with transaction.atomic():
        owner = house_owner(now)
        owner = User.objects.select_for_update(no_key=True).get(pk=owner.pk)  # one at a time
        bot, _ = Bot.objects.get_or_create(
            slug=slug, defaults={"owner": owner, "name": display_name(spec), "created": now}
        )
        if bot.live is not None and bot.live.spec == spec:
            return bot.live
        version = _version(bot, spec, now)
        before = bot.live_id
        Bot.objects.filter(pk=bot.pk).update(live=version)
        Promotion.objects.create(bot=bot, before_id=before, after=version, by=None, at=now)
        note(ChangeKind.BOT_CHANGED, bot.pk, now)
    return version


def guest_version(number: int, now: datetime) -> Version:
    """Return the stand-in for the person of this number at a table, from 1.

    It says nothing about the person, and is created on first use. It is never live, so no ladder
    or tournament admits it.
    """
    slug = f"{PREFIX}{GUEST}" if number == 1 else f"{PREFIX}{GUEST}-{number}"
    with transaction.atomic():
        owner = User.objects.select_for_update(no_key=True).get(pk=house_owner(now).pk)
        bot, _ = Bot.objects.get_or_create(
            slug=slug, defaults={"owner": owner, "name": f"Guest {number}", "created": now}
        )
        version, _ = Version.objects.get_or_create(
            bot=bot,
            content=content_of(slug.encode()),
            defaults={
                "number": 1,
                "kind": Kind.PERSON,
                "state": State.QUALIFIED,
                "created": now,
                "changed": now,
            },
        )
    return version


def _version(bot: Bot, spec: str, now: datetime) -> Version:
    version, _ = Version.objects.get_or_create(
        bot=bot,
        content=content_of(spec.encode()),
        defaults={
            "number": bot.versions.count() + 1,
            "kind": Kind.HOUSE,
            "spec": spec,
            "language": "Python",
            "state": State.QUALIFIED,
            "created": now,
            "changed": now,
        },
    )
    return version
