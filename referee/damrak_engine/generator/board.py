"""Generation of a board, from the first location to the last contract."""

from __future__ import annotations

from typing import Any, Final

from damrak_engine.board import COLOUR_WORDS, FORMAT, ROUTE_COLOURS, parse_board
from damrak_engine.drawing.labels import Label
from damrak_engine.generator.contracts import Errand, write_contracts
from damrak_engine.generator.decoration import Track, goods_cards, lay_tracks
from damrak_engine.generator.draws import Draws
from damrak_engine.generator.health import health
from damrak_engine.generator.names import location_names, slug, town_name
from damrak_engine.generator.plan import Plan, make_plan

LOCATIONS: Final = range(12, 41)
FEWEST_SPACES: Final = 70  # docs/boards.md shows where stalemates begin
SAMPLE: Final = 150  # games; docs/boards.md explains why this number is enough
MOST_ATTEMPTS: Final = 500


def generate(seed: int, locations: int) -> dict[str, Any]:
    """Return a board as the JSON object of its file, always the same for a seed and size.

    Raises:
        ValueError: the number of locations is not from 12 to 40.
    """
    if locations not in LOCATIONS:
        raise ValueError(f"a board has from {LOCATIONS[0]} to {LOCATIONS[-1]} locations")
    for attempt in range(MOST_ATTEMPTS):
        draws = Draws(seed, f"{locations} locations, attempt {attempt}")
        found = _attempt(draws, seed, locations)
        if found is not None and health(parse_board(found), SAMPLE, draws.fraction).is_healthy:
            return found
    raise AssertionError(f"no board in {MOST_ATTEMPTS} attempts")  # never seen


def _attempt(draws: Draws, seed: int, locations: int) -> dict[str, Any] | None:
    found = make_plan(draws, location_names(draws, locations))
    if found is None:
        return None
    plan, labels = found
    tracks = lay_tracks(draws, plan)
    if sum(track.length for track in tracks) < FEWEST_SPACES:
        return None
    errands = write_contracts(draws, plan)
    ends = {end for errand in errands for end in (errand.a, errand.b)}
    if len(ends) < locations:
        return None
    return _written(town_name(draws), seed, plan, labels, tracks, errands)


def _written(
    town: str,
    seed: int,
    plan: Plan,
    labels: tuple[Label, ...],
    tracks: list[Track],
    errands: list[Errand],
) -> dict[str, Any]:
    ids = [slug(name) for name in plan.names]
    left, top = min(spot.x for spot in plan.spots), min(spot.y for spot in plan.spots)
    return {
        "format": FORMAT,
        "id": f"{slug(town)}-{len(ids)}-{seed}",
        "name": town,
        "players": [2, 4],
        "carts_per_player": 16,
        "colours": list(COLOUR_WORDS),
        "cards_per_colour": 6,
        "wild_cards": 8,
        "goods_cards": goods_cards(len(tracks)),
        "route_points": {"1": 1, "2": 2, "3": 4, "4": 7},
        "goods_bonus": {"2": [8, 4], "3": [8, 5, 2], "4": [8, 6, 4, 2]},
        "note": f"Invented by damrak's board generator, version 1, from seed {seed}.",
        "locations": [
            {
                "id": ids[i],
                "name": name,
                "x": plan.spots[i].x - left,
                "y": plan.spots[i].y - top,
                "label": labels[i].side,
            }
            for i, name in enumerate(plan.names)
        ],
        "routes": [
            {
                "id": i,
                "from": ids[track.a],
                "to": ids[track.b],
                "length": track.length,
                "colour": ROUTE_COLOURS[track.colour],
                "goods": track.goods,
                **({} if track.twin is None else {"twin": track.twin}),
            }
            for i, track in enumerate(tracks)
        ],
        "contracts": [
            {"id": i, "from": ids[errand.a], "to": ids[errand.b], "points": errand.points}
            for i, errand in enumerate(errands)
        ],
    }
