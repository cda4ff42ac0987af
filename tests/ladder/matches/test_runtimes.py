"""The runtimes of uploaded bots on hosts: stored, compared, published."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from damrak_archive.limits import RuntimeLimits
from damrak_ladder.matches.models import Host
from damrak_ladder.matches.runtimes import offer, offered_runtimes
from damrak_wire.runtime import BotRuntime, PythonPackage
from ladder.sites import fill_recently
from ladder.visitors import page, visitor
from runtimes import LIMITS, RUNTIME, TORCH

pytestmark = pytest.mark.usefixtures("database")

OTHER = replace(
    RUNTIME,
    python="3.12.1",
    processors=4,
    packages=(RUNTIME.packages[0], PythonPackage("numpy", "1.26.0", ("numpy",))),
    limits=replace(LIMITS, memory_mb=256, cpu_millis=0, memory_is_shared=False),
)


def host(name: str, runtime: BotRuntime | dict[str, Any], **more: Any) -> None:
    now = timezone.now()
    said = runtime if isinstance(runtime, dict) else runtime.to_json()
    values = {"first_seen": now, "last_seen": now, "isolation": "full", "runtime": said}
    Host.objects.create(name=name, **values | more)


def test_without_reports_page_and_api_say_so() -> None:
    host("quay-1", {})
    assert "No host has reported its runtime yet" in page(visitor(), "/runtime/")
    said = visitor().get("/api/v1/runtime").json()
    assert said == {"hosts": [], "common": None, "differences": []}


def test_one_host_is_published_as_it_reported() -> None:
    host("quay-1", RUNTIME)
    said = visitor().get("/api/v1/runtime").json()
    assert said["common"] == RUNTIME.to_json()
    assert [(one["host"], one["runtime"]) for one in said["hosts"]] == [
        ("quay-1", RUNTIME.to_json())
    ]
    assert said["differences"] == []
    text = page(visitor(), "/runtime/")
    for words in (
        "Example CPU 3000",
        "18.19.0",
        "scipy",
        "512 MiB for all processes",
        "30 seconds",
    ):
        assert words in text
    assert "Differences between hosts" not in text


def test_optional_runtimes_are_offered_if_all_hosts_have_them() -> None:
    now = timezone.now()
    slow = replace(TORCH, memory_mb=1024, import_ms=9000)
    host("quay-1", RUNTIME)
    host("quay-2", replace(RUNTIME, runtimes=(slow,)))
    found = offer(now)
    assert found.common is not None
    assert found.common.runtimes == (slow,)
    assert [(one.kind, one.name, one.values) for one in found.differences] == [
        ("runtimes", "torch", ("torch 2.9.0, 2048/64/256 MiB", "torch 2.9.0, 1024/64/256 MiB"))
    ]
    assert offered_runtimes(now) == {"torch": RuntimeLimits(64, 256)}
    text = page(visitor(), "/runtime/")
    for words in ("torch 2.9.0", "1024 MiB", "9000 ms", "420 MiB"):
        assert words in text
    host("quay-3", replace(RUNTIME, runtimes=()))
    assert offered_runtimes(now) == {}
    assert "The hosts have no optional runtimes" in page(visitor(), "/runtime/")


def test_archives_of_an_optional_runtime_are_bounded_by_the_site(settings: Any) -> None:
    settings.DAMRAK_UPLOAD_MB = 20
    host("quay-1", RUNTIME)
    assert offered_runtimes(timezone.now()) == {"torch": RuntimeLimits(20, 256)}


def test_hosts_that_differ_are_compared() -> None:
    host("quay-1", RUNTIME)
    host("quay-2", OTHER)
    found = offer(timezone.now())
    assert found.common is not None
    assert (found.common.python, found.common.cpu) == ("", RUNTIME.cpu)
    assert found.common.processors == 4
    assert [one.name for one in found.common.packages] == ["damrak"]
    assert found.common.interpreters == RUNTIME.interpreters
    assert found.common.limits == replace(LIMITS, memory_mb=256)
    said = {(one.kind, one.name): one.values for one in found.differences}
    assert said == {
        ("python", ""): ("3.11.2", "3.12.1"),
        ("processors", ""): ("8", "4"),
        ("packages", "numpy"): ("2.1.0", "1.26.0"),
        ("packages", "scipy"): ("1.14.0", None),
        ("limits", "memory_mb"): ("512", "256"),
        ("limits", "memory_is_shared"): ("True", "False"),
        ("limits", "cpu_millis"): ("1000", "0"),
    }
    text = page(visitor(), "/runtime/")
    assert "This is common to all 2 hosts" in text
    assert "1.26.0" in text
    (scipy,) = [
        one
        for one in visitor().get("/api/v1/runtime").json()["differences"]
        if one["name"] == "scipy"
    ]
    assert scipy["values"] == {"quay-1": "1.14.0", "quay-2": None}


def test_hosts_that_do_not_play_offer_nothing() -> None:
    long_ago = timezone.now() - timedelta(days=30)
    host("quay-1", RUNTIME, state="quarantined")
    host("quay-2", RUNTIME, last_seen=long_ago)
    host("quay-3", {"python": "3.11.2"})
    assert offer(timezone.now()).common is None


def test_pages_link_to_what_bots_get() -> None:
    fill_recently(blocks=2)
    for path, name in (("/ladders/amsterdam/", None), ("/desk/submit/", "ada"), ("/hosts/", None)):
        assert 'href="/en/runtime/"' in page(visitor(name) if name else visitor(), path)
