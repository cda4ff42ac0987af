"""Unsubscribing from mails without a password, by a signed link in each of them."""

from __future__ import annotations

from typing import Final

from django.core.signing import BadSignature, Signer

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Delivery, DeliveryState
from damrak_ladder.notices.rules import set_rule

_SIGNER: Final = "damrak.notices.stop"


def stop_path(user: User) -> str:
    """Return the path of the unsubscribe page of this user, without a language prefix."""
    return f"/notices/stop/{Signer(salt=_SIGNER).sign(str(user.pk))}/"


def find_user(token: str) -> User | None:
    """Return the user of this link; None if the signature is not valid. It does not expire."""
    try:
        key = Signer(salt=_SIGNER).unsign(token)
    except BadSignature:
        return None
    return User.objects.filter(pk=int(key)).first()


def stop_mails(user: User) -> None:
    """Unsubscribe this user from all mails."""
    for kind in Kind:
        set_rule(user, kind, Channel.MAIL, False)
    Delivery.objects.filter(user=user, channel=Channel.MAIL, state=DeliveryState.WAITING).delete()
