"""Moments of a match: the changes from event to event, as seen from one viewpoint.

The moments are those of the replay, so moment 42 is event 42. They are followed by those of the
final scoring, part by part. Each consists of the event without what is hidden from this viewpoint,
and the table values (`table.Table.values`) that changed since the moment before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from damrak_engine import events
from damrak_engine.board import Board
from damrak_engine.events import Event, event_to_json, seen_by
from damrak_engine.replay import Replay
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import Result
from damrak_ladder.web.replays.table import Table, Values
from damrak_ladder.web.replays.viewpoints import ALL, Eyes, seat_of

FORMAT: Final = "damrak-moments/1"
Moment: TypeAlias = tuple[dict[str, Any], Values]


def moments_of(replay: Replay, eyes: Eyes) -> dict[str, Any]:
    """Return the whole match from this viewpoint, as a JSON object."""
    rules = rules_for(replay.board, len(replay.seats), replay.options)
    moments = list(_played(rules, replay.events, eyes))
    moments += _scored(rules.board, replay.result, moments)
    deciders = _deciders(replay.events)
    for (_, change), now, before in zip(moments, deciders, [None, *deciders], strict=False):
        if now != before:
            change["actor"] = now
    return {
        **header_of(rules, [(p.bot, p.version, p.owner) for p in replay.seats]),
        "match": replay.match,
        "eyes": eyes,
        "over": True,
        "moments": moments,
    }


def header_of(rules: Rules, seats: list[tuple[str, str, str]]) -> dict[str, Any]:
    """Return the constant facts of a match."""
    board = rules.board
    return {
        "format": FORMAT,
        "seats": [
            {"bot": bot, "version": version, "owner": owner} for bot, version, owner in seats
        ],
        "deck": list(rules.deck),
        "carts": board.carts,
        "bonus": list(board.goods_bonus[rules.seats]),
        "places": [location.name for location in board.locations],
        "routes": [
            [route.a, route.b, route.length, route.colour, int(route.goods)]
            for route in board.routes
        ],
        "scores": list(board.route_points),
        "contracts": [[contract.a, contract.b, contract.points] for contract in board.contracts],
    }


class Projector:
    """Converts events, as they happen, into the moments of one viewpoint."""

    def __init__(self, rules: Rules, eyes: Eyes) -> None:
        self.table = Table(rules, seat_of(eyes))
        self._shown: Values = {}

    def show(self, event: Event, ms: int | None, left: int | None = None) -> Moment:
        """Return the moment of this event, from which hidden information has already been removed.

        `ms` is the time that it took, if that is public; `left` is the hand of a seat that leaves.
        """
        self.table.see(event, left)
        if isinstance(event, events.Decision) and ms and not event.ms:
            self.table.spent[event.seat] += ms
        values = self.table.values()
        changes = {name: value for name, value in values.items() if value != self._shown.get(name)}
        self._shown = values
        if isinstance(event, events.End):
            changes["actor"] = []
        data = event_to_json(event)
        if "ms" in data:
            data["ms"] = ms
        return data, changes


def _played(rules: Rules, happened: tuple[Event, ...], eyes: Eyes) -> Iterator[Moment]:
    truth = Table(rules, -1)  # knows the hand of a seat that leaves
    projector = Projector(rules, eyes)
    for event in happened:
        left = truth.known[event.seat] if isinstance(event, events.Fault) else None
        truth.see(event, left)
        seen = event if eyes == ALL else seen_by(event, seat_of(eyes))
        yield projector.show(seen, getattr(event, "ms", None), left)


def _deciders(happened: tuple[Event, ...]) -> list[list[int]]:
    """Return, for each event, the seats that must decide after it."""
    deciders: list[list[int]] = []
    due: list[int] = []
    for event in reversed(happened):
        deciders.append(due)
        if isinstance(event, events.Decision | events.Fault):
            due = [event.seat]
    return deciders[::-1]


def _scored(board: Board, result: Result, moments: list[Moment]) -> Iterator[Moment]:
    """Yield the moments of the final scoring, which is public."""
    known: Values = {}
    for _, changes in moments:
        known |= changes
    tally = [seat.routes for seat in result.seats]
    score = [int(known[f"s{number}"]) for number in range(len(tally))]
    yield {"event": "count_routes"}, {f"z{i}": points for i, points in enumerate(tally)}
    for number, seat in enumerate(result.seats):
        shown = known[f"c{number}"]
        for contract in (*seat.fulfilled, *seat.failed):
            is_done = contract in seat.fulfilled
            points = board.contracts[contract].points * (1 if is_done else -1)
            tally[number] += points
            changes = {f"z{number}": tally[number]}
            if None in shown:
                score[number] += points
                changes[f"s{number}"] = score[number]
                changes[f"c{number}"] = sorted((*seat.fulfilled, *seat.failed))
                changes[f"d{number}"] = list(seat.fulfilled)
            yield (
                {
                    "event": "count_contract",
                    "seat": number,
                    "contract": contract,
                    "points": points,
                },
                changes,
            )
    for number, seat in enumerate(result.seats):
        if seat.goods:
            tally[number] += seat.goods
            yield (
                {"event": "count_goods", "seat": number, "points": seat.goods},
                {f"z{number}": tally[number]},
            )
    places = {f"y{i}": seat.place for i, seat in enumerate(result.seats)}
    totals = {f"{name}{i}": seat.total for i, seat in enumerate(result.seats) for name in "sz"}
    yield {"event": "places", "reason": result.reason}, places | totals
