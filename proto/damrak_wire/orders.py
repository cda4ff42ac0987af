"""Orders: the blocks of matches to play, and the bots in their seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from damrak_engine.clock import TimeControl
from damrak_engine.dice import SEED_BYTES
from damrak_engine.rules import Rules
from damrak_proto.v1 import control_pb2 as pb
from damrak_wire import fields
from damrak_wire.boards import BOARD_LIMIT, options_of, rules_of
from damrak_wire.clocks import decode_control, encode_control
from damrak_wire.errors import WireError

NAME_LIMIT: Final = 200  # of bots, versions and owners in a replay
SPEC_LIMIT: Final = 500
MOST_MATCHES: Final = 1000  # of one block


@dataclass(frozen=True, slots=True)
class House:
    """A house bot, by its spec."""

    spec: str


@dataclass(frozen=True, slots=True)
class Archive:
    """An uploaded bot, by the hash of its archive."""

    sha256: str


@dataclass(frozen=True, slots=True)
class Remote:
    """A bot that waits in the lobby, by the name of its token."""

    bot: str


@dataclass(frozen=True, slots=True)
class Open:
    """An open seat, for any client with its ticket."""


Place = House | Archive | Remote | Open


@dataclass(frozen=True, slots=True)
class SeatOrder:
    """The bot in a seat, as the replay names it, and where to find it."""

    bot: str
    version: str
    owner: str
    place: Place


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """One game; `first` is given if and only if the option first_player is `rotate`."""

    match: str
    seed: bytes
    first: int | None
    seats: tuple[SeatOrder, ...]


@dataclass(frozen=True, slots=True)
class BlockOrder:
    """A block to play; `ladder` is empty if it is for none, and a limit of 0 means unlimited."""

    block: str
    attempt: int
    ladder: str
    board: bytes
    options: Mapping[str, str]
    control: TimeControl
    matches: tuple[MatchOrder, ...]
    parallel: int = 0
    watch_delay_ms: int = 0
    jitter_ms: int = 0
    start_limit_ms: int = 0
    patience_ms: int = 0  # without a follower; 0: the referee's default
    low_priority: bool = False  # of its bots, compared with those of other blocks

    def rules(self, match: MatchOrder) -> Rules:
        """Return the rules of one of its games."""
        return rules_of(self.board, len(match.seats), self.options)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket for an open seat, and the address to use it at."""

    match: str
    seat: int
    address: str
    ticket: str


# ---- out ---------------------------------------------------------------------------------------


def encode_block(order: BlockOrder) -> pb.StartBlockRequest:
    """Return the order as a message."""
    return pb.StartBlockRequest(
        block=order.block,
        attempt=order.attempt,
        ladder=order.ladder,
        board=order.board,
        options=order.options,
        control=encode_control(order.control),
        matches=[_encode_match(match) for match in order.matches],
        parallel=order.parallel,
        watch_delay_ms=order.watch_delay_ms,
        jitter_ms=order.jitter_ms,
        start_limit_ms=order.start_limit_ms,
        patience_ms=order.patience_ms,
        low_priority=order.low_priority,
    )


def _encode_match(order: MatchOrder) -> pb.MatchOrder:
    return pb.MatchOrder(
        match=order.match,
        seed=order.seed,
        first=order.first,
        seats=[_encode_seat(seat) for seat in order.seats],
    )


def _encode_seat(order: SeatOrder) -> pb.SeatOrder:
    place: dict[str, Any]
    match order.place:
        case House(spec):
            place = {"house": spec}
        case Archive(sha256):
            place = {"archive": sha256}
        case Remote(bot):
            place = {"remote": bot}
        case Open():
            place = {"open": True}
    return pb.SeatOrder(bot=order.bot, version=order.version, owner=order.owner, **place)


def encode_ticket(ticket: Ticket) -> pb.Ticket:
    """Return the ticket as a message."""
    return pb.Ticket(
        match=ticket.match, seat=ticket.seat, address=ticket.address, ticket=ticket.ticket
    )


# ---- in ----------------------------------------------------------------------------------------


