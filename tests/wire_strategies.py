"""Hypothesis strategies for the wire: orders, reports, messages of lobbies and tables."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from damrak_engine.cards import CARDS, COLOURS
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.effects import DETAIL_LIMIT, OWNERS
from damrak_engine.events import (
    END_REASONS,
    FAULTS,
    NOTE_LIMIT,
    Blind,
    Claim,
    Deal,
    End,
    Event,
    Fault,
    Flush,
    Keep,
    LastRound,
    Offer,
    Pass,
    Refill,
    Reshuffle,
    Take,
)
from damrak_engine.options import parse_options
from damrak_engine.position import ROW_SIZE
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import Result, SeatResult
from damrak_wire import lobby, orders, reports
from damrak_wire.boards import board_bytes
from strategies import BOARDS, options

U32 = st.integers(0, 2**32 - 1)
U64 = st.integers(0, 2**64 - 1)
HEX = st.binary(min_size=32, max_size=32).map(bytes.hex)
IDS = st.text(min_size=1, max_size=40).filter(str.isprintable)
LINES = st.text(max_size=60)
REASONS = st.sampled_from(FAULTS)
OWNER = st.sampled_from(OWNERS)

controls = st.builds(
    TimeControl,
    decision_ms=st.none() | st.integers(1, 2**32 - 1),
    bank_ms=st.integers(1, 2**32 - 1),
    increment_ms=U32,
    grace_ms=U32,
    strikes=st.integers(1, 2**32 - 1),
)
times = st.builds(TimeLeft, st.none() | U64, U64)
places = (
    st.builds(orders.House, st.text(min_size=1, max_size=40))
    | st.builds(orders.Archive, HEX)
    | st.builds(orders.Remote, IDS)
    | st.just(orders.Open())
)
seat_orders = st.builds(orders.SeatOrder, st.text(min_size=1, max_size=40), LINES, LINES, places)


@st.composite
def blocks(draw: Any) -> orders.BlockOrder:
    """Draw orders that can be played."""
    seats = draw(st.integers(2, 4))
    chosen = draw(options(seats))
    rotate = chosen.get("first_player") == "rotate"
    matches = [
        orders.MatchOrder(
            name,
            draw(st.binary(min_size=32, max_size=32)),
            draw(st.integers(0, seats - 1)) if rotate else None,
            tuple(draw(seat_orders) for _ in range(seats)),
        )
        for name in draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    ]
    return orders.BlockOrder(
        block=draw(IDS),
        attempt=draw(st.integers(1, 2**32 - 1)),
        ladder=draw(st.just("") | IDS),
        board=board_bytes(draw(st.sampled_from(list(BOARDS.values())))),
        options=chosen,
        control=draw(controls),
        matches=tuple(matches),
        parallel=draw(U32),
        watch_delay_ms=draw(U32),
        jitter_ms=draw(U32),
        start_limit_ms=draw(U32),
        patience_ms=draw(U32),
        low_priority=draw(st.booleans()),
    )


@st.composite
def tables(draw: Any) -> Rules:
    """Draw rules of any table."""
    seats = draw(st.integers(2, 4))
    board = BOARDS[draw(st.sampled_from(sorted(BOARDS)))]
    return rules_for(board, seats, parse_options(draw(options(seats))))


@st.composite
def events(draw: Any, rules: Rules) -> Event:
    """Draw events of any kind, complete or observed; not all of them could occur."""
    board = rules.board
    seat = st.integers(0, rules.seats - 1)
    slot = st.integers(0, ROW_SIZE - 1)
    card = st.sampled_from(CARDS)
    hidden = st.none() | card
    contract = st.integers(0, len(board.contracts) - 1)
    choice = st.lists(contract, min_size=1, max_size=2).map(tuple) | st.sampled_from(
        [(None,), (None, None)]
    )
    rest = {
        "ms": st.none() | U32,
        "note": st.none() | st.text(max_size=NOTE_LIMIT),
    }
    row = st.tuples(card, card, card, card, card)
    route = draw(st.sampled_from(board.routes))
    each = [
        st.builds(
            Deal,
            seat,
            st.tuples(*[st.tuples(hidden, hidden)] * rules.seats),
            row,
            st.tuples(*[choice] * rules.seats),
        ),
        st.builds(Keep, seat, contracts=choice, **rest),
        st.builds(Blind, seat, card=hidden, **rest),
        st.builds(Take, seat, slot=slot, card=card, **rest),
        st.builds(Refill, slot, card),
        st.just(Reshuffle()),
        st.builds(Flush, row),
        st.builds(
            Claim,
            seat,
            route=st.just(route.id),
            colour=st.none() | st.sampled_from(CARDS[:COLOURS]),
            wilds=st.integers(0, route.length),
            goods=st.booleans(),
            **rest,
        ),
        st.builds(Offer, seat, contracts=choice, **rest),
        st.builds(Pass, seat, **rest),
        st.builds(LastRound, seat),
        st.builds(Fault, seat, REASONS, st.text(max_size=DETAIL_LIMIT)),
        st.builds(End, st.sampled_from(END_REASONS)),
    ]
    return draw(st.one_of(each))


def results(rules: Rules) -> st.SearchStrategy[Result]:
    """Return a strategy for results, few of which could be reached."""
    points = st.integers(-(2**31), 2**31 - 1)
    contracts = st.lists(st.integers(0, len(rules.board.contracts) - 1), max_size=4).map(tuple)
    seat = st.builds(
        SeatResult,
        total=points,
        routes=points,
        contracts=points,
        goods=points,
        goods_cards=U32,
        fulfilled=contracts,
        failed=contracts,
        carts_left=st.integers(0, rules.board.carts),
        place=st.integers(1, rules.seats),
        fault=st.none() | REASONS,
    )
    return st.builds(Result, st.sampled_from(END_REASONS), st.tuples(*[seat] * rules.seats))


faults = st.builds(reports.SeatFault, REASONS, OWNER, LINES, LINES)
seat_reports = st.builds(
    reports.SeatReport,
    name=LINES,
    output=LINES,
    fault=st.none() | faults,
    rejections=st.lists(LINES, max_size=3).map(tuple),
    cpu_us=U64,
    memory_bytes=U64,
    ready_us=U64,
)
seats_of_reports = st.lists(seat_reports, min_size=2, max_size=4).map(tuple)


@st.composite
def match_reports(draw: Any) -> reports.MatchReport:
    """Draw reports of finished matches."""
    seats = draw(seats_of_reports)
    rows = draw(st.lists(st.tuples(st.integers(0, len(seats) - 1), U64, U64, U64), max_size=5))
    columns = tuple(zip(*rows, strict=True)) or ((), (), (), ())
    return reports.MatchReport(
        draw(IDS),
        draw(st.integers(1, 9)),
        draw(st.binary(min_size=1, max_size=40)),
        seats,
        reports.Timings(*columns),
    )


block_news = (
    st.builds(reports.MatchStarted, IDS, HEX)
    | match_reports()
    | st.builds(reports.MatchVoided, IDS, st.integers(1, 9), OWNER, LINES, seats_of_reports)
    | st.builds(reports.BlockEnded, st.sampled_from(["finished", "void", "cancelled"]), LINES)
)

lobby_requests = (
    st.integers(1, 2**32 - 1).flatmap(
        lambda lowest: st.builds(
            lobby.Arrival,
            st.just(lowest),
            st.integers(lowest, 2**32 - 1),
            LINES,
            st.integers(0, lobby.MOST_GAMES),
            st.lists(IDS, max_size=3).map(tuple),
        )
    )
    | st.builds(lobby.Capacity, st.integers(0, lobby.MOST_GAMES))
    | st.builds(lobby.Decline, IDS, LINES)
)
lobby_responses = (
    st.builds(lobby.Registered, st.just(1), IDS, LINES)
    | st.builds(lobby.Call, IDS, LINES, LINES, U32)
    | st.builds(lobby.Withdrawal, IDS, LINES)
    | st.builds(lobby.Closing, U32, st.booleans())
)
tokens = st.lists(
    st.builds(lobby.BotToken, IDS, HEX, U64), max_size=4, unique_by=lambda token: token.sha256
).map(tuple)
