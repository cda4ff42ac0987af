"""Users' choices of kinds of notices and channels."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.kinds import STAFF_KINDS, Channel, Kind, is_wanted_by_default
from damrak_ladder.notices.models import Rule


@dataclass(frozen=True, slots=True)
class KindRules:
    """One kind of notice, and the channels by which a user wants it."""

    kind: Kind
    wanted: frozenset[Channel]


def rules_of(user: User) -> list[KindRules]:
    """Return the kinds of notices that this user may receive, in order, with their channels."""
    said = {
        (kind, channel): is_wanted
        for kind, channel, is_wanted in Rule.objects.filter(user=user).values_list(
            "kind", "channel", "is_wanted"
        )
    }
    return [
        KindRules(
            kind,
            frozenset(
                channel
                for channel in Channel
                if said.get((kind, channel), is_wanted_by_default(kind, channel))
            ),
        )
        for kind in Kind
        if user.is_staff or kind not in STAFF_KINDS
    ]


def wanted(user: User, kind: Kind) -> frozenset[Channel]:
    """Return the channels by which this user wants notices of this kind."""
    said = dict(Rule.objects.filter(user=user, kind=kind).values_list("channel", "is_wanted"))
    return frozenset(
        channel for channel in Channel if said.get(channel, is_wanted_by_default(kind, channel))
    )


def set_rule(user: User, kind: Kind, channel: Channel, is_wanted: bool) -> None:
    """Set whether this user wants notices of this kind by this channel."""
    Rule.objects.update_or_create(
        user=user, kind=kind, channel=channel, defaults={"is_wanted": is_wanted}
    )
