"""Metrics are served for Prometheus, in seconds."""

from __future__ import annotations

import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from damrak_referee.addresses import Address
from damrak_referee.server.metrics import Gauges, Metrics, Tally, serve_metrics


def test_tally_is_a_cumulative_histogram_in_seconds() -> None:
    tally = Tally((100, 1000))
    tally.add([100, 101, 5000])
    [*buckets, count, total] = tally.family("x_seconds", "Text.").samples
    assert [(s.labels["le"], s.value) for s in buckets] == [
        ("0.0001", 1),
        ("0.001", 2),
        ("+Inf", 3),
    ]
    assert count.value == 3
    assert total.value == 0.005201


def test_everything_is_served() -> None:
    metrics = Metrics("one", "damrak 1", 8)
    metrics.faults["memory", "bot"] += 2
    metrics.finished["carts"] += 1
    metrics.total.add([300, 700])
    metrics.gauges = Gauges(lambda: 3, lambda: 4, lambda: 5, lambda: False)
    at, stop = serve_metrics(metrics, Address("127.0.0.1", 0))
    try:
        with urllib.request.urlopen(f"http://{at}/metrics") as answer:
            text = answer.read().decode()
    finally:
        stop()
    found = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found["damrak_faults_total", "bot", "memory"] == 2
    assert found["damrak_matches_finished_total", "carts"] == 1
    assert found["damrak_decisions_total",] == 2
    assert found["damrak_matches_running",] == 3
    assert found["damrak_lobby_waiting",] == 5
    assert found["damrak_decision_seconds_count",] == 2
    assert found["damrak_resident_bytes",] > 1_000_000
