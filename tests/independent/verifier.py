"""Verifies a replay by the published page and the rules alone; shares no code with the project.

`verify(data)` returns `(ok, where, expected)`; `python verifier.py FILE...` prints one line per
file. It is slow and simple on purpose: lists of card words, dicts of routes, and every forced event
is predicted and compared. Not checked: the key of a signature, and the board published by a ladder.

Order of the checks: header, events, result, hash, commitment, signature; the first failure is
reported. Interpretations where the page is ambiguous (the wider one if a file depends on it):
 1. An error of the JSON text (syntax, duplicate key, point or exponent, byte order mark, lone
    surrogate) is "header", also inside an event. So are a wrong seed, wrong `played` times and
    missing or unknown top-level fields. A missing `end` is the event after the last one. Wrong
    fields of an event are reported at its turn, not before.
 2. Integers have any size and hash as their digits; -0 is 0. A float-based RFC 8785 library
    would differ above 2**53.
 3. The page does not define the board file. Required: the fields needed for playing, in the form
    of the Amsterdam board. `players` is a lowest and highest number, `colours` any of the six
    words, ids are distinct integers in any order, `twin` may be absent or null, only this match's
    column of `goods_bonus` is checked, and deck and contracts must suffice for its seats.
 4. Set-up: a `fault` out of turn order is allowed if faults continue until one seat is left (the
    keeps before it are "never written"). A seat without a written keep holds no contracts.
    Refills and flushes after a fault come before the next `keep`.
 5. Boards of two carts or fewer: a seat that leaves may or may not be followed by its own
    `last_round`; if the last turn of a last round is also the last pass of a stalemate, both
    reasons are accepted.
 6. A `reshuffle` that is not followed by a `blind` when a decision is due is itself the wrong
    event.
 7. `note` is absent or a string, never null; `.f` is one digit or more; second 60 is a time.
 8. The first turn is the first player's or, if that seat left at set-up, the next seat's.
"""

import datetime
import hashlib
import json
import re
import sys
from typing import Any, NoReturn

COLOURS = ["pink", "blue", "green", "black", "red", "orange"]
WILD = "wild"
CARDS = [*COLOURS, WILD]  # in the order of a pile
GROUP_ORDER = bytes.fromhex("10000000000000000000000000000000 14def9dea2f79cd65812631a5cf5d3ed")
TOP = [
    "format", "match", "block", "ladder", "board", "options", "seats", "seed",
    "commitment", "events", "result", "played", "hash", "signature",
]  # fmt: skip
OPTIONS = {
    "row_short": "allow", "reshuffle": "lazy", "flush_guard": "feasible", "pass": "forced_only",
    "stalemate": "score_now", "goods_exhausted": "none", "second_card": "mandatory_if_possible",
    "turn_limit": "off", "double_open_from": "3 players", "all_wild": "yes", "goods_ties": "skip",
    "equal_turns": "off", "initial_choice": "simultaneous", "returned_order": "turn_order",
    "first_player": "random", "hand_size_public": "yes", "final_tie": "shared",
}  # fmt: skip
FIELDS = {
    "deal": "first hands row contracts",
    "keep": "seat contracts",
    "blind": "seat card",
    "take": "seat slot card",
    "refill": "slot card",
    "reshuffle": "",
    "flush": "cards",
    "claim": "seat route colour wilds goods",
    "offer": "seat contracts",
    "pass": "seat",
    "last_round": "seat",
    "fault": "seat reason detail",
    "end": "reason",
}
DECISIONS = ["keep", "blind", "take", "claim", "offer", "pass"]
FAULTS = ["timeout", "crash", "disconnect", "illegal", "memory", "protocol"]
LAST_ROUND_CARTS = 2
MOST_CARDS = 100_000
ESCAPES = {chr(code): f"\\u{code:04x}" for code in range(0x20)}
ESCAPES.update({"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"})
ESCAPES.update({'"': '\\"', "\\": "\\\\"})
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z", re.ASCII)


class Wrong(Exception):
    """The file is wrong at `where`; `expected` describes the correct content."""

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.where = where
        self.expected = expected


# ---- JSON ------------------------------------------------------------------------------------


