"""The number of database queries of pages does not grow with the data."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.benchmark.places import kinds
from damrak_ladder.population.population import MARK, Size, erase, populate
from ladder.visitors import visitor

FEW = Size(bots=20, matches=250, replays=3, seed=3)
MANY = Size(bots=200, matches=3000, replays=3, seed=3)
_A_KIND = 3


def queries(size: Size) -> dict[str, int]:
    """Return the highest number of queries among a few pages of each kind."""
    now = timezone.now()
    populate(size, now, lambda what, share: None)
    me = User.objects.get(username=MARK)
    mine = visitor(me)
    token = issue(me, "test", [Scope.READ], now)[1]
    found = {}
    for kind in kinds(me, now.date()):
        client: Any = Client(HTTP_HOST="127.0.0.1")
        if kind.is_private and kind.addresses[0].startswith("/api/"):
            client = Client(HTTP_HOST="127.0.0.1", HTTP_AUTHORIZATION=f"Bearer {token}")
        elif kind.is_private:
            client = mine
        counts = []
        for address in [*kind.addresses[:_A_KIND], *kind.addresses[-_A_KIND:]]:
            cache.clear()  # rate limits, and cached lookups
            with CaptureQueriesContext(connection) as captured:
                status = client.get(address).status_code
            assert status == 200, (address, status)
            counts.append(len(captured))
        found[kind.name] = max(counts)
    return found


@pytest.mark.parametrize("committed", ["postgresql"], indirect=True)
def test_more_rows_take_no_more_queries(
    committed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = timezone.now()  # if a day ends in the meantime, its tables are not stored
    monkeypatch.setattr(timezone, "now", lambda: moment)
    few = queries(FEW)
    erase()
    many = queries(MANY)
    assert {name: count for name, count in many.items() if count > few[name]} == {}
