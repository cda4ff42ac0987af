"""A model field stores messages, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection

from damrak_ladder.matches.models import Host
from damrak_ladder.message_codes.block_codes import HostComparison, HostSlow, OperatorReason
from damrak_ladder.message_codes.message import UnknownMessage

pytestmark = pytest.mark.usefixtures("database")

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SLOW = HostSlow(2.5, HostComparison(3, 4, 1e-6))


def host(reason: object = None) -> Host:
    return Host.objects.create(name="attic", reason=reason, first_seen=NOW, last_seen=NOW)


def test_messages_are_stored_and_restored():
    found = host(SLOW)
    found.refresh_from_db()
    assert found.reason == SLOW
    Host.objects.update(reason=OperatorReason("new \x00memory"))
    assert Host.objects.values_list("reason", flat=True).get() == OperatorReason("new memory")


def test_no_message_is_null():
    host()
    assert Host.objects.get(reason__isnull=True).reason is None
    assert not Host.objects.filter(reason__isnull=False).exists()


@pytest.mark.parametrize("text", ["", "slow", {"code": "worker-silent", "parameters": {}}])
def test_texts_are_rejected(text: object):
    with pytest.raises(TypeError, match="needs a message"):
        host(text)
    with pytest.raises(TypeError, match="needs a message"):
        Host.objects.update(reason=text)


@pytest.mark.parametrize("stored", ['{"code": "of-the-future", "parameters": {}}', "[]", '"x"'])
def test_messages_of_other_releases_can_be_read(stored: str):
    found = host()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE matches_host SET reason = %s", [stored])
    found.refresh_from_db()
    assert isinstance(found.reason, UnknownMessage)