def parse(data: bytes) -> Any:
    """Parse strict JSON; any text that the format forbids is a wrong header."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise Wrong("header", "no byte order mark")
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=distinct,
            parse_float=not_an_integer,
            parse_constant=not_an_integer,
        )
    except (ValueError, RecursionError) as error:
        raise Wrong("header", f"UTF-8 JSON ({error})") from error
    check_strings(value)
    return value


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise Wrong("header", f"key {key!a} once in its object")
        made[key] = value
    return made


def not_an_integer(text: str) -> NoReturn:
    raise Wrong("header", f"an integer without point or exponent, not {text}")


def check_strings(value: Any) -> None:
    if isinstance(value, str):
        for character in value:
            if 0xD800 <= ord(character) <= 0xDFFF:
                raise Wrong("header", f"no lone surrogate in {value!a}")
    elif isinstance(value, list):
        for item in value:
            check_strings(item)
    elif isinstance(value, dict):
        for key in value:
            check_strings(key)
            check_strings(value[key])


def canonical(value: Any) -> str:
    """Return the canonical text of a JSON value, which is hashed."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(ESCAPES.get(character, character) for character in value) + '"'
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: [ord(character) for character in key])
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    raise TypeError(f"not a value of this format: {value!r}")


# ---- dice ------------------------------------------------------------------------------------


