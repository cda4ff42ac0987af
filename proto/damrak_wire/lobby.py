"""Lobby messages: waiting remote bots, calls to tables, and bot tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from damrak_engine.effects import DETAIL_LIMIT
from damrak_proto.v1 import control_pb2, lobby_pb2 as pb, table_pb2
from damrak_wire import fields, version
from damrak_wire.errors import WireError

MOST_GAMES: Final = 1000  # that a bot may play concurrently


@dataclass(frozen=True, slots=True)
class Arrival:
    """The first message of a bot, with the matches that it already plays."""

    lowest: int
    highest: int
    software: str
    capacity: int
    playing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capacity:
    """The number of concurrent games that a bot accepts from now on."""

    games: int


@dataclass(frozen=True, slots=True)
class Decline:
    """A bot's refusal to join a match."""

    match: str
    reason: str = ""


Request = Arrival | Capacity | Decline


@dataclass(frozen=True, slots=True)
class Registered:
    """The answer to an arrival, with the name of the bot."""

    version: int
    bot: str
    referee: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call to a match; an empty address means the one at which the bot waits."""

    match: str
    address: str
    ticket: str
    patience_ms: int


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The withdrawal of a call."""

    match: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """The notice that the referee is about to stop; if `final`, it will not return."""

    back_in_ms: int
    final: bool = False


Response = Registered | Call | Withdrawal | Closing


@dataclass(frozen=True, slots=True)
class BotToken:
    """The hash of a bot's token; `expires` is in seconds since 1970, or 0 for never."""

    bot: str
    sha256: str
    expires: int = 0


# ---- requests of bots --------------------------------------------------------------------------


def encode_request(said: Request) -> pb.WaitRequest:
    """Return the request of a waiting bot as a message."""
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
    """Return the request of a waiting bot from a message.

    Raises:
        WireError: naming the wrong field.
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


# ---- responses of the referee ------------------------------------------------------------------


def encode_response(said: Response) -> pb.WaitResponse:
    """Return the response of the referee as a message."""
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
    """Return the response in a message; None if its kind is from a later version.

    Raises:
        WireError: naming the wrong field.
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
    """Return the bot tokens as a message."""
    return control_pb2.SetBotTokensRequest(
        tokens=[
            control_pb2.BotToken(bot=token.bot, sha256=token.sha256, expires=token.expires)
            for token in tokens
        ]
    )


def decode_tokens(message: control_pb2.SetBotTokensRequest) -> tuple[BotToken, ...]:
    """Return the bot tokens in a message.

    Raises:
        WireError: naming the wrong field; duplicate hashes are wrong, too.
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
