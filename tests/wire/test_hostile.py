"""All input either parses or raises a WireError that names the field."""

from __future__ import annotations

import contextlib
import json
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given, strategies as st

from damrak_engine.effects import Ask
from damrak_wire import table
from damrak_wire.boards import rules_of
from damrak_wire.errors import WireError
from samples import examples
from strategies import SMALL_BOARD
from wire_samples import Sample, samples

SAMPLES = samples()


def survives(sample: Sample, data: bytes) -> None:
    """Parse or reject the data; an accepted message must survive a round trip."""
    try:
        heard = sample.parse(data)
    except WireError:
        return
    if isinstance(heard, table.Asked):
        seat = heard.observation.seat
        ask = Ask(seat, heard.decision, heard.observation, heard.legal, heard.time_left)
        events = [table.event_bytes(event) for event in heard.events]
        again = sample.parse(table.question(ask, heard.first, events))
        assert again == (heard if events else replace(heard, first=0))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_samples_parse(sample: Sample) -> None:
    assert sample.parse(sample.data) is not None


@examples(300)
@given(st.sampled_from(SAMPLES), st.binary(max_size=200))
def test_random_bytes(sample: Sample, data: bytes) -> None:
    survives(sample, data)


@examples(600)
@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False))
def test_damaged_bytes(sample: Sample, random: Random) -> None:
    data = bytearray(sample.data)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data) + 1)
        match random.randrange(4):
            case 0:
                data[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del data[place : place + random.randint(1, 9)]
            case 2:
                data[place:place] = bytes(
                    random.randrange(256) for _ in range(random.randint(1, 9))
                )
            case 3:
                data += data[place : place + random.randint(1, 60)]
    survives(sample, bytes(data))


@examples(2000)
@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False))
def test_lying_messages(sample: Sample, random: Random) -> None:
    """Well-formed messages with wrong values."""
    message = sample.kind.FromString(sample.data)
    for _ in range(random.randint(1, 3)):
        lie(message, random)
    survives(sample, message.SerializeToString())


NUMBERS = [0, 1, 2, 3, 5, 7, 8, 61, 62, 63, 64, 127, 128, 255, 300, 2**31 - 1]
TEXTS = ["", "x", "\0", "\n", "é" * 300, "y" * 100_000, "9" * 5000]


def lie(message: Message, random: Random) -> None:
    """Change one field somewhere below this message."""
    if not message.DESCRIPTOR.fields:
        return
    field = a_field(message, random)
    is_message = field.type == FieldDescriptor.TYPE_MESSAGE
    value = getattr(message, field.name)
    if is_message and field.message_type.GetOptions().map_entry:
        value[random.choice(["row_short", "turn_limit", "first_player", "?"])] = random.choice(
            ["allow", "seat 3", "rotate", *TEXTS]
        )
    elif field.is_repeated:
        what = random.choice([0, 1, 2, 2, 2, 3] if is_message else [0, 1, 3, 4])
        if what == 0:
            message.ClearField(field.name)
        elif what == 1 and len(value):
            del value[random.randrange(len(value))]
        elif what == 2 and len(value) and is_message:
            lie(random.choice(value), random)
        elif is_message:
            value.add()
        elif what == 3 and len(value):
            value[random.randrange(len(value))] = scalar(field, random)
        else:
            value.extend([scalar(field, random)] * random.choice([1, 1, 5, 200]))
    elif is_message:
        if random.randrange(20) == 0:
            message.ClearField(field.name)
        elif random.randrange(20) == 0:
            value.SetInParent()
        else:
            lie(value, random)
    else:
        setattr(message, field.name, scalar(field, random))


def a_field(message: Message, random: Random) -> FieldDescriptor:
    """Return some field, preferably one that is set, and preferably a message."""
    there = [field for field, _ in message.ListFields()]
    inner = [field for field in there if field.type == FieldDescriptor.TYPE_MESSAGE]
    everything = message.DESCRIPTOR.fields
    return random.choice(random.choice([everything, there or everything, inner or everything]))


def scalar(field: FieldDescriptor, random: Random) -> Any:
    """Return some value that is valid for the field."""
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return random.choice(
                [b"", b"\x01", b"\xff" * 3, b"\xff" * 500, b"{}", random.randbytes(32)]
            )
        case FieldDescriptor.CPPTYPE_STRING:
            return random.choice(TEXTS)
        case FieldDescriptor.CPPTYPE_BOOL:
            return random.random() < 0.5
        case FieldDescriptor.CPPTYPE_ENUM | FieldDescriptor.CPPTYPE_INT32:
            return random.choice([*NUMBERS, -1, -(2**31)])
        case FieldDescriptor.CPPTYPE_UINT64:
            return random.choice([*NUMBERS, 2**56, 2**63, 2**64 - 1, random.getrandbits(64)])
        case _:
            return random.choice([*NUMBERS, 2**32 - 1])


# ---- boards ------------------------------------------------------------------------------------

LEAVES = [None, True, -1, 0, 1, 3, 121, 10**9, 10**4000, 1.5, "", "red", "²", [], {}, [1], "\ud800"]


@examples(400)
@given(st.randoms(use_true_random=False), st.integers(2, 4))
def test_lying_boards(random: Random, seats: int) -> None:
    source = deepcopy(SMALL_BOARD.source)
    for _ in range(random.randint(1, 3)):
        place: Any = source
        while True:
            key = random.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if isinstance(place[key], dict | list) and place[key] and random.random() < 0.8:
                place = place[key]
                continue
            if random.random() < 0.2:
                del place[key]
            else:
                place[key] = deepcopy(random.choice(LEAVES))
            break
    with contextlib.suppress(WireError):
        rules_of(json.dumps(source).encode(), seats, {})
