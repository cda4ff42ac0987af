"""The machine is shared by weight, and the queue page shows correct figures."""

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.matchmaking import Held, Shares, Waiting, outlook
from damrak_ladder.message_codes.queue_codes import WaitsForConnection

OFFLINE = Held("remote", WaitsForConnection(("b",)))


@given(
    st.dictionaries(st.sampled_from("abcd"), st.floats(0.5, 4), min_size=2),
    st.lists(st.floats(0.1, 5), min_size=200, max_size=200),
)
def test_flows_get_work_by_weight(weights, costs):
    shares, work = Shares(), Counter()
    for cost in costs:
        flow = shares.next(weights)
        work[flow] += cost
        shares = shares.served(flow, cost, weights[flow])
    reached = [work[flow] / weight for flow, weight in weights.items()]
    slack = max(costs) / min(weights.values())
    assert max(reached) - min(reached) <= 2 * slack


def test_idle_flow_gains_no_credit():
    shares = Shares()
    for _ in range(100):
        shares = shares.served("busy", 1.0, 1.0)
    turns = Counter()
    for _ in range(20):
        flow = shares.next({"busy": 1.0, "back": 1.0})
        turns[flow] += 1
        shares = shares.served(flow, 1.0, 1.0)
    assert turns["back"] <= 11


def test_shares_stay_small():
    shares = Shares()
    for at in range(1000):
        shares = shares.served(f"flow {at}", 1.0, 1.0)
        shares = shares.served("always", 1.0, 1.0)
    assert len(shares.reached) < 10


def test_empty_queue_has_no_next():
    assert Shares().next({}) is None


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan")])
def test_a_weight_has_to_be_above_zero(weight):
    with pytest.raises(ValueError, match="weight"):
        Shares().next({"a": weight})


def test_the_forecast_matches_what_happens():
    waiting = [
        Waiting("a1", "a", 10),
        Waiting("a2", "a", 10),
        Waiting("b1", "b", 10),
        Waiting("b2", "b", 10, held=OFFLINE),
    ]
    a1, a2, b1, b2 = outlook(waiting, busy=[5.0], idle=1, shares=Shares(), weights={})
    assert (a1.position, a1.starts_in, a1.reason) == (1, 0.0, "next")
    assert (b1.position, b1.starts_in, b1.reason) == (2, 5.0, "share")
    assert (a2.position, a2.starts_in, a2.reason) == (3, 10.0, "line")
    assert (b2.position, b2.starts_in, b2.message) == (None, None, OFFLINE.message)


def test_without_workers_nothing_is_promised():
    (one,) = outlook([Waiting("a", "a", 10)], [], 0, Shares(), {})
    assert (one.position, one.starts_in, one.reason) == (1, None, "machine")
    (one,) = outlook([Waiting("a", "a", 10)], [3.0], 0, Shares(), {})
    assert (one.position, one.starts_in, one.reason) == (1, 3.0, "place")


@given(
    st.lists(
        st.builds(
            Waiting,
            name=st.just("x"),
            flow=st.sampled_from("abc"),
            seconds=st.floats(1, 60),
            held=st.sampled_from((None, None, OFFLINE)),
        ),
        max_size=20,
    ),
    st.lists(st.floats(0, 60), max_size=4),
    st.integers(0, 3),
)
def test_positions_are_in_the_order_of_starts(waiting, busy, idle):
    told = outlook(waiting, busy, idle, Shares(), {"a": 2.0})
    line = sorted((one for one in told if one.position), key=lambda one: one.position)
    assert [one.position for one in line] == list(range(1, len(line) + 1))
    if busy or idle:
        assert [one.starts_in for one in line] == sorted(one.starts_in for one in line)
    assert len(told) == len(waiting)
