"""Tests of the verifier without the project: values by hand and small files."""

import copy
import hashlib
import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from .verifier import OPTIONS, Dice, canonical, goods_bonus, joined, main, places, verify

SEED = bytes(range(32))

# ---- dice: the first eight bytes as sha256sum prints them ------------------------------------


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("first", ["839126c6bc3ba95f", "a249911f0e4a9049", "a942461b8ad6c136"]),
        ("hand/0", ["5c877f56c91aeada", "cfdfe66200bc768a", "68426874ae1ffd40"]),
        ("row", ["2f93e17dc97e6680", "3c5a2cd66c055442", "4f1cb4e81762350f"]),
        ("blind/1", ["00c16385e47831e1", "33ab7eaf3f658f50", "f07ca60f5d02945f"]),
        ("contract/1", ["2df245c86eba8e62", "faa17b0fc41894be", "5ef5667764a47a62"]),
    ],
)
def test_dice_are_the_first_64_bits_of_the_hash(stream: str, words: list[str]) -> None:
    dice = Dice(SEED)
    assert [dice.pick(stream, 2**64) for _ in words] == [int(word, 16) for word in words]


def test_picks_are_the_scaled_values_and_streams_do_not_touch_each_other() -> None:
    dice = Dice(SEED)
    assert dice.pick("first", 4) == 2  # 0x83 / 0x100 * 4 = 2.05
    assert dice.pick("hand/0", 44) == 15  # 0x5c87 / 0x10000 * 44 = 15.90
    assert dice.pick("row", 36) == 6  # 0x2f93 / 0x10000 * 36 = 6.69
    assert dice.pick("hand/0", 40) == 32  # 0xcfdf / 0x10000 * 40 = 32.48
    assert dice.pick("blind/1", 1) == 0  # counts as a call too
    assert dice.pick("blind/1", 30) == 6  # 0x33ab / 0x10000 * 30 = 6.05


# ---- scoring ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "bonus"),
    [
        ([5, 5, 2, 1], [8, 8, 4, 2]),
        ([5, 3, 3, 1], [8, 6, 6, 2]),
        ([5, 3, 3, 3], [8, 6, 6, 6]),
        ([4, 4, 4, 1], [8, 8, 8, 2]),
        ([2, 2, 1, 1], [8, 8, 4, 4]),
        ([3, 3, 3, 3], [8, 8, 8, 8]),
        ([4, 2, 2, 0], [8, 6, 6, 0]),
        ([3, 3, 0, 0], [8, 8, 0, 0]),
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([4, 4, 1], [8, 8, 2]),
        ([4, 1, 1], [8, 5, 5]),
        ([2, 2, 2], [8, 8, 8]),
        ([5, 0, 0], [8, 0, 0]),
        ([3, 3], [8, 8]),
        ([3, 1], [8, 4]),
        ([3, 0], [8, 0]),
        ([0, 0], [0, 0]),
        ([1, 2, 5, 5], [2, 4, 8, 8]),
    ],
)
def test_goods_bonus_skips_ranks_after_a_tie(counts: list[int], bonus: list[int]) -> None:
    columns = {2: [8, 4], 3: [8, 5, 2], 4: [8, 6, 4, 2]}
    assert goods_bonus(counts, columns[len(counts)]) == bonus


@pytest.mark.parametrize(
    ("totals", "fulfilled", "left", "expected"),
    [
        ([9, 7, 7, 1], [0, 2, 2, 0], [], [1, 2, 2, 4]),
        ([9, 7, 7, 1], [0, 1, 2, 0], [], [1, 3, 2, 4]),
        ([-3, -5], [0, 3], [], [1, 2]),
        ([50, 7, 7, 60], [5, 2, 2, 5], [0, 3], [4, 1, 1, 3]),
        ([5, 5], [1, 1], [], [1, 1]),
    ],
)
def test_places(
    totals: list[int], fulfilled: list[int], left: list[int], expected: list[int]
) -> None:
    assert places(totals, fulfilled, left) == expected


