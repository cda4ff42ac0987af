"""Charts and figures: for any input, the drawing stays within its frame."""

from __future__ import annotations

import itertools
from datetime import timedelta

from hypothesis import given, strategies as st

from damrak_ladder.matches.timings import Timings
from damrak_ladder.profiles.timing import pace_of
from damrak_ladder.standings.read.rating_history import Point
from damrak_ladder.web.site.charts import HEIGHT, WIDTH, Series, chart, nice_step
from ladder.people import NOW
from samples import examples

DATE = 70  # the width of 20/11/2026

POINTS = st.lists(
    st.tuples(
        st.integers(0, 10**7), st.integers(-5000, 5000), st.integers(0, 900), st.integers(0, 900)
    ),
    max_size=8,
).map(
    lambda rows: [
        Point(NOW + timedelta(seconds=at), elo, elo - below, elo + above, None, 1)
        for at, elo, below, above in sorted(rows)
    ]
)


@examples(60)
@given(st.lists(POINTS, max_size=8), st.integers(-(10**6), 10**8))
def test_everything_is_drawn_within_the_frame(curves, until):
    drawn = chart(
        [Series(f"v{number}", "/", points) for number, points in enumerate(curves)],
        NOW + timedelta(seconds=until),
    )
    if not any(curves):
        assert drawn is None
        return
    assert drawn is not None
    assert len(drawn.curves) == sum(bool(points) for points in curves)
    for curve in drawn.curves:
        for corner in f"{curve.line} {curve.band}".split():
            x, y = map(float, corner.split(","))
            assert 0 <= x <= WIDTH
            assert 0 <= y <= HEIGHT
    assert all(float(tick.at) + DATE / 2 <= WIDTH for tick in drawn.along)
    bottom, top = drawn.across[0].value, drawn.across[-1].value
    points = [point for some in curves for point in some]
    for some in filter(None, curves):  # lines and current intervals are never cut off
        assert bottom <= min(some[-1].low, *(point.elo for point in some))
        assert top >= max(some[-1].high, *(point.elo for point in some))
    assert drawn.is_cut == any(one.low < bottom or one.high > top for one in points)
    labels = sorted(float(curve.label_y) for curve in drawn.curves)
    assert all(later - earlier >= 14.8 for earlier, later in itertools.pairwise(labels))
    assert 2 <= len(drawn.across) <= 9


@given(st.floats(1, 1e6))
def test_steps_are_round_and_not_too_small(least):
    step = nice_step(least)
    assert least <= step <= 2.5 * least + 1
    assert str(step).rstrip("0") in {"1", "2", "5"}


def test_a_pace_contains_the_parts_of_the_time():
    assert pace_of(Timings()) is None
    pace = pace_of(Timings((0, 0, 0), (10, 30, 20), (4, 9, 8), (1, 1, 30)))
    assert pace is not None
    assert (pace.decisions, pace.whole.median, pace.whole.most) == (3, 20, 30)
    assert pace.transport.total == 5 + 20 + 0  # the remainder is never negative