class Dice:
    """The dice of one seed; every stream counts its own calls."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self.calls: dict[str, int] = {}

    def pick(self, stream: str, n: int) -> int:
        k = self.calls.get(stream, 0)
        self.calls[stream] = k + 1
        text = b"damrak-dice/1" + self.seed + stream.encode("utf-8") + b"/" + k.to_bytes(8, "big")
        u = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
        return u * n // 2**64


# ---- scoring ---------------------------------------------------------------------------------


def goods_bonus(counts: list[int], column: list[int]) -> list[int]:
    """Return the bonus of each seat: ties are paid in full, and the next ranks are skipped."""
    bonus = []
    for count in counts:
        richer = sum(1 for other in counts if other > count)
        bonus.append(column[richer] if count > 0 else 0)
    return bonus


def places(totals: list[int], fulfilled: list[int], left: list[int]) -> list[int]:
    """Return the place of each seat; `left` lists the leavers, the first to leave first."""
    stayed = [seat for seat in range(len(totals)) if seat not in left]
    answer = []
    for seat in range(len(totals)):
        if seat in left:
            later = len(left) - 1 - left.index(seat)
            answer.append(len(stayed) + later + 1)
            continue
        better = 0
        for other in stayed:
            level = totals[other] == totals[seat]
            if totals[other] > totals[seat] or (level and fulfilled[other] > fulfilled[seat]):
                better += 1
        answer.append(better + 1)
    return answer


def joined(routes: list[dict[str, Any]], start: str, goal: str) -> bool:
    """Return whether a chain of these routes leads from `start` to `goal`."""
    reached = [start]
    for place in reached:  # the list grows during the iteration
        for route in routes:
            for a, b in ((route["from"], route["to"]), (route["to"], route["from"])):
                if a == place and b not in reached:
                    reached.append(b)
    return goal in reached


# ---- header ----------------------------------------------------------------------------------


def need(condition: bool, expected: str, where: str = "header") -> None:
    if not condition:
        raise Wrong(where, expected)


def is_int(value: Any, lowest: int | None = None) -> bool:
    return type(value) is int and (lowest is None or value >= lowest)


def has_exactly(value: Any, keys: list[str]) -> bool:
    return isinstance(value, dict) and sorted(value) == sorted(keys)


def is_hex(value: Any, length: int) -> bool:
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{length}}}", value) is not None


def check_header(file: Any) -> None:
    need(isinstance(file, dict), "an object")
    need(file.get("format") == "damrak-replay/1", 'format "damrak-replay/1"')
    need(has_exactly(file, TOP), f"exactly the fields {', '.join(TOP)}")
    for name in ("match", "block", "ladder"):
        need(file[name] is None or isinstance(file[name], str), f"{name} a string or null")
    need(isinstance(file["seats"], list) and len(file["seats"]) in (2, 3, 4), "2, 3 or 4 seats")
    for seat in file["seats"]:
        need(has_exactly(seat, ["bot", "version", "owner"]), "bot, version and owner of each seat")
        need(all(isinstance(seat[name], str) for name in seat), "strings in each seat")
    need(has_exactly(file["options"], list(OPTIONS)), "exactly the 17 options")
    for name, default in OPTIONS.items():
        value = file["options"][name]
        need(value == default, f"option {name} {default!r}: this verifier refuses any other value")
    need(is_hex(file["seed"], 64), "seed of 64 lower-case hex digits")
    need(isinstance(file["events"], list), "events a list")
    played = file["played"]
    need(has_exactly(played, ["started", "finished", "engine", "referee"]), "the fields of played")
    need(all(isinstance(played[name], str) for name in played), "strings in played")
    need(moment(played["finished"]) >= moment(played["started"]), "finished not before started")
    check_board(file["board"], len(file["seats"]))


def moment(text: str) -> tuple[datetime.date, list[int], str]:
    """Return a time of `played` as a comparable value."""
    found = TIME.fullmatch(text)
    if found is None:
        raise Wrong("header", f"YYYY-MM-DDTHH:MM:SS[.f]Z, not {text!a}")
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    need(hour <= 23 and minute <= 59 and second <= 60, f"a time of day, not {text}")
    try:
        date = datetime.date(year, month, day)
    except ValueError as error:
        raise Wrong("header", f"a date that exists, not {text}") from error
    return date, [hour, minute, second], (found.group(7) or "").rstrip("0")


def check_board(board: Any, seats: int) -> None:
    need(isinstance(board, dict), "board an object")
    check_ascii_keys(board)
    need(board.get("format") == "damrak-board/1", 'board.format "damrak-board/1"')
    for name in ("carts_per_player", "cards_per_colour", "wild_cards", "goods_cards"):
        need(is_int(board.get(name), 0), f"board.{name} an integer >= 0")
    players = board.get("players")
    good = isinstance(players, list) and len(players) == 2 and all(is_int(p) for p in players)
    need(good, "board.players two integers")
    need(players[0] <= seats <= players[1], f"a board for {seats} players")
    colours = board.get("colours")
    need(isinstance(colours, list), "board.colours a list")
    need(all(colour in COLOURS and colours.count(colour) == 1 for colour in colours), "colours")
    bonus = board.get("goods_bonus")
    need(isinstance(bonus, dict), "board.goods_bonus an object")
    column = bonus.get(str(seats))
    good = isinstance(column, list) and len(column) == seats and all(is_int(b) for b in column)
    need(good, f"board.goods_bonus for {seats} players")
    for name in ("locations", "routes", "contracts"):
        items = board.get(name)
        need(isinstance(items, list) and all(isinstance(i, dict) for i in items), f"board.{name}")
        ids = [item.get("id") for item in items]
        right = str if name == "locations" else int
        need(all(type(i) is right and ids.count(i) == 1 for i in ids), f"distinct ids in {name}")
    check_lines(board)
    cards = len(colours) * board["cards_per_colour"] + board["wild_cards"]
    need(cards >= 2 * seats + 5, "two cards a seat and a row of five in the deck")
    need(cards <= MOST_CARDS, "a deck that this verifier can lay out")
    need(len(board["contracts"]) >= 2 * seats, "two contracts a seat")


def check_lines(board: dict[str, Any]) -> None:
    """Check routes, twins and contracts of a board."""
    known = [location["id"] for location in board["locations"]]
    for line in board["routes"] + board["contracts"]:
        right = line.get("from") in known and line.get("to") in known
        need(right and line["from"] != line["to"], f"two known locations, not {line}")
    for contract in board["contracts"]:
        need(is_int(contract.get("points")), f"points of contract {contract['id']}")
    need(isinstance(board.get("route_points"), dict), "board.route_points an object")
    by_id = {route["id"]: route for route in board["routes"]}
    for route in board["routes"]:
        name = f"route {route['id']}"
        need(is_int(route.get("length"), 1), f"length of {name}")
        points = board["route_points"].get(str(route["length"]))
        need(is_int(points), f"route_points for the length of {name}")
        need(route.get("colour") in [*COLOURS, "grey"], f"colour of {name}")
        need(isinstance(route.get("goods"), bool), f"goods of {name}")
        if route.get("twin") is None:
            continue
        need(is_int(route["twin"]) and route["twin"] in by_id, f"a known twin of {name}")
        twin = by_id[route["twin"]]
        need(twin is not route and twin.get("twin") == route["id"], f"mutual twin of {name}")
        need(twin.get("length") == route["length"], f"twin as long as {name}")
        ends = [sorted([one["from"], one["to"]]) for one in (route, twin)]
        need(ends[0] == ends[1], f"twin of {name} between the same locations")


def check_ascii_keys(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            check_ascii_keys(item)
    elif isinstance(value, dict):
        for key in value:
            need(key.isascii(), f"ASCII keys inside board, not {key!a}")
            check_ascii_keys(value[key])


# ---- events ----------------------------------------------------------------------------------


class Table:
    """One match, replayed event by event."""

    def __init__(self, file: dict[str, Any]) -> None:
        board = file["board"]
        self.board = board
        self.n = len(file["seats"])
        self.events: list[Any] = file["events"]
        self.at = 0  # the next event
        self.dice = Dice(bytes.fromhex(file["seed"]))
        self.routes: dict[int, dict[str, Any]] = {route["id"]: route for route in board["routes"]}
        self.owner: dict[int, int] = {}  # route id -> seat
        self.pile: list[str] = []  # always in the order of CARDS
        for card in CARDS:
            if card == WILD:
                self.pile += [card] * board["wild_cards"]
            elif card in board["colours"]:
                self.pile += [card] * board["cards_per_colour"]
        self.discards: list[str] = []
        self.row: list[str | None] = [None] * 5
        self.never_drawn: list[int] = sorted(contract["id"] for contract in board["contracts"])
        self.returned: list[int] = []  # oldest return first
        self.hands: list[list[str]] = [[] for _ in range(self.n)]
        self.kept: list[list[int]] = [[] for _ in range(self.n)]
        self.carts = [board["carts_per_player"]] * self.n
        self.goods = [0] * self.n
        self.goods_left: int = board["goods_cards"]
        self.faults: list[str | None] = [None] * self.n
        self.left: list[int] = []  # in the order of leaving
        self.passes = 0
        self.last_turns: list[int] | None = None  # seats that still have their last turn
        self.reason = ""

    # -- reading events

    def wrong(self, expected: str) -> NoReturn:
        raise Wrong(f"event {self.at}", expected)

    def kind(self, index: int) -> str:
        """Return the kind of an event, or "" if there is none."""
        event = self.events[index] if index < len(self.events) else None
        name = event.get("event") if isinstance(event, dict) else None
        return name if isinstance(name, str) else ""

    def must_be(self, event: dict[str, Any]) -> None:
        """Check and skip an event that contains no choice."""
        if not self.next_is(event):
            self.wrong(canonical(event))
        self.at += 1

    def next_is(self, event: dict[str, Any]) -> bool:
        # The texts are compared, because == considers true and 1 equal.
        return canonical(self.events[self.at : self.at + 1]) == canonical([event])

    def well_formed(self, expected: str) -> dict[str, Any]:
        """Return the next event, with every field of the right kind, without skipping it."""
        kind = self.kind(self.at)
        if kind not in FIELDS:
            self.wrong(expected)
        event: dict[str, Any] = self.events[self.at]
        names = ["event", *FIELDS[kind].split()]
        if kind in DECISIONS:
            names += ["ms", "note"] if "note" in event else ["ms"]
        if not has_exactly(event, names):
            self.wrong(f"{kind} with exactly the fields {', '.join(names)}")
        for name in names:
            if not self.right_type(name, kind, event[name]):
                self.wrong(f"another {name} in {kind} than {canonical(event[name])}")
        return event

    def right_type(self, name: str, kind: str, value: Any) -> bool:
        if kind in ("deal", "refill", "flush", "last_round", "end"):
            return True  # compared as a whole
        if name in ("ms", "wilds"):
            return is_int(value, 0)
        if name == "seat":
            return is_int(value, 0) and value < self.n
        if name == "slot":
            return is_int(value, 0) and value < 5
        if name == "route":
            return is_int(value)
        if name == "contracts":
            return isinstance(value, list) and all(is_int(item) for item in value)
        if name == "goods":
            return isinstance(value, bool)
        if name == "colour":
            return value is None or value in COLOURS
        if name == "note":
            return isinstance(value, str) and len(value) <= 280
        if name == "reason":
            return value in FAULTS
        return isinstance(value, str)  # event, card and detail

    def decision(self, seat: int, kinds: list[str]) -> dict[str, Any]:
        """Return this seat's decision without skipping it; `fault` is always possible."""
        expected = f"a decision of seat {seat}: {', '.join(kinds)} or fault"
        if self.kind(self.at) == "reshuffle":
            needed = "blind" in kinds and not self.pile and self.discards
            if not needed:
                self.wrong(expected)
            following = self.kind(self.at + 1)
            if following not in FIELDS and self.at + 1 < len(self.events):
                self.at += 1  # not an event at all
            if following != "blind":
                self.wrong(expected)
            self.reshuffle()
        event = self.well_formed(expected)
        if event["event"] not in [*kinds, "fault"] or event["seat"] != seat:
            self.wrong(expected)
        if event["event"] == "blind" and not self.pile:
            self.wrong("reshuffle" if self.discards else "no blind: no card is left to draw")
        return event

    # -- cards

    def draw(self, stream: str) -> str:
        return self.pile.pop(self.dice.pick(stream, len(self.pile)))

    def reshuffle(self) -> None:
        self.must_be({"event": "reshuffle"})
        self.pile = sorted(self.discards, key=CARDS.index)
        self.discards = []

    def settle_row(self) -> None:
        """Fill the gaps, then flush and refill while there are three wilds and it can help."""
        while True:
            for slot in range(5):
                if self.row[slot] is None and not self.pile and self.discards:
                    self.reshuffle()
                if self.row[slot] is None and self.pile:
                    card = self.draw("row")
                    self.must_be({"event": "refill", "slot": slot, "card": card})
                    self.row[slot] = card
            if not self.must_flush():
                return
            self.must_be({"event": "flush", "cards": self.row})
            self.discards += [card for card in self.row if card is not None]
            self.row = [None] * 5

    def must_flush(self) -> bool:
        lying = [card for card in self.row if card is not None]
        pool = lying + self.pile + self.discards
        plain = [card for card in pool if card != WILD]
        return lying.count(WILD) >= 3 and len(plain) >= min(5, len(pool)) - 2

    def draw_contract(self, seat: int) -> int:
        if self.never_drawn:
            index = self.dice.pick(f"contract/{seat}", len(self.never_drawn))
            return self.never_drawn.pop(index)
        return self.returned.pop(0)

    # -- set-up

    def deal(self) -> None:
        first = self.dice.pick("first", self.n)
        for _ in range(2):
            for seat in range(self.n):
                self.hands[seat].append(self.draw(f"hand/{seat}"))
        self.row = [self.draw("row") for _ in range(5)]
        dealt: list[list[int]] = [[] for _ in range(self.n)]
        for _ in range(2):
            for seat in range(self.n):
                dealt[seat].append(self.draw_contract(seat))
        event = {"event": "deal", "first": first, "hands": self.hands, "row": self.row}
        self.must_be({**event, "contracts": dealt})
        self.settle_row()
        pending = [(first + step) % self.n for step in range(self.n)]
        while pending and not self.reason:
            seat = pending[0]
            if self.kind(self.at) == "fault" and self.never_written(seat):
                named = self.well_formed("fault")["seat"]
                seat = named if named in pending else seat
            pending.remove(seat)
            self.keep(seat, dealt[seat])

    def never_written(self, seat: int) -> bool:
        """Return whether the next faults leave one seat at the table, without this seat's keep."""
        faulting = []
        index = self.at
        while self.kind(index) in ("fault", "refill", "flush", "reshuffle"):
            if self.kind(index) == "fault":
                faulting.append(self.events[index].get("seat"))
            index += 1
        return seat not in faulting and self.n - len(self.left) - len(faulting) == 1

    def keep(self, seat: int, offered: list[int]) -> None:
        event = self.decision(seat, ["keep"])
        if event["event"] == "fault":
            self.leave(event, offered)
            return
        kept: list[int] = event["contracts"]
        if not kept or any(c not in offered or kept.count(c) > 1 for c in kept):
            self.wrong(f"seat {seat} to keep at least one of {offered}, each once")
        self.kept[seat] += kept
        self.returned += [contract for contract in offered if contract not in kept]
        self.at += 1

    # -- turns

    def play(self) -> None:
        self.deal()
        seat = self.seats_from(self.events[0]["first"])[0]
        while not self.reason:
            self.turn(seat)
            if not self.reason:
                self.end_turn(seat)
            seat = self.seats_from(seat + 1)[0]
        if self.at < len(self.events):
            self.wrong("no event after end")

    def seats_from(self, start: int) -> list[int]:
        """Return the seats at the table, clockwise from `start`."""
        around = [(start + step) % self.n for step in range(self.n)]
        return [seat for seat in around if seat not in self.left]

    def turn(self, seat: int) -> None:
        event = self.decision(seat, ["blind", "take", "claim", "offer", "pass"])
        kind = event["event"]
        if kind == "fault":
            self.leave(event, [])
        elif kind in ("blind", "take"):
            self.draw_cards(seat, event)
        elif kind == "claim":
            self.claim(seat, event)
        elif kind == "offer":
            self.offer(seat, event)
        elif self.can_act(seat):
            self.wrong(f"an action of seat {seat}: a pass only where nothing else is legal")
        else:
            self.at += 1
        self.passes = self.passes + 1 if kind == "pass" else 0

    def draw_cards(self, seat: int, event: dict[str, Any]) -> None:
        self.one_card(seat, event, second=False)
        if event["event"] == "take" and event["card"] == WILD:
            return
        plain = [card for card in self.row if card is not None and card != WILD]
        if not (self.pile or self.discards or plain):
            return
        event = self.decision(seat, ["blind", "take"])
        if event["event"] == "fault":
            self.leave(event, [])
        else:
            self.one_card(seat, event, second=True)

    def one_card(self, seat: int, event: dict[str, Any], second: bool) -> None:
        if event["event"] == "blind":
            card = self.draw(f"blind/{seat}")
            if event["card"] != card:
                self.wrong(f"card {card}")
            self.at += 1
            self.hands[seat].append(card)
            return
        lying = self.row[event["slot"]]
        if lying is None or event["card"] != lying:
            self.wrong(f"card {lying} in slot {event['slot']}")
        if second and lying == WILD:
            self.wrong("no face-up wild as second card")
        self.at += 1
        self.hands[seat].append(lying)
        self.row[event["slot"]] = None
        self.settle_row()

    def why_closed(self, seat: int, route: dict[str, Any]) -> str:
        """Return why this seat may not claim the route with any payment; "" if it may."""
        if route["id"] in self.owner:
            return "it is taken"
        twin = route.get("twin")
        if twin in self.owner and (self.n == 2 or self.owner[twin] == seat):
            return "its twin closes it"
        if self.carts[seat] < route["length"]:
            return "too few carts"
        return ""

    def can_act(self, seat: int) -> bool:
        if self.pile or self.discards or any(card is not None for card in self.row):
            return True
        if self.never_drawn or self.returned:
            return True
        hand = self.hands[seat]
        for route in self.routes.values():
            colours = COLOURS if route["colour"] == "grey" else [route["colour"]]
            most = max(hand.count(colour) for colour in colours) + hand.count(WILD)
            if not self.why_closed(seat, route) and most >= route["length"]:
                return True
        return False

    def claim(self, seat: int, event: dict[str, Any]) -> None:
        route = self.routes.get(event["route"])
        if route is None:
            self.wrong("a route of the board")
        closed = self.why_closed(seat, route)
        if closed:
            self.wrong(f"another route than {route['id']}: {closed}")
        colour, wilds = event["colour"], event["wilds"]
        plain = route["length"] - wilds
        if plain < 0 or wilds > self.hands[seat].count(WILD):
            self.wrong(f"fewer wilds than {wilds}")
        if (colour is None) != (plain == 0):
            self.wrong("a colour, or null exactly where all cards are wild")
        if colour is not None and route["colour"] not in ("grey", colour):
            self.wrong(f"colour {route['colour']}")
        if plain > self.hands[seat].count(colour):
            self.wrong(f"a payment that seat {seat} holds")
        payment = [WILD] * wilds + [colour] * plain
        for card in payment:
            self.hands[seat].remove(card)
        goods = route["goods"] and self.goods_left > 0
        if event["goods"] is not goods:
            self.wrong(f"goods {canonical(goods)}")
        self.at += 1
        self.discards += payment
        self.carts[seat] -= route["length"]
        self.owner[route["id"]] = seat
        if goods:
            self.goods_left -= 1
            self.goods[seat] += 1
        self.settle_row()

    def offer(self, seat: int, event: dict[str, Any]) -> None:
        size = len(self.never_drawn) + len(self.returned)
        if size == 0:
            self.wrong("no offer: no contract is left")
        drawn = [self.draw_contract(seat) for _ in range(min(2, size))]
        if event["contracts"] != drawn:
            self.wrong(f"contracts {drawn}")
        self.at += 1
        self.keep(seat, drawn)

    def leave(self, event: dict[str, Any], offered: list[int]) -> None:
        seat = event["seat"]
        self.at += 1
        self.faults[seat] = event["reason"]
        self.left.append(seat)
        self.discards += self.hands[seat]
        self.hands[seat] = []
        self.returned += offered
        if self.n - len(self.left) == 1:
            self.finish(["forfeit"])
        else:
            self.settle_row()

    def end_turn(self, seat: int) -> None:
        if self.last_turns is not None:
            self.last_turns.remove(seat)
        elif self.carts[seat] <= LAST_ROUND_CARTS and (
            seat not in self.left or self.kind(self.at) == "last_round"
        ):
            self.must_be({"event": "last_round", "seat": seat})
            self.last_turns = self.seats_from(seat + 1)
        reasons = []
        if self.passes == self.n - len(self.left):
            reasons.append("stalemate")
        if self.last_turns == []:
            reasons.append("carts")
        if reasons:
            self.finish(reasons)

    def finish(self, reasons: list[str]) -> None:
        """Skip an `end` for one of these reasons."""
        for reason in reasons:
            if self.next_is({"event": "end", "reason": reason}):
                self.reason = reason
        self.must_be({"event": "end", "reason": self.reason or reasons[0]})

    # -- the result

    def result(self) -> dict[str, Any]:
        seats: list[dict[str, Any]] = []
        bonus = goods_bonus(self.goods, self.board["goods_bonus"][str(self.n)])
        for seat in range(self.n):
            own = [self.routes[route] for route in self.owner if self.owner[route] == seat]
            routes = sum(self.board["route_points"][str(route["length"])] for route in own)
            fulfilled, failed, points = [], [], 0
            for contract in sorted(self.board["contracts"], key=lambda contract: contract["id"]):
                if contract["id"] not in self.kept[seat]:
                    continue
                if joined(own, contract["from"], contract["to"]):
                    fulfilled.append(contract["id"])
                    points += contract["points"]
                else:
                    failed.append(contract["id"])
                    points -= contract["points"]
            score: dict[str, Any] = {"total": routes + points + bonus[seat]}
            score.update({"routes": routes, "contracts": points, "goods": bonus[seat]})
            score.update({"goods_cards": self.goods[seat], "carts_left": self.carts[seat]})
            score.update({"fulfilled": fulfilled, "failed": failed, "fault": self.faults[seat]})
            seats.append(score)
        totals = [score["total"] for score in seats]
        ranks = places(totals, [len(score["fulfilled"]) for score in seats], self.left)
        for score, rank in zip(seats, ranks, strict=True):
            score["place"] = rank
        return {"reason": self.reason, "seats": seats}