def test_a_contract_needs_an_unbroken_chain() -> None:
    routes = [{"from": "b", "to": "a"}, {"from": "c", "to": "b"}, {"from": "d", "to": "e"}]
    assert joined(routes, "a", "c")
    assert not joined(routes, "a", "d")
    assert not joined([], "a", "b")


# ---- canonical JSON --------------------------------------------------------------------------


def test_canonical_text_of_a_mixed_value() -> None:
    value = {"b": [1, -2, True, False, None], "a": {"Z": "é\u2028", "_": '"\\/'}, "B": {}, "": []}
    text = '{"":[],"B":{},"a":{"Z":"é\u2028","_":"\\"\\\\/"},"b":[1,-2,true,false,null]}'
    assert canonical(value) == text


def test_canonical_text_escapes_control_characters_alone() -> None:
    escaped = '"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\U0001f600"'
    assert canonical("\b\t\n\f\r\0\x1f\x7f\U0001f600") == escaped
    everything = "".join(chr(code) for code in range(0x300))
    assert canonical(everything) == json.dumps(everything, ensure_ascii=False)


# ---- small files: with a deck of nine wild cards the dice only choose seats and contracts --------


def board(**changes: Any) -> dict[str, Any]:
    lines = [("a", "b", 1, "grey", True), ("b", "c", 2, "pink", False)]
    lines += [("a", "c", 1, "red", True), ("c", "a", 1, "grey", True)]
    names = ("from", "to", "length", "colour", "goods")
    routes: list[dict[str, Any]] = [
        {"id": index, **dict(zip(names, line, strict=True))} for index, line in enumerate(lines)
    ]
    routes[2]["twin"] = 3
    routes[3]["twin"] = 2
    contracts = [("a", "c", 3), ("a", "b", 1), ("b", "c", 2)]
    contracts += [("a", "b", 2), ("a", "b", 5), ("a", "b", 4)]
    return {
        "format": "damrak-board/1",
        "players": [2, 4],
        "carts_per_player": 4,
        "colours": ["pink", "blue", "green", "black", "red", "orange"],
        "cards_per_colour": 0,
        "wild_cards": 9,
        "goods_cards": 16,
        "route_points": {"1": 1, "2": 2},
        "goods_bonus": {"2": [8, 4], "3": [8, 5, 2], "4": [8, 6, 4, 2]},
        "locations": [{"id": name, "name": f"{name}é"} for name in "abc"],
        "routes": routes,
        "contracts": [
            {"id": index, "from": a, "to": b, "points": points}
            for index, (a, b, points) in enumerate(contracts)
        ],
        **changes,
    }


def replay() -> dict[str, Any]:
    """Return a whole match: two claims, a last round, a reshuffle."""
    wild = "wild"
    two = [wild, wild]
    claim = {"event": "claim", "colour": None}
    return {
        "format": "damrak-replay/1",
        "match": None,
        "block": None,
        "ladder": None,
        "board": board(),
        "options": dict(OPTIONS),
        "seats": [{"bot": "x", "version": "1", "owner": ""} for _ in range(2)],
        "seed": SEED.hex(),
        "commitment": "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
        "events": [
            {
                "event": "deal",
                "first": 1,
                "hands": [two, two],
                "row": [wild] * 5,
                "contracts": [[5, 2], [0, 4]],
            },
            {"event": "keep", "seat": 1, "contracts": [4], "ms": 3},
            {"event": "keep", "seat": 0, "contracts": [2, 5], "ms": 0, "note": "both"},
            {**claim, "seat": 1, "route": 1, "wilds": 2, "goods": False, "ms": 0},
            {"event": "last_round", "seat": 1},
            {**claim, "seat": 0, "route": 0, "wilds": 1, "goods": True, "ms": 0},
            {"event": "reshuffle"},
            {"event": "blind", "seat": 1, "card": wild, "ms": 0},
            {"event": "blind", "seat": 1, "card": wild, "ms": 0},
            {"event": "end", "reason": "carts"},
        ],
        "result": {
            "reason": "carts",
            "seats": [
                score(11, 1, 2, 8, goods_cards=1, fulfilled=[5], failed=[2], carts_left=3),
                score(-3, 2, -5, 0, failed=[4], carts_left=2, place=2),
            ],
        },
        "played": {
            "started": "2026-11-18T09:00:00Z",
            "finished": "2026-11-18T09:00:00.25Z",
            "engine": "e",
            "referee": "r",
        },
        "signature": None,
    }


