"""Remote bots that wait to be called, and the tokens they wait under."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from damrak_engine.effects import DETAIL_LIMIT
from damrak_proto.v1 import control_pb2, lobby_pb2 as pb, table_pb2
from damrak_wire import fields, version
from damrak_wire.errors import WireError

MOST_GAMES: Final = 1000  # that one bot may play at once


@dataclass(frozen=True, slots=True)
class Arrival:
    """A bot is there, and plays these matches already."""

    lowest: int
    highest: int
    software: str
    capacity: int
    playing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many games at once from now on."""

    games: int


@dataclass(frozen=True, slots=True)
class Decline:
    """It will not come to this match."""

    match: str
    reason: str = ""


Request = Arrival | Capacity | Decline


@dataclass(frozen=True, slots=True)
class Registered:
    """The bot is known here, by this name."""

    version: int
    bot: str
    referee: str


@dataclass(frozen=True, slots=True)
class Call:
    """Come and play; the address is empty if it is the one the bot waits at."""

    match: str
    address: str
    ticket: str
    patience_ms: int


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A call no longer stands."""

    match: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """The referee is about to stop, and does not come back if this is final."""

    back_in_ms: int
    final: bool = False


Response = Registered | Call | Withdrawal | Closing


@dataclass(frozen=True, slots=True)
class BotToken:
    """Who may wait under which token, given as a hash; `expires` in seconds since 1970, or 0."""

    bot: str
    sha256: str
    expires: int = 0


# ---- what a bot says ---------------------------------------------------------------------------


def encode_request(said: Request) -> pb.WaitRequest:
    """What a waiting bot says as a message."""
    match said:
        case Arrival(lowest, highest, software, capacity, playing):
            hello = table_pb2.Hello(
                lowest_version=lowest, highest_version=highest, software=software
            )
            arrival = pb.Arrival(hello=hello, capacity=capacity, playing=playing)
            return pb.WaitRequest(arrival=arrival)
        case Capacity(games):
            return pb.WaitRequest(capacity=pb.Capacity(games=games))
        case Decline(match, reason):
            reason = fields.cut(reason, DETAIL_LIMIT)
            return pb.WaitRequest(decline=pb.Decline(match=match, reason=reason))


def decode_request(message: pb.WaitRequest) -> Request:
    """What a waiting bot says.

    Raises:
        WireError: naming what is wrong with it.
    """
    match message.WhichOneof("message"):
        case "arrival":
            arrival = message.arrival
            fields.member(arrival, "hello", "arrival")
            lowest, highest, software = version.heard(arrival.hello, "arrival.hello")
            if len(arrival.playing) > MOST_GAMES:
                raise WireError("arrival.playing", f"must hold at most {MOST_GAMES}")
            return Arrival(
                lowest,
                highest,
                software,
                _games(arrival.capacity, "arrival.capacity"),
                tuple([fields.identifier(m, "arrival.playing") for m in arrival.playing]),
            )
        case "capacity":
            return Capacity(_games(message.capacity.games, "capacity.games"))
        case "decline":
            decline = message.decline
            return Decline(
                fields.identifier(decline.match, "decline.match"),
                fields.cut(decline.reason, DETAIL_LIMIT),
            )
        case None:
            raise WireError("request", "is of no known kind")


def _games(number: int, where: str) -> int:
    return fields.whole(number, 0, MOST_GAMES, where)


# ---- what the referee says ---------------------------------------------------------------------


def encode_response(said: Response) -> pb.WaitResponse:
    """What the referee says as a message."""
    match said:
        case Registered(number, bot, referee):
            registered = pb.Registered(version=number, bot=bot, referee=referee)
            return pb.WaitResponse(registered=registered)
        case Call(match, address, ticket, patience_ms):
            call = pb.Call(match=match, address=address, ticket=ticket, patience_ms=patience_ms)
            return pb.WaitResponse(call=call)
        case Withdrawal(match, reason):
            reason = fields.cut(reason, DETAIL_LIMIT)
            return pb.WaitResponse(withdrawal=pb.Withdrawal(match=match, reason=reason))
        case Closing(back_in_ms, final):
            return pb.WaitResponse(closing=pb.Closing(back_in_ms=back_in_ms, final=final))


def decode_response(message: pb.WaitResponse) -> Response | None:
    """What the referee says; None if a later version has taught it more than we know.

    Raises:
        WireError: naming what is wrong with it.
    """
    match message.WhichOneof("message"):
        case "registered":
            registered = message.registered
            return Registered(
                fields.whole(
                    registered.version, version.LOWEST, version.HIGHEST, "registered.version"
                ),
                fields.identifier(registered.bot, "registered.bot"),
                fields.short(registered.referee, fields.TEXT_LIMIT, "registered.referee"),
            )
        case "call":
            call = message.call
            return Call(
                fields.identifier(call.match, "call.match"),
                fields.short(call.address, fields.TEXT_LIMIT, "call.address"),
                fields.short(call.ticket, fields.TICKET_LIMIT, "call.ticket"),
                call.patience_ms,
            )
        case "withdrawal":
            withdrawal = message.withdrawal
            return Withdrawal(
                fields.identifier(withdrawal.match, "withdrawal.match"),
                fields.cut(withdrawal.reason, DETAIL_LIMIT),
            )
        case "closing":
            return Closing(message.closing.back_in_ms, message.closing.final)
        case None:
            return None


# ---- tokens ------------------------------------------------------------------------------------


def encode_tokens(tokens: Iterable[BotToken]) -> control_pb2.SetBotTokensRequest:
    """Who may wait, as a message."""
    return control_pb2.SetBotTokensRequest(
        tokens=[
            control_pb2.BotToken(bot=token.bot, sha256=token.sha256, expires=token.expires)
            for token in tokens
        ]
    )


def decode_tokens(message: control_pb2.SetBotTokensRequest) -> tuple[BotToken, ...]:
    """Who may wait.

    Raises:
        WireError: naming what is wrong with it; a hash that stands twice is wrong, too.
    """
    found: dict[str, BotToken] = {}
    for i, token in enumerate(message.tokens):
        where = f"tokens[{i}]"
        hashed = fields.sha256(token.sha256, f"{where}.sha256")
        if hashed in found:
            raise WireError(f"{where}.sha256", "stands twice")
        found[hashed] = BotToken(
            fields.identifier(token.bot, f"{where}.bot"), hashed, token.expires
        )
    return tuple(found.values())
