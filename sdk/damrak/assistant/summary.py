"""A replay in a few hundred words: result, claims, tempo and turning points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from damrak_engine import events
from damrak_engine.replay import Replay, result_to_json

MOST_CLAIMS: Final = 60
_ACTIONS: Final = {
    events.Blind: "blind_draws",
    events.Take: "takes",
    events.Claim: "claims",
    events.Offer: "contract_draws",
    events.Pass: "passes",
}


def summary_of(replay: Replay) -> dict[str, Any]:
    """Return the result of each seat with what it did, and all claims in order."""
    claims = list(_claims(replay))
    last = [n for n, event in enumerate(replay.events) if isinstance(event, events.LastRound)]
    return {
        "match": replay.match,
        "board": replay.board.name,
        "events": len(replay.events),
        "ended": replay.result.reason,
        "last_round_at_event": last[0] if last else None,
        "seats": list(_seats(replay)),
        "claims": claims[:MOST_CLAIMS],
        "claims_left_out": max(0, len(claims) - MOST_CLAIMS),
        "faults": [
            {"event": n, "seat": event.seat, "reason": event.reason, "detail": event.detail}
            for n, event in enumerate(replay.events)
            if isinstance(event, events.Fault)
        ],
    }


def _claims(replay: Replay) -> Iterator[dict[str, Any]]:
    board = replay.board
    for number, event in enumerate(replay.events):
        if isinstance(event, events.Claim):
            yield {
                "event": number,
                "seat": event.seat,
                "route": board.route_name(event.route),
                "points": board.route_points[board.routes[event.route].length],
                "wilds": event.wilds,
            }


def _seats(replay: Replay) -> Iterator[dict[str, Any]]:
    board, rows = replay.board, result_to_json(replay.result)["seats"]
    for number, (player, row) in enumerate(zip(replay.seats, rows, strict=True)):
        own = [
            event
            for event in replay.events
            if isinstance(event, events.Decision) and event.seat == number
        ]
        counts = Counter(_ACTIONS[type(one)] for one in own if type(one) in _ACTIONS)
        yield {
            "seat": number,
            "bot": player.bot,
            "version": player.version,
            **row,
            "fulfilled": [board.contract_name(one) for one in row["fulfilled"]],
            "failed": [board.contract_name(one) for one in row["failed"]],
            **counts,
            "slowest_decision_ms": max((one.ms or 0 for one in own), default=0),
        }
