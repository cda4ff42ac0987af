"""The parts of the API: modules with a router, in the order of the description."""

from __future__ import annotations

from typing import Final

from damrak_ladder.api import (
    account,
    administration,
    analyses,
    canaries,
    devices,
    divergences,
    entries,
    follows,
    highlights,
    hosts,
    index,
    knockouts,
    ladders,
    matches,
    people,
    people_games,
    predictions,
    preferences,
    profiles,
    puzzles,
    queue,
    roles,
    runtime,
    sessions,
    standings,
    submissions,
    timing,
    trials,
    webhooks,
)
from damrak_ladder.api.lists import operations
from damrak_ladder.api.streams import operations as streams
from damrak_ladder.api.tables import operations as tables
from damrak_ladder.api.tournaments import acts, bulk_entry, forecasts, seasons

PARTS: Final = (
    index,
    devices,
    ladders,
    standings,
    knockouts,
    profiles,
    operations,
    divergences,
    matches,
    timing,
    analyses,
    submissions,
    trials,
    canaries,
    queue,
    hosts,
    runtime,
    acts,  # with all operations on tournaments
    bulk_entry,
    forecasts,
    seasons,
    entries,
    people,
    people_games,
    tables,
    puzzles,
    highlights,
    predictions,
    account,
    preferences,
    follows,
    sessions,
    administration,
    roles,
    streams,
    webhooks,
)
