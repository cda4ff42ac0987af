"""Prometheus metrics. The hot path pays nothing: a match is counted once, when it is over.

Timings come with the outcome of a match, as columns of whole microseconds. They are counted in
plain lists, from which the collector makes histograms on each scrape.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from damrak_referee.addresses import Address
from damrak_referee.guard.guard import Guard

TOTAL_US: Final = (200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 200_000, 1_000_000, 10_000_000)
OWN_US: Final = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 20_000, 100_000)
LAG_US: Final = (500, 1_000, 2_000, 5_000, 10_000, 50_000, 200_000, 1_000_000)
LAG_EVERY: Final = 0.25  # seconds
US: Final = 1_000_000


class Tally:
    """A histogram of durations as a plain list of counts."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[int]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0

    def add(self, values: Iterable[int]) -> None:
        """Count durations in microseconds."""
        bounds, counts = self.bounds, self.counts
        for value in values:
            counts[bisect_left(bounds, value)] += 1
            self.total += value

    def family(self, name: str, text: str) -> HistogramMetricFamily:
        """Return it as a Prometheus histogram, in seconds."""
        seen, buckets = 0, []
        for bound, count in zip((*self.bounds, None), self.counts, strict=True):
            seen += count
            buckets.append(("+Inf" if bound is None else f"{bound / US:g}", seen))
        return HistogramMetricFamily(name, text, buckets=buckets, sum_value=self.total / US)


@dataclass(frozen=True, slots=True)
class Gauges:
    """Values that are read on each scrape."""

    running: Callable[[], int]
    blocks: Callable[[], int]
    waiting: Callable[[], int]
    draining: Callable[[], bool]


class Metrics(Collector):
    """All metrics of one referee."""

    def __init__(self, name: str, software: str, capacity: int) -> None:
        self._about = {"referee": name, "software": software}
        self._capacity = capacity
        self.gauges: Gauges | None = None
        self.started = 0
        self.finished: Counter[str] = Counter()  # by reason of the end
        self.voided: Counter[str] = Counter()  # by owner of the fault
        self.faults: Counter[tuple[str, str]] = Counter()  # by reason and owner
        self.seats: Counter[str] = Counter()  # of running matches, by place
        self.blocks: Counter[str] = Counter()  # by outcome
        self.refused: Counter[str] = Counter()  # connections, by reason
        self.guards: dict[str, Guard] = {}  # by listener
        self.total = Tally(TOTAL_US)
        self.think = Tally(TOTAL_US)
        self.own = Tally(OWN_US)
        self.lag = Tally(LAG_US)

    @property
    def ended(self) -> int:
        """The number of matches that ended, with or without a result."""
        return self.finished.total() + self.voided.total()

    @property
    def decisions(self) -> int:
        """The number of decisions in all matches that ended."""
        return sum(self.total.counts)

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics. Runs in a separate thread."""
        yield InfoMetricFamily("damrak_referee", "Which referee this is.", self._about)
        yield _counter("damrak_matches_started", "Matches begun.", [], {(): self.started})
        yield _counter(
            "damrak_matches_finished", "Matches with a result.", ["reason"], self.finished.copy()
        )
        yield _counter(
            "damrak_matches_void", "Matches without a result.", ["owner"], self.voided.copy()
        )
        yield _counter("damrak_blocks", "Blocks that ended.", ["outcome"], self.blocks.copy())
        yield _counter(
            "damrak_faults", "Seats that failed.", ["reason", "owner"], self.faults.copy()
        )
        yield _counter("damrak_refused", "Connections turned away.", ["why"], self.refused.copy())
        yield from _connections(self.guards)
        yield _counter("damrak_decisions", "Decisions taken.", [], {(): self.decisions})
        yield self.total.family("damrak_decision_seconds", "From the question to the answer.")
        yield self.think.family("damrak_think_seconds", "Of that, what bots say they thought.")
        yield self.own.family("damrak_own_seconds", "The referee's own share of a decision.")
        yield self.lag.family("damrak_loop_lag_seconds", "How late the event loop was.")
        yield _gauge("damrak_capacity", "Matches it will run at once.", self._capacity)
        seats = GaugeMetricFamily("damrak_seats", "Seats of running matches.", labels=["place"])
        for place, count in self.seats.copy().items():
            seats.add_metric([place], count)
        yield seats
        yield _gauge("damrak_resident_bytes", "Memory of the process.", resident_bytes())
        if self.gauges is not None:
            gauges = self.gauges
            yield _gauge("damrak_matches_running", "Matches running.", gauges.running())
            yield _gauge("damrak_blocks_held", "Blocks kept, ended ones too.", gauges.blocks())
            yield _gauge("damrak_lobby_waiting", "Connections in the lobby.", gauges.waiting())
            yield _gauge("damrak_draining", "Whether no more is taken.", int(gauges.draining()))

    async def watch_lag(self) -> None:
        """Measure continuously how late the event loop wakes this task."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_EVERY
            await asyncio.sleep(LAG_EVERY)
            self.lag.add((max(0, round((loop.time() - due) * US)),))


def serve_metrics(metrics: Metrics, address: Address) -> tuple[Address, Callable[[], None]]:
    """Serve the metrics by HTTP from a thread; return the address and a function to stop it.

    Raises:
        OSError: the address is not available.
    """
    registry = CollectorRegistry()
    registry.register(metrics)
    server, thread = start_http_server(address.port, address.host, registry)

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return address.at_port(server.server_port), stop


def resident_bytes() -> int:
    """Return the memory of this process in bytes; 0 where it is not known."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * 4096


def _connections(guards: Mapping[str, Guard]) -> Iterator[Metric]:
    closed = CounterMetricFamily(
        "damrak_connections_closed",
        "Connections closed by the guard.",
        labels=["listener", "why"],
    )
    connections = GaugeMetricFamily(
        "damrak_connections", "Open TCP connections.", labels=["listener", "kind"]
    )
    blocked = GaugeMetricFamily(
        "damrak_blocked_addresses", "Addresses in a cool-off.", labels=["listener"]
    )
    for listener, guard in guards.items():
        for why, count in guard.closed.copy().items():
            closed.add_metric([listener, why], count)
        for kind in ("anonymous", "authenticated"):
            count = guard.count(authenticated=kind == "authenticated")
            connections.add_metric([listener, kind], count)
        blocked.add_metric([listener], guard.blocked)
    yield from (closed, connections, blocked)


def _counter(
    name: str, text: str, labels: list[str], counts: Mapping[Any, int]
) -> CounterMetricFamily:
    family = CounterMetricFamily(name, text, labels=labels)
    for key, count in counts.items():
        family.add_metric([key] if isinstance(key, str) else list(key), count)
    return family


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)
