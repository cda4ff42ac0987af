"""The start ranks of entrants."""

from __future__ import annotations

import hashlib
import json

import pytest

from ladder.tournaments.cups import act, cup
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")


def test_lots_follow_from_a_seed_that_is_published_after_the_start() -> None:
    tournament, user = cup(8, seeding="lot")
    act(tournament, user, "close")
    client = visitor()
    for path in ("", "/export"):
        assert json.loads(client.get(f"/api/v1/tournaments/cup{path}").content)["lot_seed"] is None
    assert "drawn with this seed" not in page(client, "/tournaments/cup/entrants/")
    act(tournament, user, "start")
    export = json.loads(client.get("/api/v1/tournaments/cup/export").content)
    seed = export["lot_seed"]
    assert seed in page(client, "/tournaments/cup/entrants/")
    numbers = [one["entrant"] for one in export["entrants"]]  # the first seed first
    assert numbers == sorted(
        numbers, key=lambda one: hashlib.sha256(f"{seed} {one}".encode()).hexdigest()
    )
    assert numbers != sorted(numbers)
    assert bytes(tournament.secret).hex()[:32] != seed