def score(total: int, routes: int, contracts: int, goods: int, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"total": total, "routes": routes, "contracts": contracts}
    made.update({"goods": goods, "goods_cards": 0, "fulfilled": [], "failed": []})
    return {**made, "carts_left": 4, "place": 1, "fault": None, **more}


def sealed(file: dict[str, Any], **layout: Any) -> bytes:
    """Return the bytes of a file with a matching hash."""
    hashed = {key: file[key] for key in file if key not in ("hash", "signature", "played")}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return json.dumps({"hash": digest, **file}, **layout).encode()


def fails(data: bytes, where: str) -> str:
    """Check that verification fails at this place, and return the expectation."""
    ok, place, expected = verify(data)
    assert (ok, place) == (False, where), expected
    assert expected
    return expected


def test_a_valid_file_passes_in_any_layout() -> None:
    assert verify(sealed(replay())) == (True, "", "")
    assert verify(sealed(replay(), indent=1, ensure_ascii=False)) == (True, "", "")


ORDER = 2**252 + 27742317777372353535851937790883648493
IMPOSSIBLE_SIGNATURES = (
    "00" * 64,
    "0f" * 32 + "00" * 32,
    "00" * 32 + "0f" * 32,
    "0f" * 32 + "ff" * 32,
    "0f" * 32 + ORDER.to_bytes(32, "little").hex(),
)


def test_each_of_match_block_and_ladder_may_be_a_string_by_itself() -> None:
    for name in ("block", "ladder"):
        assert verify(sealed({**replay(), name: "word"}))[0]
    signed = {**replay(), "match": "m", "signature": "0f" * 64}
    assert verify(sealed(signed))[0]
    fails(sealed({**replay(), "match": "m"}), "signature")
    fails(sealed({**signed, "signature": "0F" * 64}), "signature")
    fails(sealed({**replay(), "signature": "0f"}), "signature")
    for impossible in IMPOSSIBLE_SIGNATURES:
        fails(sealed({**signed, "signature": impossible}), "signature")


