"""What everybody wants to be told, and by which ways."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.kinds import STAFF_KINDS, Channel, Kind, is_wanted_by_default
from damrak_ladder.notices.models import Rule


@dataclass(frozen=True, slots=True)
class KindRules:
    """One kind of notice, and the ways by which a user wants it."""

    kind: Kind
    wanted: frozenset[Channel]


def rules_of(user: User) -> list[KindRules]:
    """All that this user may be told, in the order of the kinds."""
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
    """The ways by which this user wants to be told about that."""
    said = dict(Rule.objects.filter(user=user, kind=kind).values_list("channel", "is_wanted"))
    return frozenset(
        channel for channel in Channel if said.get(channel, is_wanted_by_default(kind, channel))
    )


def set_rule(user: User, kind: Kind, channel: Channel, is_wanted: bool) -> None:
    """Note whether this user wants to be told about that by this way."""
    Rule.objects.update_or_create(
        user=user, kind=kind, channel=channel, defaults={"is_wanted": is_wanted}
    )
