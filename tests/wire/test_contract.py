"""The protocol covers the engine's values, and handwritten mappings match it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from google.protobuf.message import Message

from damrak_engine.actions import ClaimRoute, TakeCard
from damrak_engine.cards import CARDS
from damrak_engine.effects import OWNERS, Why
from damrak_engine.events import END_REASONS, FAULTS, KINDS
from damrak_engine.observation import Observation, observe
from damrak_engine.position import KEEP, OVER, SECOND, SETUP, TURN
from damrak_engine.rules import space_of
from damrak_proto.v1 import control_pb2, game_pb2, table_pb2
from damrak_wire.boards import board_bytes, board_of
from damrak_wire.reports import BlockOutcome
from damrak_wire.state import state_bytes
from damrak_wire.table.responses import actions_of
from strategies import BOARDS, Plan, walk
from wire_samples import PLANS, Sample, samples

# The fields of State that contain a field of Observation under other names.
OTHER_NAMES = {
    "shown": {"shown_seats", "shown_drawn", "shown_cards"},
    "passed": {f"passed_{column}" for column in ("seats", "old", "shown", "known", "lengths")},
}
EXAMPLES = {"left": ((0, "crash"),), "shown": ((0, 1, 1 << 8),), "passed": ((0, 1, 2, 1 << 8, 3),)}
LEFT_OUT = {"rules"}  # both sides have them


def an_observation(plan: Plan) -> Observation:
    """Return an observation from the middle of a game."""
    *_, (state, _, _) = (step for _, step in zip(range(12), walk(plan), strict=False))
    return observe(state, state.actor)


def test_state_has_all_that_an_observation_has_and_nothing_else() -> None:
    names = {field.name for field in fields(Observation)} - LEFT_OUT
    expected = set().union(*[OTHER_NAMES.get(name, {name}) for name in names])
    assert set(game_pb2.State.DESCRIPTOR.fields_by_name) == expected


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_every_field_of_an_observation_is_carried(plan: Plan) -> None:
    seen = an_observation(plan)
    for field in fields(Observation):
        if field.name not in LEFT_OUT:
            changed = replace(seen, **{field.name: another(getattr(seen, field.name), field.name)})
            assert state_bytes(changed) != state_bytes(seen), field.name


def another(value: Any, name: str) -> Any:
    """Return a different value that is valid for the field."""
    match value:
        case None:
            return (1, 2, 3, 4)
        case "":
            return "carts"
        case bool():
            return not value
        case int():
            return value + 1
        case ():
            return EXAMPLES.get(name, (1,))
        case ((0, *inner), *rest):
            return ((1, *inner), *rest)
        case ((_, *inner), *rest):
            return ((0, *inner), *rest)
        case (first, *rest):
            return (first + 1, *rest)
    raise TypeError(value)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_messages_hold_nothing_that_the_protocol_does_not_name(sample: Sample) -> None:
    message = sample.kind.FromString(sample.data)
    known = sample.kind.FromString(sample.data)
    known.DiscardUnknownFields()
    assert message.SerializeToString() == known.SerializeToString()
    assert message == known


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_bytes_written_by_protobuf_are_equivalent(sample: Sample) -> None:
    again = sample.kind.FromString(sample.data).SerializeToString()
    assert sample.parse(again) == sample.parse(sample.data)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_fields_of_a_later_version_are_ignored(sample: Sample) -> None:
    later = sample.data + b"\xfa\x3e\x03new"  # field 1007
    assert sample.parse(later) == sample.parse(sample.data)


def words(enum: Any, prefix: str) -> list[str]:
    """Return the names of an enum, without the unspecified one."""
    assert enum.values() == list(range(len(enum.values())))
    assert enum.keys()[0] == f"{prefix}_UNSPECIFIED"
    return [key.removeprefix(f"{prefix}_").lower() for key in enum.keys()[1:]]


def test_enums_have_the_words_of_the_engine_in_its_order() -> None:
    assert words(game_pb2.Card, "CARD") == [card.word for card in CARDS]
    assert words(game_pb2.FaultReason, "FAULT_REASON") == list(FAULTS)
    assert words(game_pb2.FaultOwner, "FAULT_OWNER") == list(OWNERS)
    assert words(game_pb2.EndReason, "END_REASON") == list(END_REASONS)
    assert words(table_pb2.StaleReason, "STALE_REASON") == list(get_args(Why))
    assert words(control_pb2.BlockOutcome, "BLOCK_OUTCOME") == list(get_args(BlockOutcome))
    phases = words(game_pb2.Phase, "PHASE")
    assert [phases[p] for p in (SETUP, TURN, SECOND, KEEP, OVER)] == phases
    assert phases == ["setup", "turn", "second", "keep", "over"]


def test_events_have_the_kinds_and_fields_of_the_engine() -> None:
    kinds = game_pb2.Event.DESCRIPTOR.oneofs_by_name["kind"].fields
    assert [field.name for field in kinds] == list(KINDS)
    for field in kinds:
        said = [inner.name for inner in field.message_type.fields]
        assert set(said) == {inner.name for inner in fields(KINDS[field.name])} - {"ms", "note"}
        assert [inner.number for inner in field.message_type.fields] == list(
            range(1, len(said) + 1)
        )


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_actions_are_described_as_in_the_engine(board: Any) -> None:
    columns = actions_of(board)
    kinds = [table_pb2.ActionKind.Name(kind) for kind in columns.kinds]
    assert len(kinds) == len(columns.places) == len(columns.colours) == len(columns.wilds)
    names = dict.fromkeys(kinds)
    assert [name.removeprefix("ACTION_KIND_") for name in names] == [
        *("BLIND", "TAKE", "OFFER", "KEEP_FIRST", "KEEP_SECOND", "KEEP_BOTH", "PASS", "CLAIM")
    ]
    for i, action in enumerate(space_of(board).actions):
        match action:
            case ClaimRoute(route=route, colour=colour, wilds=wilds):
                paid = 0 if colour is None else colour + 1
                said = (columns.places[i], columns.colours[i], columns.wilds[i])
                assert said == (route, paid, wilds)
            case TakeCard(slot=slot):
                assert (kinds[i], columns.places[i]) == ("ACTION_KIND_TAKE", slot)
            case _:
                said = (columns.places[i], columns.colours[i], columns.wilds[i])
                assert said == (0, 0, 0)


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_boards_survive(board: Any) -> None:
    assert board_of(board_bytes(board)).source == board.source


def test_no_message_is_without_a_sample() -> None:
    found: set[str] = set()

    def walk_into(message: Message) -> None:
        found.add(message.DESCRIPTOR.full_name)
        for field, value in message.ListFields():
            if field.message_type and not field.message_type.GetOptions().map_entry:
                for item in value if field.is_repeated else [value]:
                    walk_into(item)

    for sample in samples():
        walk_into(sample.kind.FromString(sample.data))
    calls = {"Request", "Response"}  # the plain request and response messages of calls
    defined = {
        message.full_name
        for file in (game_pb2, table_pb2, control_pb2)
        for message in file.DESCRIPTOR.message_types_by_name.values()
        if not any(message.name.endswith(call) for call in calls)
    }
    assert defined - found - {"damrak.v1.WaitingBot"} == set()
