"""Notices: created once, sent through the user's channels, in the user's language."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils.translation import gettext_lazy as _

from damrak_ladder.accounts.models import User
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.message_codes.block_codes import OperatorReason
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell, tell_staff
from damrak_ladder.notices.inbox import MOST_UNREAD, latest, mark_read, unread
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Delivery, Notice, Webhook
from damrak_ladder.notices.rules import rules_of, set_rule
from damrak_ladder.pipeline.upkeep.expiry import reap
from ladder.people import NOW, somebody
from ladder.tables import some_block, some_versions

pytestmark = pytest.mark.usefixtures("database")


def tell_plainly(user: User, key: str = "a", kind: Kind = Kind.QUALIFIED) -> bool:
    return tell(user, kind, key, "Hare 3 has qualified", "It plays.", "/bots/hare/3/", NOW)


def channels_of(user: User) -> set[str]:
    return set(Delivery.objects.filter(user=user).values_list("channel", flat=True))


def give_webhook(user: User) -> None:
    Webhook.objects.create(
        user=user, url="https://example.org/", salt="s", created=NOW, renewed=NOW
    )


def test_the_same_notice_is_created_once() -> None:
    ann, bob = somebody("ann"), somebody("bob")
    assert tell_plainly(ann)
    assert not tell_plainly(ann)
    assert tell_plainly(bob)
    assert Notice.objects.count() == Delivery.objects.count() == 2


def test_default_channels_are_mail_and_the_site() -> None:
    ann = somebody()
    tell_plainly(ann)
    assert unread(ann) == 1
    assert channels_of(ann) == {Channel.MAIL}


def test_a_configured_webhook_is_called() -> None:
    ann = somebody()
    give_webhook(ann)
    tell_plainly(ann)
    assert channels_of(ann) == {Channel.MAIL, Channel.WEBHOOK}


def test_without_an_address_no_mail_waits() -> None:
    nobody = User.objects.create(username="nobody")
    tell_plainly(nobody)
    assert not channels_of(nobody)


def test_a_rule_switches_one_way_of_one_kind() -> None:
    ann = somebody()
    set_rule(ann, Kind.QUALIFIED, Channel.MAIL, False)
    set_rule(ann, Kind.BENCHED, Channel.SITE, False)
    tell_plainly(ann, "a")
    tell_plainly(ann, "b", Kind.BENCHED)
    assert [notice.key for notice in latest(ann)] == ["a"]
    assert Delivery.objects.get().notice.key == "b"
    set_rule(ann, Kind.QUALIFIED, Channel.MAIL, True)
    tell_plainly(ann, "c")
    assert Delivery.objects.count() == 2


def test_rules_are_complete_and_those_of_staff_are_for_staff() -> None:
    ann = somebody()
    set_rule(ann, Kind.FAILED, Channel.WEBHOOK, False)
    rules = {row.kind: row.wanted for row in rules_of(ann)}
    assert rules[Kind.FAILED] == {Channel.SITE, Channel.MAIL}
    assert Channel.MAIL not in rules[Kind.RANK_CHANGE]
    assert Kind.DEAD_BLOCK not in rules
    ann.is_staff = True
    assert {row.kind for row in rules_of(ann)} == set(Kind)


def test_all_active_staff_are_notified_and_no_other_user() -> None:
    User.objects.create(username="eve", email="eve@example.org", is_staff=True)
    User.objects.create(username="old", is_staff=True, is_active=False)
    somebody()
    said = texts.host_quarantined("north", OperatorReason("it is slow"))
    assert tell_staff(Kind.HOST_QUARANTINED, "north:1", *said, "/hosts/", NOW) == 1
    assert tell_staff(Kind.HOST_QUARANTINED, "north:1", *said, "/hosts/", NOW) == 0
    assert Notice.objects.get().user.username == "eve"


def test_lazy_text_is_in_the_language_of_the_reader() -> None:
    dane = User.objects.create(username="dane", language="da")
    tell(dane, Kind.QUALIFIED, "a", _("Yes"), "-", "/", NOW)  # Django itself translates this word
    assert Notice.objects.get().subject == "Ja"


def test_a_subject_is_one_line_of_bounded_length() -> None:
    ann = somebody()
    tell(ann, Kind.QUALIFIED, "a", "x\r\nBcc: all@example.org " + "y" * 300, "t", "/", NOW)
    subject = Notice.objects.get().subject
    assert subject.startswith("x Bcc: all@example.org y")
    assert len(subject) == 200


@pytest.mark.parametrize(
    "link", ["", "bots/", "//evil.example/", "https://evil.example/", "/" * 400]
)
def test_a_link_stays_on_the_site(link: str) -> None:
    with pytest.raises(ValueError, match="path"):
        tell(somebody(), Kind.QUALIFIED, "a", "s", "t", link, NOW)


def test_the_list_goes_on_where_it_ended() -> None:
    ann = somebody()
    for number in range(5):
        tell_plainly(ann, str(number))
    first = latest(ann, limit=3)
    assert [notice.key for notice in first] == ["4", "3", "2"]
    assert [notice.key for notice in latest(ann, before=first[-1].pk)] == ["1", "0"]


def test_mark_read_affects_named_or_all_own_notices_only() -> None:
    ann, bob = somebody("ann"), somebody("bob")
    for number in range(3):
        tell_plainly(ann, str(number))
    tell_plainly(bob)
    theirs = latest(bob)[0].pk
    assert mark_read(ann, NOW, [latest(ann)[0].pk, theirs]) == 1
    assert (unread(ann), unread(bob)) == (2, 1)
    later = NOW + timedelta(hours=1)
    assert mark_read(ann, later) == 2
    assert [notice.read for notice in latest(ann)] == [NOW, later, later]


def test_unread_ones_are_counted_up_to_a_limit() -> None:
    ann = somebody()
    Notice.objects.bulk_create(
        Notice(user=ann, kind=Kind.FAILED, key=str(k), is_on_site=True, created=NOW)
        for k in range(MOST_UNREAD + 5)
    )
    assert unread(ann) == MOST_UNREAD


def test_rolled_back_notices_are_never_sent() -> None:
    ann = somebody()
    with transaction.atomic():
        tell_plainly(ann)
        transaction.set_rollback(True)
    assert not Notice.objects.exists()
    assert tell_plainly(ann)


def test_staff_is_notified_once_of_dead_blocks_without_repeated_lookups() -> None:
    for name in ("sam", "sue"):
        User.objects.filter(pk=somebody(name).pk).update(is_staff=True)
    versions = some_versions()
    counts = []
    for more in (2, 10):
        for _number in range(more):
            some_block(versions)
        Block.objects.update(state=BlockState.DEAD)
        reap(NOW)
        with CaptureQueriesContext(connection) as captured:
            reap(NOW)
        counts.append(len(captured))
    assert Notice.objects.count() == 2 * (2 + 10)
    assert counts[0] == counts[1]
    User.objects.filter(pk=somebody("new").pk).update(is_staff=True)
    reap(NOW)
    assert Notice.objects.count() == 3 * (2 + 10)
