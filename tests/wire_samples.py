"""Messages of every kind, from games played at random, each with the function that parses it.

The golden file of the wire consists of them, and hostile messages are derived from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import Message

from damrak_engine.cards import Card
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.dice import commitment
from damrak_engine.effects import Ask, Rejected, Stale
from damrak_engine.events import (
    Claim,
    Decision,
    End,
    Event,
    Fault,
    Flush,
    LastRound,
    Offer,
    Pass,
    Reshuffle,
    seen_by,
)
from damrak_engine.observation import observe
from damrak_engine.replay import Player
from damrak_engine.rules import Rules
from damrak_engine.scoring import result
from damrak_proto.v1 import control_pb2, lobby_pb2, table_pb2, watch_pb2
from damrak_wire import fields, lobby, orders, reports, table, watch
from damrak_wire.boards import board_bytes
from damrak_wire.reports import SeatFault, SeatReport, Timings
from damrak_wire.runtime import decode_runtime, encode_runtime
from runtimes import RUNTIME
from strategies import Plan, seed_of, walk

SEED = seed_of(7)
CONTROL = TimeControl(decision_ms=None, bank_ms=600_000, increment_ms=0, grace_ms=5000, strikes=2)
TIME = TimeLeft(9_000_000, 59_000_001)
BANK_ONLY = TimeLeft(None, 300)
FAULT = SeatFault("memory", "bot", "used more than 512 MiB", "Traceback: …\n")

PLANS = {
    "two": Plan("amsterdam", 2, number=3),
    "three leavers": Plan("small", 3, number=1, faults=0.05),
    "three virtual": Plan("small", 3, {"goods_exhausted": "virtual"}, number=9),
    "four secret": Plan(
        "amsterdam", 4, {"hand_size_public": "no", "initial_choice": "in_turn_order"}, number=5
    ),
}

Parse = Callable[[bytes], Any]


@dataclass(frozen=True)
class Sample:
    """One message, and its parser."""

    name: str
    kind: type[Message]
    data: bytes
    parse: Parse

    @property
    def text(self) -> str:
        """The message as readable text."""
        return text_format.MessageToString(self.kind.FromString(self.data))


def samples() -> list[Sample]:
    """Return at least one message of every kind, always the same ones."""
    table_talk = [*_requests(), *_fixed_responses(), _rare_events(), *_games()]
    return [*table_talk, *_control(), *_lobby(), *_watch(), _runtime()]


def _requests() -> Iterator[Sample]:
    said = {
        "join": table.join("damrak-python/0.1.0", "a-ticket", True),
        "ready": table.ready("Grachtengordel"),
        "decided": table.decided(300, 417, "blocks the Dam ☂", 1_234_567),
        "decided plainly": table.decided(1, 0),
        "nonsense": table.nonsense(7, "None is not an action"),
        "failed": table.failed("crash", "ZeroDivisionError", "Traceback:\n  1 / 0\n"),
    }
    for name, data in said.items():
        yield Sample(f"request {name}", table_pb2.PlayRequest, data, table.parse_request)


def _response(name: str, data: bytes, rules: Rules | None) -> Sample:
    return Sample(
        f"response {name}",
        table_pb2.PlayResponse,
        data,
        lambda data: table.parse_response(data, rules),
    )


def _fixed_responses() -> Iterator[Sample]:
    rules = PLANS["two"].rules
    yield _response("rejection", table.rejection(Rejected(0, 12, "too few carts", TIME, 1)), None)
    for why in ("answered", "late", "foreign", "unknown", "over"):
        yield _response(f"stale {why}", table.stale(Stale(0, 5, why)), None)  # type: ignore[arg-type]
    yield _response("complaint", table.complaint("decision.action: is missing"), None)
    yield _response("void", table.ending_void(0, [], "host", "the machine went down"), rules)
    yield _response("out", table.ending_fault(0, [], 1, "timeout", "no answer"), rules)


def _rare_events() -> Sample:
    rules = PLANS["four secret"].rules
    events = [
        Pass(3, ms=0),
        Reshuffle(),
        Flush((Card.WILD, Card.WILD, Card.PINK, Card.WILD, Card.ORANGE)),
        Claim(0, route=3, colour=None, wilds=2, goods=False, ms=2**32 - 1, note=""),
        Offer(1, contracts=(None,)),
        LastRound(0),
        Fault(2, "disconnect", "did not come back in time"),
        End("turn_limit"),
    ]
    data = table.news(1000, [table.event_bytes(event) for event in events])
    return _response("rare events", data, rules)


def _games() -> Iterator[Sample]:
    for name, plan in PLANS.items():
        rules, seat, told = plan.rules, plan.seats - 1, 0
        log: list[Event] = []
        kinds: set[str] = set()
        for number, (state, dice, _) in enumerate(walk(plan, log=log), 1):  # noqa: B007
            seen = [seen_by(event, seat) for event in log[told:]]
            new = {event.kind for event in seen} | {f"phase {state.phase}"}
            if state.phase == 0 and number == 1:
                yield _response(f"{name}: welcome", table.welcome(_welcome(rules, seat)), None)
            if new - kinds and state.actor == seat:
                kinds |= new
                ask = Ask(seat, number, observe(state, seat), state.legal_actions(), TIME)
                events = [table.event_bytes(event) for event in seen]
                yield _response(
                    f"{name}: question {number}", table.question(ask, told, events), rules
                )
                told = len(log)
        history = [table.event_bytes(seen_by(event, seat)) for event in log[:40]]
        back = _welcome(rules, seat, history, observe(state, seat))
        yield _response(f"{name}: welcome back", table.welcome(back), None)
        last = [table.event_bytes(_noted(event)) for event in log[-12:]]
        yield _response(f"{name}: news", table.news(len(log) - 12, last), rules)
        yield _response(
            f"{name}: result",
            table.ending_result(len(log) - 12, last, result(state, dice)),
            rules,
        )


def _noted(event: Event) -> Event:
    if isinstance(event, Decision):
        object.__setattr__(event, "ms", 1234)
        object.__setattr__(event, "note", "noted: ☂")
    return event


def _welcome(rules: Rules, seat: int, history: Any = (), observation: Any = None) -> table.Welcome:
    return table.Welcome(
        match="a-match",
        seat=seat,
        rules=rules,
        control=CONTROL,
        chance=bytes(range(32)),
        commitment=commitment(SEED),
        rejoin_ticket="another-ticket",
        history=history,
        observation=observation,
    )


def _message(name: str, kind: type[Message], message: Message, decode: Any) -> Sample:
    return Sample(
        name,
        kind,
        message.SerializeToString(deterministic=True),
        lambda data: decode(fields.message(kind, data, "message")),
    )


def block_order() -> orders.BlockOrder:
    """Return a block with a bot of every origin."""
    places = (
        orders.House("mcts:ms=100"),
        orders.Archive("ab" * 32),
        orders.Remote("anna/sloop"),
        orders.Open(),
    )
    seats = [orders.SeatOrder(f"bot {i}", "1.2", "anna", place) for i, place in enumerate(places)]
    plan = PLANS["four secret"]
    return orders.BlockOrder(
        block="a-block",
        attempt=2,
        ladder="amsterdam-4",
        board=board_bytes(plan.rules.board),
        options=plan.options,
        control=CONTROL,
        matches=tuple(
            orders.MatchOrder(f"match-{i}", SEED, None, (*seats[i:], *seats[:i])) for i in range(2)
        ),
        parallel=2,
        watch_delay_ms=30_000,
        jitter_ms=20,
        start_limit_ms=10_000,
    )


def _control() -> Iterator[Sample]:
    yield _message(
        "block",
        control_pb2.StartBlockRequest,
        orders.encode_block(block_order()),
        orders.decode_block,
    )
    ticket = orders.Ticket("match-1", 3, "referee.example:4000", "a-ticket")
    yield _message("ticket", control_pb2.Ticket, orders.encode_ticket(ticket), orders.decode_ticket)
    seats = (
        SeatReport("Sloop", "hello\n", FAULT, ("decision 3: no such action",), 1, 2, 3),
        SeatReport("Greedy"),
    )
    timings = Timings((0, 1), (100, 200), (50, 0), (3, 4))
    news: dict[str, reports.BlockNews] = {
        "started": reports.MatchStarted("match-0", commitment(SEED)),
        "finished": reports.MatchReport("match-0", 2, b"{}\n", seats, timings),
        "voided": reports.MatchVoided("match-1", 2, "network", "gone", seats),
        "ended": reports.BlockEnded("void", "match-1"),
    }
    for name, told in news.items():
        message = reports.encode_news(told)
        yield _message(
            f"block {name}", control_pb2.FollowBlockResponse, message, reports.decode_news
        )
    tokens = [lobby.BotToken("anna/sloop", "cd" * 32, 2_000_000_000)]
    yield _message(
        "tokens",
        control_pb2.SetBotTokensRequest,
        lobby.encode_tokens(tokens),
        lobby.decode_tokens,
    )


def _lobby() -> Iterator[Sample]:
    said: list[lobby.Request] = [
        lobby.Arrival(1, 1, "damrak-python/0.1.0", 4, ("match-1",)),
        lobby.Capacity(0),
        lobby.Decline("match-2", "too busy"),
    ]
    for request in said:
        name = f"lobby request {type(request).__name__.lower()}"
        message = lobby.encode_request(request)
        yield _message(name, lobby_pb2.WaitRequest, message, lobby.decode_request)
    heard: list[lobby.Response] = [
        lobby.Registered(1, "anna/sloop", "referee-1"),
        lobby.Call("match-1", "", "a-ticket", 10_000),
        lobby.Withdrawal("match-1", "cancelled"),
        lobby.Closing(5000),
    ]
    for response in heard:
        name = f"lobby response {type(response).__name__.lower()}"
        answer = lobby.encode_response(response)
        yield _message(name, lobby_pb2.WaitResponse, answer, lobby.decode_response)


def _watch() -> Iterator[Sample]:
    plan = PLANS["two"]
    log: list[Event] = []
    for _ in walk(plan, log=log):
        pass
    players = (Player("sloop", "1.2", "anna"), Player("greedy", "0.1.0", ""))
    match = watch.WatchedMatch("match-0", "a-block", 2, players)
    told = watch.MatchSetting(match, plan.rules, CONTROL, commitment(SEED), 30_000)
    events = [table.event_bytes(seen_by(event, -1)) for event in log[:30]]
    seen = {
        "setting": watch.setting(told),
        "events": watch.happened(0, events),
        "clocks": watch.clocks([0, 1], [60_000, 59_123]),
        "ending": watch.ending(b"{}\n", [None, FAULT]),
        "void": watch.void("host", "the machine went down"),
    }
    for name, data in seen.items():
        yield Sample(
            f"watch {name}",
            watch_pb2.WatchMatchResponse,
            data,
            lambda data: watch.parse_seen(data, plan.rules),
        )
    yield _message(
        "matches",
        watch_pb2.ListMatchesResponse,
        watch.encode_matches([match]),
        watch.decode_matches,
    )


def _runtime() -> Sample:
    return _message("runtime", control_pb2.BotRuntime, encode_runtime(RUNTIME), decode_runtime)
