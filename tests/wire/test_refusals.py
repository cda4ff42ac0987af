"""Errors of messages are reported with the name of the field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from damrak_engine.observation import observe
from damrak_proto.v1 import control_pb2, lobby_pb2, table_pb2
from damrak_wire import lobby, orders, reports, table, version
from damrak_wire.boards import BOARD_LIMIT, board_bytes, board_of, rules_of
from damrak_wire.errors import WireError
from damrak_wire.state import decode_state, encode_state
from positions import AMSTERDAM, in_play
from wire_samples import block_order, samples

BY_NAME = {sample.name: sample for sample in samples()}
Change = Callable[[Any], None]


def refusal(parse: Callable[[], object]) -> WireError:
    with pytest.raises(WireError) as caught:
        parse()
    return caught.value


# ---- orders ------------------------------------------------------------------------------------


def set_seats(order: Any) -> None:
    del order.matches[1].seats[1:]


def twice(order: Any) -> None:
    order.matches[1].match = order.matches[0].match


def rotate(order: Any) -> None:
    order.options["first_player"] = "rotate"


WRONG_ORDERS: dict[str, Change] = {
    "block": lambda order: order.ClearField("block"),
    "attempt": lambda order: order.ClearField("attempt"),
    "ladder": lambda order: setattr(order, "ladder", "a\nb"),
    "board": lambda order: setattr(order, "board", b"{"),
    "board.format": lambda order: setattr(order, "board", b"{}"),
    "control": lambda order: order.ClearField("control"),
    "control.bank_ms": lambda order: order.control.ClearField("bank_ms"),
    "matches": lambda order: order.ClearField("matches"),
    "matches[1].match": twice,
    "matches[0].seed": lambda order: setattr(order.matches[0], "seed", bytes(31)),
    "matches[1].first": lambda order: setattr(order.matches[1], "first", 0),
    "matches[0].first": rotate,
    "matches[1].seats": set_seats,
    "matches[0].seats[2].bot": lambda order: order.matches[0].seats[2].ClearField("bot"),
    "matches[0].seats[0].house": lambda order: setattr(order.matches[0].seats[0], "house", ""),
    "matches[0].seats[1].archive": lambda order: setattr(
        order.matches[0].seats[1], "archive", "AB" * 32
    ),
    "matches[1].seats[0].archive": lambda order: setattr(
        order.matches[1].seats[0], "archive", "../../etc/passwd"
    ),
    "matches[0].seats[2].remote": lambda order: setattr(
        order.matches[0].seats[2], "remote", "x" * 129
    ),
    "matches[0].seats[3].open": lambda order: setattr(order.matches[0].seats[3], "open", False),
    "matches[0].seats[1].place": lambda order: order.matches[0].seats[1].ClearField("archive"),
}


@pytest.mark.parametrize("where", WRONG_ORDERS)
def test_a_wrong_order_is_refused_by_its_field(where: str) -> None:
    message = orders.encode_block(block_order())
    WRONG_ORDERS[where](message)
    assert refusal(lambda: orders.decode_block(message)).where == where


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("colour", "red"),
        ("row_short", "never"),
        ("turn_limit", "9" * 5000),
        ("first_player", "seat 9"),
    ],
)
def test_options_that_do_not_exist_are_refused(name: str, value: str) -> None:
    message = orders.encode_block(block_order())
    message.options[name] = value
    problem = refusal(lambda: orders.decode_block(message))
    assert problem.where == "options"


def test_the_first_player_must_be_seated() -> None:
    message = orders.encode_block(block_order())
    message.options["first_player"] = "seat 3"
    for match in message.matches:
        del match.seats[3:]
    assert "seat 3" in refusal(lambda: orders.decode_block(message)).problem


# ---- boards ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"", "board"),
        (b"\xff", "board"),
        (b"[" * 100_000, "board"),
        (b'{"format": 1.5}', "board"),
        (b'{"format": %s}' % (b"9" * 5000), "board"),
        (b" " * (BOARD_LIMIT + 1), "board"),
        (b"[]", "board.board"),
        (b'{"format": "damrak-board/2"}', "board.format"),
    ],
)
def test_invalid_board_is_refused(data: bytes, where: str) -> None:
    assert refusal(lambda: board_of(data)).where == where


def test_a_board_for_fewer_players_is_refused() -> None:
    assert refusal(lambda: rules_of(board_bytes(AMSTERDAM), 5, {})).where == "seats"


def test_rules_are_made_once() -> None:
    data = board_bytes(AMSTERDAM)
    assert rules_of(data, 2, {}) is rules_of(bytes(bytearray(data)), 2, {})
    assert rules_of(data, 2, {}) is not rules_of(data, 3, {})


# ---- versions ----------------------------------------------------------------------------------


def test_versions_agree_on_the_highest_both_speak() -> None:
    assert version.agree(table.Join(1, 1, "", "", False)) == 1
    assert version.agree(lobby.Arrival(1, 900, "", 1)) == 1


def test_missing_common_version_is_reported() -> None:
    problem = refusal(lambda: version.agree(lobby.Arrival(2, 3, "", 1)))
    assert problem.where == "hello"
    assert "2 to 3" in problem.problem
    assert f"{version.LOWEST} to {version.HIGHEST}" in problem.problem


@pytest.mark.parametrize(("lowest", "highest"), [(0, 1), (2, 1), (0, 0)])
def test_version_ranges_must_be_valid(lowest: int, highest: int) -> None:
    said = table_pb2.PlayRequest()
    said.join.hello.lowest_version = lowest
    said.join.hello.highest_version = highest
    problem = refusal(lambda: table.parse_request(said.SerializeToString()))
    assert problem.where.startswith("join.hello.")


# ---- messages of a seat --------------------------------------------------------------------------


def test_an_empty_request_is_refused_and_an_empty_response_skipped() -> None:
    assert refusal(lambda: table.parse_request(b"")).where == "request"
    assert refusal(lambda: lobby.decode_request(lobby_pb2.WaitRequest())).where == "request"
    assert table.parse_response(b"", None) is None
    assert lobby.decode_response(lobby_pb2.WaitResponse()) is None
    assert reports.decode_news(control_pb2.FollowBlockResponse()) is None


def test_a_later_kind_of_response_is_skipped() -> None:
    assert table.parse_response(b"\xfa\x3e\x03new", None) is None


def test_long_texts_of_a_bot_are_cut_so_that_its_messages_fit() -> None:
    wide = "\U0001f6b2" * 100_000
    for data in (
        table.ready(wide),
        table.decided(1, 2, wide),
        table.nonsense(1, wide),
        table.failed("crash", wide, wide),
        table.failed("crash", "\ud800", "\udfff"),
    ):
        assert len(data) < 64 * 1024
        table.parse_request(data)
    said = table.parse_request(table.failed("crash", "", "first\n" * 9000 + "last"))
    assert isinstance(said, table.Failed)
    assert said.traceback.endswith("last")


def test_a_client_cannot_blame_the_clock_or_the_connection() -> None:
    for reason in ("timeout", "disconnect", "illegal"):
        problem = refusal(lambda: table.parse_request(table.failed(reason, "")))  # noqa: B023
        assert problem.where == "failure.reason"


# ---- observations of a seat ----------------------------------------------------------------------

SEEN = observe(in_play(2, hands=["pink pink", "wild"]), 0)
WRONG_STATES: dict[str, Any] = {
    "phase": 9,
    "actor": 2,
    "first": 2,
    "seat": 4,
    "hand": 121,
    "known": [0, 0, 0],
    "floor": 1 << 60,
    "row": [1, 2, 3, 4],
    "pile_size": 1000,
    "discards": 2**64 - 1,
    "hand_sizes": [],
    "carts": [1000, 0],
    "points": [1],
    "goods": [0, 5000],
    "goods_left": 999,
    "owned": [b"\0" * 40, b""],
    "open": b"\xff" * 200,
    "barred": [b""],
    "contracts": 1 << 61,
    "contract_counts": [61, 0],
    "offer": [60],
    "dealt": [7],
    "last_turns": 4,
    "gone": 4,
    "end_reason": 9,
}


@pytest.mark.parametrize("where", WRONG_STATES)
def test_an_impossible_position_is_refused_by_its_field(where: str) -> None:
    message = encode_state(SEEN)
    value = WRONG_STATES[where]
    message.ClearField(where)
    if isinstance(value, list):
        getattr(message, where).extend(value)
    else:
        setattr(message, where, value)
    assert refusal(lambda: decode_state(SEEN.rules, message)).where == f"state.{where}"


WRONG_HOARDS: dict[str, list[int]] = {
    "old": [1 << 63],
    "old_plain": [4],
    "old_sizes": [1],
    "own": [1],
    "shown_seats": [0],
}


@pytest.mark.parametrize("where", WRONG_HOARDS)
def test_hoards_that_cannot_be_are_refused_by_their_field(where: str) -> None:
    message = encode_state(SEEN)
    message.old_plain.extend([3])
    message.old.extend([1])
    message.old_sizes.extend([1, 0])
    message.own.extend([0, 0])
    assert decode_state(SEEN.rules, message).old == (1,)
    message.ClearField(where)
    getattr(message, where).extend(WRONG_HOARDS[where])
    assert refusal(lambda: decode_state(SEEN.rules, message)).where == f"state.{where}"


WRONG_PASSES = {
    "passed_seats": [2],
    "passed_old": [2],
    "passed_shown": [1],
    "passed_known": [1 << 63],
    "passed_lengths": [13],
}


@pytest.mark.parametrize("where", WRONG_PASSES)
def test_passes_that_cannot_be_are_refused_by_their_field(where: str) -> None:
    message = encode_state(replace(SEEN, old=(1,), old_plain=(3,), old_sizes=(1, 0), own=(0, 0)))
    fine = {field: [0] for field in WRONG_PASSES} | {"passed_old": [1]}
    for field, values in fine.items():
        getattr(message, field).extend(values)
    assert decode_state(SEEN.rules, message).passed == ((0, 1, 0, 0, 0),)
    message.ClearField(where)
    getattr(message, where).extend(WRONG_PASSES[where])
    assert refusal(lambda: decode_state(SEEN.rules, message)).where == f"state.{where}"
    message.ClearField("passed_lengths")
    assert refusal(lambda: decode_state(SEEN.rules, message)).where == "state.passed_seats"


@pytest.mark.parametrize("legal", [[], [1, 1], [2, 1], [10**6]])
def test_legal_actions_are_an_ascending_list(legal: list[int]) -> None:
    name = next(name for name in BY_NAME if "question" in name)
    message = table_pb2.PlayResponse.FromString(BY_NAME[name].data)
    message.question.legal[:] = legal
    problem = refusal(lambda: BY_NAME[name].parse(message.SerializeToString()))
    assert problem.where == "question.legal"


def test_positions_come_after_the_welcome() -> None:
    for name in ("two: news", "two: result"):
        data = BY_NAME[f"response {name}"].data
        assert "before the welcome" in refusal(lambda: table.parse_response(data, None)).problem  # noqa: B023


def test_a_welcome_to_other_actions_is_refused() -> None:
    message = table_pb2.PlayResponse.FromString(BY_NAME["response two: welcome"].data)
    message.welcome.actions.places[40] += 1
    problem = refusal(lambda: table.parse_response(message.SerializeToString(), None))
    assert problem.where == "welcome.actions.places"