# ---- the whole file --------------------------------------------------------------------------


def check(data: bytes) -> None:
    file = parse(data)
    check_header(file)
    table = Table(file)
    table.play()
    result = canonical(table.result())
    need(canonical(file["result"]) == result, result, "result")
    hashed = {key: file[key] for key in file if key not in ("hash", "signature", "played")}
    digest = hashlib.sha256(canonical(hashed).encode("utf-8")).hexdigest()
    need(file["hash"] == digest, digest, "hash")
    commitment = hashlib.sha256(bytes.fromhex(file["seed"])).hexdigest()
    need(file["commitment"] == commitment, commitment, "commitment")
    if file["signature"] is None:
        need(file["match"] is None, "a signature, since match is not null", "signature")
    else:
        need(is_hex(file["signature"], 128), "128 lower-case hex digits", "signature")
        point, scalar = file["signature"][:64], bytes.fromhex(file["signature"][64:])
        need(point != "0" * 64, "a first half other than zeros", "signature")
        need(any(scalar), "a scalar above zero", "signature")
        need(scalar[::-1] < GROUP_ORDER, "a scalar below the order of the group", "signature")


def verify(data: bytes) -> tuple[bool, str, str]:
    """Verify one replay file: (True, "", "") or (False, place of the error, expectation)."""
    try:
        check(data)
    except Wrong as wrong:
        return False, wrong.where, wrong.expected
    except RecursionError:
        return False, "header", "a file that is not nested this deep"
    return True, "", ""


def main(paths: list[str]) -> int:
    failures = 0
    for path in paths:
        with open(path, "rb") as file:
            ok, where, expected = verify(file.read())
        failures += 0 if ok else 1
        print(f"{path}: ok" if ok else f"{path}: {where}: expected {expected}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