def set_at(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Return an edit: the last item becomes the value at the path before it."""

    def edit(file: dict[str, Any]) -> None:
        target: Any = file
        for step in path[:-2]:
            target = target[step]
        target[path[-2]] = path[-1]

    return edit


def drop_at(*path: Any) -> Callable[[dict[str, Any]], None]:
    def edit(file: dict[str, Any]) -> None:
        target: Any = file
        for step in path[:-1]:
            target = target[step]
        del target[path[-1]]

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        set_at("board", "a note in no list", "\U0001f600"),
        set_at("board", "routes", 0, "twin", None),
        set_at("events", 3, "note", "\U0001f600" * 280),
        set_at("played", "finished", "2026-11-18T09:00:00.000Z"),
    ],
)
def test_unspecified_details_are_accepted(edit: Callable[[dict[str, Any]], None]) -> None:
    file = replay()
    edit(file)
    assert verify(sealed(file)) == (True, "", "")


@pytest.mark.parametrize(
    ("where", "edit"),
    [
        ("header", set_at("format", "damrak-replay/2")),
        ("header", set_at("extra", 1)),
        ("header", drop_at("block")),
        ("header", set_at("ladder", 1)),
        ("header", set_at("seats", 0, "rating", "1500")),
        ("header", set_at("seats", 0, "bot", None)),
        ("header", set_at("seats", [])),
        ("header", set_at("seed", SEED.hex().upper())),
        ("header", set_at("seed", "00")),
        ("header", drop_at("options", "row_short")),
        ("header", set_at("options", "reshuffle", "eager")),
        ("header", set_at("options", "colour", "none")),
        ("header", set_at("events", {})),
        ("header", set_at("played", "started", "2026-11-18T09:00:01Z")),
        ("header", set_at("played", "started", "2026-11-18 09:00:00Z")),
        ("header", set_at("played", "started", "2026-02-29T09:00:00Z")),
        ("header", set_at("played", "started", "2026-11-18T24:00:00Z")),
        ("header", set_at("played", "place", "here")),
        ("header", set_at("board", "naam-é", 1)),
        ("header", set_at("board", "note", "\ud800")),
        ("header", set_at("board", "note", 1.5)),
        ("header", set_at("board", "wild_cards", 8)),
        ("header", set_at("board", "routes", 2, "twin", 0)),
        ("header", set_at("board", "routes", 3, "length", 2)),
        ("header", set_at("board", "routes", 3, "to", "b")),
        ("header", drop_at("board", "routes", 3, "length")),
        ("header", set_at("board", "contracts", [])),
        ("header", set_at("board", "contracts", 0, "to", "nowhere")),
        ("event 0", set_at("seed", "00" * 31 + "01")),
        ("event 0", set_at("events", 0, "first", True)),
        ("event 0", set_at("events", 0, "contracts", [[2, 5], [0, 4]])),
        ("event 1", set_at("events", 1, "seat", 0)),
        ("event 1", set_at("events", 1, "contracts", [])),
        ("event 1", set_at("events", 1, "contracts", [5])),
        ("event 1", set_at("events", 1, "contracts", [4, 4])),
        ("event 1", set_at("events", 1, "ms", -1)),
        ("event 1", set_at("events", 1, "ms", True)),
        ("event 1", drop_at("events", 1, "ms")),
        ("event 2", set_at("events", 2, "note", "x" * 281)),
        ("event 2", set_at("events", 2, "mood", "good")),
        ("event 2", set_at("events", 2, "event", "keeps")),
        ("event 2", set_at("events", 2, "a string")),
        ("event 3", set_at("events", 3, {"event": "pass", "seat": 1, "ms": 0})),
        ("event 3", set_at("events", 3, "colour", "pink")),
        ("event 3", set_at("events", 3, "colour", "wild")),
        ("event 3", set_at("events", 3, "wilds", 3)),
        ("event 3", set_at("events", 3, "wilds", 1)),
        ("event 3", set_at("events", 3, "goods", True)),
        ("event 3", set_at("events", 3, "goods", 0)),
        ("event 3", set_at("events", 3, "route", 9)),
        ("event 4", drop_at("events", 4)),
        ("event 4", set_at("events", 4, "seat", 0)),
        ("event 5", set_at("events", 5, "route", 1)),
        ("event 6", drop_at("events", 6)),
        ("event 6", set_at("events", 7, {"event": "take", "seat": 1, "slot": 0, "card": "wild"})),
        ("event 7", set_at("events", 7, "card", "pink")),
        ("event 8", drop_at("events", 8)),  # one blind draw is half a turn
        ("event 9", drop_at("events", 9)),
        ("event 9", set_at("events", 9, "reason", "stalemate")),
        ("result", set_at("result", "seats", 0, "total", 12)),
        ("result", set_at("result", "seats", 0, "place", True)),
        ("result", set_at("result", "seats", 1, "speed", 1)),
        ("result", set_at("result", "reason", "stalemate")),
        ("hash", set_at("hash", "00" * 32)),
        ("hash", set_at("hash", None)),
        ("commitment", set_at("commitment", "00" * 32)),
        ("commitment", set_at("commitment", None)),
    ],
)
def test_one_edit_is_found_at_its_place(where: str, edit: Callable[[dict[str, Any]], None]) -> None:
    file = replay()
    edit(file)
    fails(sealed(file), where)


def test_an_event_after_the_end_is_named() -> None:
    file = replay()
    file["events"].append({"event": "end", "reason": "carts"})
    fails(sealed(file), "event 10")


@pytest.mark.parametrize("value", ["skip_one", "dense", "split"])
def test_the_refusal_of_an_option_names_it(value: str) -> None:
    file = replay()
    file["options"]["goods_ties"] = value
    assert "goods_ties" in fails(sealed(file), "header")


TEXT_EDITS: list[tuple[bytes, bytes]] = [
    (b'"ms": 3', b'"ms": 3.0'),
    (b'"ms": 3', b'"ms": 3e0'),
    (b'"ms": 3', b'"ms": NaN'),
    (b'"ms": 3', b'"ms": 03'),
    (b'"ms": 3', b'"ms": 3, "ms": 3'),
    (b'"ms": 3', b'"ms": 3, "m\\u0073": 3'),
    (b'"note": "both"', b'"note": "\\ud83d"'),
    (b'"note": "both"', b'"note": "\xff"'),
    (b'"note": "both"', b'"note": "a\tb"'),
    (b'"x"', b"x"),
]


@pytest.mark.parametrize(("old", "new"), TEXT_EDITS)
def test_a_text_that_is_not_strict_json_is_a_wrong_header(old: bytes, new: bytes) -> None:
    data = sealed(replay())
    assert old in data
    fails(data.replace(old, new, 1), "header")


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"null", b"{" * 5, b"[" * 100_000, b'{"format": "damrak-replay/1"}']
)
def test_data_without_a_replay_is_a_wrong_header(data: bytes) -> None:
    fails(data, "header")


def test_a_byte_order_mark_and_a_second_value_are_refused() -> None:
    fails(b"\xef\xbb\xbf" + sealed(replay()), "header")
    fails(sealed(replay()) + b"{}", "header")


# ---- leaving, and the end without carts ----------------------------------------------------------


def fault(seat: int) -> dict[str, Any]:
    return {"event": "fault", "seat": seat, "reason": "timeout", "detail": ""}


@pytest.mark.parametrize("leaver", [0, 1])
def test_a_fault_at_set_up_that_leaves_one_seat_ends_the_match(leaver: int) -> None:
    file = replay()
    end = {"event": "end", "reason": "forfeit"}
    file["events"] = [file["events"][0], fault(leaver), end]
    seats = [score(0, 0, 0, 0), score(0, 0, 0, 0)]
    seats[leaver].update({"fault": "timeout", "place": 2})
    file["result"] = {"reason": "forfeit", "seats": seats}
    assert verify(sealed(file)) == (True, "", "")
    file["events"].insert(2, {"event": "keep", "seat": 1 - leaver, "contracts": [4], "ms": 0})
    fails(sealed(file), "event 2")


def test_a_leaver_is_placed_last_though_it_has_more_points() -> None:
    file = replay()
    file["events"][5:] = [fault(0), {"event": "end", "reason": "forfeit"}]
    first = score(-6, 0, -6, 0, failed=[2, 5], place=2, fault="timeout")
    second = score(-3, 2, -5, 0, failed=[4], carts_left=2)
    file["result"] = {"reason": "forfeit", "seats": [first, second]}
    assert verify(sealed(file)) == (True, "", "")
    file["events"][5]["seat"] = 1  # it owes no decision
    fails(sealed(file), "event 5")


def stalemate() -> dict[str, Any]:
    """Return a match that ends with all cards in hands, no contracts, and too long routes."""
    file = replay()
    long_route = {"id": 0, "from": "a", "to": "b", "length": 5, "colour": "grey", "goods": True}
    contracts = file["board"]["contracts"][:4]
    file["board"].update(routes=[long_route], contracts=contracts, route_points={"5": 10})
    file["events"][0]["contracts"] = [[3, 1], [0, 2]]
    file["events"][1]["contracts"] = [2, 0]
    file["events"][2]["contracts"] = [1, 3]
    del file["events"][3:]
    for slot, seat in enumerate([1, 0, 1, 0, 1]):
        taken = {"event": "take", "seat": seat, "slot": slot, "card": "wild", "ms": 0}
        file["events"].append(taken)
    file["events"] += [{"event": "pass", "seat": seat, "ms": 0} for seat in (0, 1)]
    file["events"].append({"event": "end", "reason": "stalemate"})
    first = score(-3, 0, -3, 0, failed=[1, 3])
    second = score(-5, 0, -5, 0, failed=[0, 2], place=2)
    file["result"] = {"reason": "stalemate", "seats": [first, second]}
    return file


def test_the_match_ends_when_the_whole_table_has_passed() -> None:
    file = stalemate()
    assert verify(sealed(file)) == (True, "", "")
    for index, wrong in ((5, "event 5"), (9, "event 9")):
        shorter = copy.deepcopy(file)
        del shorter["events"][index]
        fails(sealed(shorter), wrong)


def test_the_second_card_is_not_a_face_up_wild_nor_a_gap() -> None:
    file = stalemate()
    file["events"][4]["seat"] = 1
    fails(sealed(file), "event 4")
    file = stalemate()
    file["events"][4]["slot"] = 0
    fails(sealed(file), "event 4")


def test_contracts_offered_are_those_of_the_dice_then_the_oldest_returned() -> None:
    file = replay()
    offer = {"event": "offer", "seat": 1, "contracts": [1, 3], "ms": 0}
    file["events"][7:9] = [offer, {"event": "keep", "seat": 1, "contracts": [3], "ms": 0}]
    del file["events"][6]
    failed = score(-5, 2, -7, 0, failed=[3, 4], carts_left=2, place=2)
    file["result"]["seats"][1] = failed
    assert verify(sealed(file)) == (True, "", "")
    file["events"][6]["contracts"] = [3, 1]
    fails(sealed(file), "event 6")


def flushed() -> dict[str, Any]:
    """Return a set-up with three flushes, whose draws have been calculated from the hashes.

    Six colours once and eight wilds. The row takes 0x2f93 of 10, 0x3c5a of 9, 0x4f1c of 8, 0x17ad
    of 7, 0xde09 of 6; the first refills 0x41f7 of 5, 0x9c28 of 4, 0x6262 of 3, 0x57d5 of 2. Three
    cards that are not wild are outside the hands, just enough for a flush.
    """
    file = replay()
    file["board"].update(cards_per_colour=1, wild_cards=8)
    deal, *keeps = file["events"][:3]
    deal["hands"] = [["orange", "wild"], ["green", "blue"]]
    rows = ["black wild wild pink wild", "wild wild wild red wild"]
    rows += ["wild wild wild wild wild", "red wild wild black pink"]
    deal["row"] = rows[0].split()
    events = [deal]
    for before, after in itertools.pairwise(rows):
        events.append({"event": "flush", "cards": before.split()})
        if before == rows[1]:  # the pile is empty by now
            events.append({"event": "reshuffle"})
        for slot, card in enumerate(after.split()):
            events.append({"event": "refill", "slot": slot, "card": card})
    file["events"] = [*events, *keeps, fault(1), {"event": "end", "reason": "forfeit"}]
    first = score(-6, 0, -6, 0, failed=[2, 5])
    second = score(-5, 0, -5, 0, failed=[4], place=2, fault="timeout")
    file["result"] = {"reason": "forfeit", "seats": [first, second]}
    return file


def test_three_wilds_are_flushed_while_it_can_help() -> None:
    file = flushed()
    assert verify(sealed(file)) == (True, "", "")
    for index in (1, 2, 7, 8, 14):  # flush, refill, flush, reshuffle, flush
        shorter = copy.deepcopy(file)
        del shorter["events"][index]
        fails(sealed(shorter), f"event {index}")


def test_the_command_line_names_each_file(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(sealed(replay()))
    bad.write_bytes(b"{}")
    assert main([str(good)]) == 0
    assert main([str(good), str(bad)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.removeprefix(str(tmp_path)) for line in lines[:2]] == ["/good.json: ok"] * 2
    assert ": header: expected " in lines[2]
