"""Written replays are valid, here and for an independent verifier; altered ones are not."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from damrak_engine import scoring
from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.errors import ReplayError
from damrak_engine.events import FAULTS, Event
from damrak_engine.options import DEFAULTS, Options, parse_options
from damrak_engine.replay import (
    Played,
    Player,
    Replay,
    hash_of,
    parse_replay,
    record,
    to_bytes,
    to_json,
)
from damrak_engine.rules import rules_for
from damrak_engine.verify import fold, verify
from independent import verifier as stranger
from samples import examples

AMSTERDAM = load_board("amsterdam")
PLAYED = Played("2026-11-18T09:00:00Z", "2026-11-18T09:00:01.5Z", "damrak 0.1.0", "local")


def random_match(
    number: int, seats: int, faults: float = 0.004, options: Options = DEFAULTS
) -> Replay:
    """Return a match of random play, in which a seat leaves occasionally."""
    rng = random.Random(number)
    seed = rng.randbytes(32)
    dice = SeedDice(seed)
    log: list[Event] = []
    first = 0 if options.first_player == "rotate" else None
    state = new_game(rules_for(AMSTERDAM, seats, options), dice, log, first)
    while not state.is_over:
        if rng.random() < faults:
            state.leave(state.actor, rng.choice(FAULTS), "made for a test", dice)
        else:
            state.apply(state.random_action(rng.random), dice)
    return record(
        board=AMSTERDAM,
        options=options,
        seats=tuple(Player(f"bot {seat}", "1", "nobody") for seat in range(seats)),
        seed=seed,
        events=log,
        result=scoring.result(state, dice),
        played=PLAYED,
    )


matches = st.builds(
    random_match, st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([0.0, 0.004, 0.05])
)


chances = st.integers(0, 2**32).map(random.Random)


def wrong_place(data: bytes) -> str:
    """Return the place at which `verify` finds an error; "" if there is none."""
    try:
        verify(data)
    except ReplayError as problem:
        return problem.where
    return ""


@given(matches)
@examples(60)
def test_written_replay_is_parsed_and_valid(match: Replay) -> None:
    data = to_bytes(match)
    assert to_json(parse_replay(data)) == to_json(match)
    assert verify(data).hash == match.hash
    assert stranger.verify(data) == (True, "", "")


@given(matches)
@examples(20)
def test_folding_a_replay_ends_in_its_result(match: Replay) -> None:
    last = None
    before = 0
    for count, state in fold(match):
        assert count > before
        before = count
        last = state
    assert last is not None
    assert before == len(match.events)
    assert scoring.result(last) == match.result


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Yield every leaf of a JSON tree with its path."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, value


@given(matches, chances, st.booleans())
@examples(200)
def test_altered_files_are_refused_at_the_place_of_the_independent_verifier(
    match: Replay, rng: random.Random, rehash: bool
) -> None:
    data = json.loads(to_bytes(match))
    places = [
        (path, value)
        for path, value in leaves(data)
        if path[0] not in ("board", "played", "hash") and path[-1] not in ("ms", "detail")
    ]
    path, value = rng.choice(places)
    parent = data
    for key in path[:-1]:
        parent = parent[key]
    others = ["red", "wild", "x", None, 3, True] if not isinstance(value, bool) else [not value]
    other = value + 1 if type(value) is int else rng.choice(others)
    if other == value or path[0] in ("match", "block", "ladder"):
        return
    parent[path[-1]] = other
    if rehash:
        data["hash"] = hash_of(data)
    altered = json.dumps(data).encode()
    right, where, _ = stranger.verify(altered)
    # With a new hash it may be another valid replay, for example with another bot's name.
    assert rehash or not right
    assert wrong_place(altered) == where


@given(matches, chances, st.sampled_from(["drop", "double", "swap"]))
@examples(60)
def test_moved_events_are_refused(match: Replay, rng: random.Random, change: str) -> None:
    data = json.loads(to_bytes(match))
    events = data["events"]
    i = rng.randrange(len(events) - 1)
    if change == "drop":
        del events[i]
    elif change == "double":
        events.insert(i, events[i])
    else:
        events[i], events[i + 1] = events[i + 1], events[i]
        if [e | {"ms": 0} for e in events] == json.loads(to_bytes(match))["events"]:
            return
    data["hash"] = hash_of(data)
    altered = json.dumps(data).encode()
    _, where, _ = stranger.verify(altered)
    assert wrong_place(altered) == where


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda d: d.update(format="damrak-replay/2"), "header"),
        (lambda d: d.update(extra=1), "header"),
        (lambda d: d.pop("ladder"), "header"),
        (lambda d: d.update(seed="00" * 32), "event 0"),
        (lambda d: d.update(seed="AA" * 32), "header"),
        (lambda d: d["options"].pop("pass"), "header"),
        (lambda d: d["options"].update(reshuffle="never"), "header"),
        (lambda d: d["board"]["routes"][3].update(length=99), "header"),
        (lambda d: d["events"].pop(), "event {last}"),
        (lambda d: d["events"].append({"event": "end", "reason": "carts"}), "event {after}"),
        (lambda d: d["events"][0].update(ms=3), "event 0"),
        (lambda d: d["result"]["seats"][0].update(total=999), "result"),
        (lambda d: d["result"]["seats"][0].update(place=True), "result"),
        (lambda d: d.update(hash="00" * 32), "hash"),
        (lambda d: d.update(match="m-1"), "hash"),
        (lambda d: d.update(match="m-1", hash=hash_of(d | {"match": "m-1"})), "signature"),
        (lambda d: d.update(signature="short"), "signature"),
        (lambda d: d.update(signature="xy" * 64), "signature"),
        (lambda d: d.update(signature="0f" * 65), "signature"),
        (lambda d: d.update(signature="00" * 64), "signature"),
        (lambda d: d.update(signature="0f" * 32 + "00" * 32), "signature"),
        (lambda d: d.update(signature="00" * 32 + "0f" * 32), "signature"),
        (lambda d: d.update(signature="0f" * 32 + "ff" * 32), "signature"),
        (lambda d: d["played"].update(finished="2026-11-18T08:59:59Z"), "header"),
        (lambda d: d["played"].update(started="2026-02-30T08:59:59Z"), "header"),
        (lambda d: d["played"].update(engine="another"), ""),
    ],
)
def test_each_kind_of_damage_has_its_place(change: Any, where: str) -> None:
    match = random_match(7, 2, faults=0.0)
    data = json.loads(to_bytes(match))
    change(data)
    number = len(match.events)
    expected = where.format(last=number - 1, after=number)
    assert wrong_place(json.dumps(data).encode()) == expected


@pytest.mark.parametrize(
    ("change", "distance"),
    [
        (lambda blind: blind.update(seat=1 - blind["seat"]), 1),
        (lambda blind: blind.update(seat=9), 1),
        (lambda blind: blind.update(card="violet"), 1),
        (lambda blind: blind.update(event=None), 1),
        (lambda blind: blind.update(event="steal"), 1),
        (lambda blind: blind.update(event="take", slot=0), 0),
    ],
)
def test_a_blind_draw_is_wrong_apart_from_the_reshuffle_it_needed(
    change: Any, distance: int
) -> None:
    for number in range(200):
        data = json.loads(to_bytes(random_match(number, 2, faults=0.0)))
        kinds = [event["event"] for event in data["events"]]
        reshuffles = [i for i, kind in enumerate(kinds) if kind == "reshuffle"]
        asked_for = [i for i in reshuffles if kinds[i + 1] == "blind" and kinds[i - 1] != "blind"]
        if asked_for:
            at = asked_for[0]
            change(data["events"][at + 1])
            altered = json.dumps(data).encode()
            assert wrong_place(altered) == stranger.verify(altered)[1] == f"event {at + distance}"
            return
    raise AssertionError("no such match")


def test_a_new_commitment_with_its_hash_is_a_wrong_commitment() -> None:
    data = json.loads(to_bytes(random_match(7, 2)))
    data["commitment"] = "00" * 32
    data["hash"] = hash_of(data)
    assert wrong_place(json.dumps(data).encode()) == "commitment"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b'"match":null', b'"match":null,"match":null'),
        lambda data: data.replace(b'"ms":0', b'"ms":0.0', 1),
        lambda data: data.replace(b'"ms":0', b'"ms":1e3', 1),
        lambda data: data.replace(b'"ms":0', b'"ms":NaN', 1),
        lambda data: data.replace(b'"nobody"', b'"\\ud800"', 1),
        lambda data: data.replace(b'"nobody"', b'"\xff"', 1),
        lambda data: data.replace(b'"note":', b'"n\xc3\xb6te":', 1),
        lambda data: data[:-20],
        lambda data: b"[" * 100_000,
        lambda data: b"[]",
        lambda data: b"",
    ],
)
def test_json_that_a_lenient_reader_would_take_is_refused(damage: Any) -> None:
    data = damage(to_bytes(random_match(7, 2, faults=0.0)))
    assert wrong_place(data) == "header"
    assert stranger.verify(data)[:2] == (False, "header")


def test_a_signature_is_checked_with_the_key_that_is_given() -> None:
    data = json.loads(to_bytes(random_match(7, 2)))
    data["signature"] = "0f" * 64
    signed = json.dumps(data).encode()
    verify(signed)
    verify(signed, signed=lambda digest, signature: digest == data["hash"])
    with pytest.raises(ReplayError, match="signature"):
        verify(signed, signed=lambda digest, signature: False)


def test_on_a_ladder_the_board_must_be_the_published_one() -> None:
    data = json.loads(to_bytes(random_match(7, 2)))
    data["board"]["name"] = "Elsewhere"
    data["hash"] = hash_of(data)
    elsewhere = json.dumps(data).encode()
    verify(elsewhere)
    with pytest.raises(ReplayError, match="published"):
        verify(elsewhere, published=AMSTERDAM)


@pytest.mark.parametrize(
    "choice",
    [
        {"reshuffle": "eager"},
        {"flush_guard": "cap3"},
        {"pass": "voluntary"},
        {"second_card": "optional"},
        {"turn_limit": "20"},
        {"all_wild": "no"},
        {"equal_turns": "on"},
        {"initial_choice": "in_turn_order"},
        {"returned_order": "shuffled"},
        {"first_player": "rotate"},
        {"first_player": "seat 1"},
        {"final_tie": "seed draw"},
    ],
    ids=str,
)
def test_matches_under_other_options_verify(choice: dict[str, object]) -> None:
    for number in range(15):
        match = random_match(number, 2 + number % 3, options=parse_options(choice))
        verify(to_bytes(match))
