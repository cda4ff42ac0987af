"""Boards: the parsed form of a `damrak-board/1` file, and its schema.

`parse_board` is the only entry point. It validates everything that the engine later relies on, so
that no other code has to; every error names the field.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from damrak_engine.cards import COLOURS, GREY, MOST_OF_A_KIND, WORDS
from damrak_engine.errors import BoardError

FORMAT = "damrak-board/1"
COLOUR_WORDS = WORDS[:COLOURS]
ROUTE_COLOURS = (*COLOUR_WORDS, "grey")
MOST_CARTS = 200
MOST_GOODS = 200
MOST_LOCATIONS = 200
MOST_ROUTES = 400
MOST_CONTRACTS = 60  # the compiled engine keeps sets of contracts as unboxed masks
LONGEST_ROUTE = 12
LENGTHS = tuple(str(length) for length in range(1, LONGEST_ROUTE + 1))
LARGEST_COORDINATE = 100_000


@dataclass(frozen=True, slots=True)
class Location:
    """A place on the board; x grows to the right, y downwards."""

    id: str
    name: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Route:
    """A row of spaces between the locations with the indices `a` and `b`."""

    id: int
    a: int
    b: int
    length: int
    colour: int
    goods: bool
    twin: int | None

    @property
    def is_grey(self) -> bool:
        """Whether it can be paid for with any one colour."""
        return self.colour == GREY

    @property
    def colour_word(self) -> str:
        """`pink` … `orange` or `grey`."""
        return ROUTE_COLOURS[self.colour]


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract to join the locations with the indices `a` and `b`, worth `points`."""

    id: int
    a: int
    b: int
    points: int


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A validated board; routes and contracts are indexed by their id."""

    id: str
    name: str
    players: tuple[int, int]
    carts: int
    cards_per_colour: int
    wild_cards: int
    goods_cards: int
    route_points: tuple[int, ...]
    goods_bonus: tuple[tuple[int, ...], ...]
    locations: tuple[Location, ...]
    routes: tuple[Route, ...]
    contracts: tuple[Contract, ...]
    source: dict[str, Any] = field(repr=False)

    @property
    def deck_size(self) -> int:
        """The number of transport cards."""
        return COLOURS * self.cards_per_colour + self.wild_cards

    def route_name(self, route: int) -> str:
        """Return a readable name, such as `Dam - Oude Kerk (pink, 2)`."""
        r = self.routes[route]
        ends = f"{self.locations[r.a].name} - {self.locations[r.b].name}"
        return f"{ends} ({r.colour_word}, {r.length})"

    def contract_name(self, contract: int) -> str:
        """Return a readable name, such as `Dam - Jordaan (4)`."""
        c = self.contracts[contract]
        return f"{self.locations[c.a].name} - {self.locations[c.b].name} ({c.points})"


class _Reader:
    """Reader of one JSON object of the file; its errors name the path of the field."""

    def __init__(self, value: object, path: str) -> None:
        if not isinstance(value, dict):
            raise BoardError(path or "board", f"must be an object, not {_kind(value)}")
        self.fields: dict[str, Any] = value
        self.path = path

    def name(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def get(self, key: str) -> Any:
        if key not in self.fields:
            raise BoardError(self.name(key), "is missing")
        return self.fields[key]

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str) or not value.strip():
            raise BoardError(self.name(key), f"must be a non-empty string, not {_kind(value)}")
        return value

    def whole(self, key: str, low: int, high: int) -> int:
        return _whole(self.get(key), self.name(key), low, high)

    def flag(self, key: str) -> bool:
        value = self.get(key)
        if not isinstance(value, bool):
            raise BoardError(self.name(key), f"must be true or false, not {_kind(value)}")
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> int:
        value = self.get(key)
        if value not in choices:
            raise BoardError(self.name(key), f"must be one of {', '.join(choices)}")
        return choices.index(value)

    def items(self, key: str, low: int, high: int) -> list[Any]:
        value = self.get(key)
        if not isinstance(value, list):
            raise BoardError(self.name(key), f"must be a list, not {_kind(value)}")
        if not low <= len(value) <= high:
            problem = f"must hold {low} to {high} entries, not {len(value)}"
            raise BoardError(self.name(key), problem)
        return value


def parse_board(data: object) -> Board:
    """Return the board described by a decoded JSON file.

    Raises:
        BoardError: naming the first field that is missing, of the wrong type, or inconsistent.
    """
    top = _Reader(data, "")
    if top.get("format") != FORMAT:
        raise BoardError("format", f'must be "{FORMAT}"')
    colours = top.get("colours")
    if colours != list(COLOUR_WORDS):
        raise BoardError("colours", f"must be {', '.join(COLOUR_WORDS)}, in this order")
    players = _players(top)
    locations = _locations(top)
    index = {location.id: i for i, location in enumerate(locations)}
    route_points = _route_points(top)
    routes = _routes(top, index, route_points)
    board = Board(
        id=top.text("id"),
        name=top.text("name"),
        players=players,
        carts=top.whole("carts_per_player", 1, MOST_CARTS),
        cards_per_colour=top.whole("cards_per_colour", 1, MOST_OF_A_KIND),
        wild_cards=top.whole("wild_cards", 0, MOST_OF_A_KIND),
        goods_cards=top.whole("goods_cards", 0, MOST_GOODS),
        route_points=route_points,
        goods_bonus=_goods_bonus(top),
        locations=locations,
        routes=routes,
        contracts=_contracts(top, index),
        source=top.fields,
    )
    _check_supply(board)
    return board


def _check_supply(board: Board) -> None:
    most = board.players[1]
    if board.deck_size < 2 * most + 5:
        need = f"{2 * most + 5} cards (two a player and a row of five)"
        raise BoardError("cards_per_colour", f"the deck must hold at least {need}")
    if len(board.contracts) < 2 * most:
        raise BoardError("contracts", f"must hold two for each of {most} players")


def _players(top: _Reader) -> tuple[int, int]:
    values = top.items("players", 2, 2)
    low = _whole(values[0], "players[0]", 2, 4)
    return low, _whole(values[1], "players[1]", low, 4)


def _locations(top: _Reader) -> tuple[Location, ...]:
    found: dict[str, Location] = {}
    for i, item in enumerate(top.items("locations", 2, MOST_LOCATIONS)):
        entry = _Reader(item, f"locations[{i}]")
        key = entry.text("id")
        if key in found:
            raise BoardError(entry.name("id"), f'"{key}" stands twice')
        x, y = (entry.whole(axis, 0, LARGEST_COORDINATE) for axis in ("x", "y"))
        found[key] = Location(key, entry.text("name"), x, y)
    return tuple(found.values())


def _route_points(top: _Reader) -> tuple[int, ...]:
    table = _Reader(top.get("route_points"), "route_points")
    points = [0] * (LONGEST_ROUTE + 1)
    for key in table.fields:
        if key not in LENGTHS:  # rejects "01" too, a second key for the same length
            raise BoardError(table.name(key), f"must be a length from 1 to {LONGEST_ROUTE}")
        points[int(key)] = table.whole(key, 0, 100)
    return tuple(points)


def _goods_bonus(top: _Reader) -> tuple[tuple[int, ...], ...]:
    table = _Reader(top.get("goods_bonus"), "goods_bonus")
    bonus: list[tuple[int, ...]] = [(), ()]
    for seats in (2, 3, 4):
        values = table.items(str(seats), 0, seats)
        name = table.name(str(seats))
        bonus.append(tuple(_whole(v, f"{name}[{i}]", 0, 100) for i, v in enumerate(values)))
    return tuple(bonus)


def _routes(
    top: _Reader, index: dict[str, int], route_points: tuple[int, ...]
) -> tuple[Route, ...]:
    listed = top.get("route_points")
    found: dict[int, tuple[str, Route]] = {}
    items = top.items("routes", 1, MOST_ROUTES)
    for i, item in enumerate(items):
        entry = _Reader(item, f"routes[{i}]")
        number = entry.whole("id", 0, len(items) - 1)
        if number in found:
            raise BoardError(entry.name("id"), f"{number} stands twice")
        a, b = _ends(entry, index)
        length = entry.whole("length", 1, len(route_points) - 1)
        if str(length) not in listed:
            raise BoardError(entry.name("length"), f"route_points has no length {length}")
        colour = entry.choice("colour", ROUTE_COLOURS)
        twin = entry.whole("twin", 0, len(items) - 1) if _has(entry, "twin") else None
        route = Route(number, a, b, length, colour, entry.flag("goods"), twin)
        found[number] = (entry.path, route)
    for path, route in found.values():
        _check_twin(path, route, {number: r for number, (_, r) in found.items()})
    return tuple(found[number][1] for number in range(len(items)))


def _check_twin(path: str, route: Route, routes: dict[int, Route]) -> None:
    if route.twin is None:
        return
    other = routes[route.twin]
    if other is route or other.twin != route.id:
        raise BoardError(f"{path}.twin", f"route {other.id} must name {route.id} as its twin")
    if {route.a, route.b} != {other.a, other.b} or route.length != other.length:
        problem = f"route {other.id} must have the same ends and the same length"
        raise BoardError(f"{path}.twin", problem)


def _contracts(top: _Reader, index: dict[str, int]) -> tuple[Contract, ...]:
    found: dict[int, Contract] = {}
    items = top.items("contracts", 4, MOST_CONTRACTS)
    for i, item in enumerate(items):
        entry = _Reader(item, f"contracts[{i}]")
        number = entry.whole("id", 0, len(items) - 1)
        if number in found:
            raise BoardError(entry.name("id"), f"{number} stands twice")
        a, b = _ends(entry, index)
        found[number] = Contract(number, a, b, entry.whole("points", 0, 100))
    return tuple(found[number] for number in range(len(items)))


def _ends(entry: _Reader, index: dict[str, int]) -> tuple[int, int]:
    ends = []
    for key in ("from", "to"):
        word = entry.text(key)
        if word not in index:
            raise BoardError(entry.name(key), f'no location has the id "{word}"')
        ends.append(index[word])
    if ends[0] == ends[1]:
        raise BoardError(entry.name("to"), "must differ from its other end")
    return ends[0], ends[1]


def _has(entry: _Reader, key: str) -> bool:
    return entry.fields.get(key) is not None


def _whole(value: object, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BoardError(name, f"must be a whole number, not {_kind(value)}")
    if not low <= value <= high:
        raise BoardError(name, f"must be from {low} to {high}, not {value}")
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), f"the number {value}")