def decode_block(message: pb.StartBlockRequest) -> BlockOrder:
    """Return the order in a message, validated as far as possible without the bots.

    Raises:
        WireError: naming the wrong field, for example `matches[0].seats[1].archive`.
    """
    if not message.HasField("control"):
        raise WireError("control", "is missing")
    if len(message.board) > BOARD_LIMIT:
        raise WireError("board", f"must be at most {BOARD_LIMIT} bytes")
    order = BlockOrder(
        block=fields.identifier(message.block, "block"),
        attempt=attempt_of(message.attempt),
        ladder=message.ladder and fields.identifier(message.ladder, "ladder"),
        board=message.board,
        options=dict(message.options),
        control=decode_control(message.control),
        matches=_matches(message),
        parallel=message.parallel,
        watch_delay_ms=message.watch_delay_ms,
        jitter_ms=message.jitter_ms,
        start_limit_ms=message.start_limit_ms,
        patience_ms=message.patience_ms,
        low_priority=message.low_priority,
    )
    _check_games(order)
    return order


def attempt_of(number: int, where: str = "attempt") -> int:
    """Return the number of an attempt at a block, which must be 1 or more."""
    if number < 1:
        raise WireError(where, "must be 1 or more")
    return number


def _matches(message: pb.StartBlockRequest) -> tuple[MatchOrder, ...]:
    if not 1 <= len(message.matches) <= MOST_MATCHES:
        raise WireError(
            "matches", f"must hold 1 to {MOST_MATCHES} games, not {len(message.matches)}"
        )
    found: dict[str, MatchOrder] = {}
    for i, order in enumerate(message.matches):
        where = f"matches[{i}]"
        match = fields.identifier(order.match, f"{where}.match")
        if match in found:
            raise WireError(f"{where}.match", f"{match!r} stands twice")
        fields.length(order.seed, SEED_BYTES, f"{where}.seed")
        seats = [_seat(seat, f"{where}.seats[{j}]") for j, seat in enumerate(order.seats)]
        first = order.first if order.HasField("first") else None
        found[match] = MatchOrder(match, order.seed, first, tuple(seats))
    return tuple(found.values())


def _seat(message: pb.SeatOrder, where: str) -> SeatOrder:
    if not message.bot:
        raise WireError(f"{where}.bot", "is missing")
    return SeatOrder(
        fields.short(message.bot, NAME_LIMIT, f"{where}.bot"),
        fields.short(message.version, NAME_LIMIT, f"{where}.version"),
        fields.short(message.owner, NAME_LIMIT, f"{where}.owner"),
        _place(message, where),
    )


def _place(message: pb.SeatOrder, where: str) -> Place:
    match message.WhichOneof("place"):
        case "house":
            if not message.house:
                raise WireError(f"{where}.house", "is missing")
            return House(fields.short(message.house, SPEC_LIMIT, f"{where}.house"))
        case "archive":
            return Archive(fields.sha256(message.archive, f"{where}.archive"))
        case "remote":
            return Remote(fields.identifier(message.remote, f"{where}.remote"))
        case "open":
            if not message.open:
                raise WireError(f"{where}.open", "must be true")
            return Open()
        case None:
            raise WireError(f"{where}.place", "is missing")


def _check_games(order: BlockOrder) -> None:
    chosen = options_of(order.options).first_player
    for i, match in enumerate(order.matches):
        seats = len(match.seats)
        try:
            order.rules(match)
        except WireError as problem:
            here = f"matches[{i}].seats" if problem.where == "seats" else problem.where
            raise WireError(here, problem.problem) from None
        if chosen.startswith("seat ") and int(chosen[5:]) >= seats:
            raise WireError("options", f"first_player: there is no {chosen} among {seats}")
        if (match.first is not None) != (chosen == "rotate"):
            problem_is = "is given exactly when the option first_player is rotate"
            raise WireError(f"matches[{i}].first", problem_is)
        if match.first is not None:
            fields.whole(match.first, 0, seats - 1, f"matches[{i}].first")


def decode_ticket(message: pb.Ticket, where: str = "ticket") -> Ticket:
    """Return the ticket in a message."""
    return Ticket(
        fields.identifier(message.match, f"{where}.match"),
        fields.whole(message.seat, 0, 3, f"{where}.seat"),
        fields.short(message.address, fields.TEXT_LIMIT, f"{where}.address"),
        fields.short(message.ticket, fields.TICKET_LIMIT, f"{where}.ticket"),
    )
