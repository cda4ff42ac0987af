"""The parts of the runner: messages, verdicts, store, and control groups."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from damrak_referee.runner.groups import Group, Groups
from damrak_referee.runner.hierarchy import (
    NoGroups,
    find_hierarchy,
    version_1,
    version_2,
    words,
    write,
)
from damrak_referee.runner.instance import is_held, make_instance
from damrak_referee.runner.messages import (
    BadLine,
    Begin,
    Exited,
    Install,
    Installed,
    Start,
    Stop,
    Up,
    line_of,
    parse_order,
    parse_report,
)
from damrak_referee.runner.output import Capture, Kept
from damrak_referee.runner.sandbox import most_processes
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.slots import BLOCK, BLOCKS, Slots
from damrak_referee.runner.syscalls import CONDITIONAL, REFUSED, make_filter
from damrak_referee.runner.verdict import Evidence, judge, judge_house, judge_plain

SETTINGS = RunnerSettings(Path("/run/x"), Path("/var/x"), expose=(Path("/opt/node"),))
ORDERS = [
    Begin(SETTINGS.to_json(), "/run/x/12345678"),
    Install(1, "0" * 64, "/tmp/a.zip"),
    Start("m/0", "greedy", None, "/run/s", False),
    Start("m/1", None, "0" * 64, "/run/s", True),
    Stop("m/0"),
]
REPORTS = [
    Up("full", []),
    Up("none", ["bubblewrap"]),
    Installed(1),
    Installed(2, refused="too large"),
    Installed(3, failed="no space left on device"),
    Exited("m/0", "crash", "status 1", "bot", "\ud800 \0 ö\n", 5, 6),
]


@pytest.mark.parametrize("message", ORDERS)
def test_orders_arrive_as_they_were_sent(message: Begin) -> None:
    line = line_of(message)
    assert line.count(b"\n") == 1
    assert parse_order(line) == message


@pytest.mark.parametrize("message", REPORTS)
def test_reports_arrive_as_they_were_sent(message: Up) -> None:
    assert parse_report(line_of(message)) == message


def test_settings_arrive_as_they_were_sent() -> None:
    assert RunnerSettings.from_json(json.loads(json.dumps(SETTINGS.to_json()))) == SETTINGS


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b"nonsense",
        b'{"kind": "Stop"}',
        b'{"kind": "Stop", "seat": 1}',
        b'{"kind": "Stop", "seat": "x", "more": 1}',
        b'{"kind": "Install", "number": true, "sha256": "", "archive": ""}',
        b'{"kind": "Up", "isolation": "full", "missing": []}',
        b'{"kind": ["Stop"], "seat": "x"}',
        b"\xff",
    ],
)
def test_anything_else_is_not_an_order(line: bytes) -> None:
    with pytest.raises(BadLine):
        parse_order(line)


def test_a_report_with_a_wrong_list_is_rejected() -> None:
    with pytest.raises(BadLine):
        parse_report(b'{"kind": "Up", "isolation": "full", "missing": [1]}')


NOTHING = Evidence(
    stopped=False, overflow=False, memory_kills=0, inner=0, outer=0, output="hello\n"
)


@pytest.mark.parametrize(
    ("changes", "cause", "owner", "detail"),
    [
        ({}, "ended", "bot", "ended"),
        ({"inner": 3}, "crash", "bot", "status 3"),
        ({"inner": 139}, "crash", "bot", "SIGSEGV"),
        ({"inner": 137}, "crash", "bot", "SIGKILL"),
        ({"inner": 128 + signal.SIGXCPU}, "crash", "bot", "processor time"),
        ({"inner": 255}, "crash", "bot", "status 255"),
        ({"inner": 137, "memory_kills": 1}, "memory", "bot", "more memory"),
        ({"inner": None, "outer": -9, "memory_kills": 1}, "memory", "bot", "more memory"),
        ({"inner": 1, "output": "Traceback\nMemoryError\n"}, "memory", "bot", "ran out"),
        ({"inner": 1, "output": "MemoryError: no\n" + "x\n" * 30}, "crash", "bot", "status 1"),
        ({"inner": None, "outer": -9}, "lost", "host", "from outside"),
        ({"inner": None, "outer": 1, "output": "bwrap: no\n"}, "lost", "host", "bwrap: no"),
        ({"inner": None, "outer": -9, "stopped": True}, "stopped", "host", "referee"),
        ({"inner": None, "outer": -9, "overflow": True}, "output", "bot", "too much"),
        ({"inner": 0, "memory_kills": 2}, "ended", "bot", "ended"),
    ],
)
def test_an_end_is_judged_by_its_evidence(
    changes: dict[str, object], cause: str, owner: str, detail: str
) -> None:
    verdict = judge(replace(NOTHING, **changes))  # type: ignore[arg-type]
    assert (verdict.cause, verdict.owner) == (cause, owner)
    assert detail in verdict.detail


def test_a_plain_process_and_a_house_bot_are_judged_by_their_own_status() -> None:
    assert judge_plain(replace(NOTHING, inner=None, outer=-11)).detail.endswith("SIGSEGV")
    assert judge_plain(replace(NOTHING, inner=None, outer=0)).cause == "ended"
    assert judge_house(-9).owner == "host"
    assert judge_house(-11).owner == "bot"
    assert judge_house(1).cause == "crash"


@pytest.mark.parametrize("pieces", [[5], [10, 10], [100], [3] * 50, [1000, 1, 1000]])
def test_beginning_and_end_of_what_is_printed_are_kept(pieces: list[int]) -> None:
    kept = Kept(10, 20)
    data = bytes(ord("a") + number % 26 for number in range(sum(pieces)))
    place = 0
    for piece in pieces:
        kept.add(data[place : place + piece])
        place += piece
    text = kept.text().encode()
    if len(data) <= 30:
        assert text == data
    else:
        gap = b"\n[%d bytes are not kept]\n" % (len(data) - 30)
        assert text == data[:10] + gap + data[-20:]


def test_excessive_output_is_reported_once_and_not_read() -> None:
    async def run() -> None:
        reading, writing = os.pipe()
        told = asyncio.Event()
        calls = []

        def overflow() -> None:
            calls.append(1)
            told.set()

        capture = Capture(reading, Kept(100, 100), 200_000, overflow)

        def flood() -> None:
            try:
                while True:
                    os.write(writing, bytes(1 << 16))
            except BrokenPipeError:
                os.close(writing)

        flooding = asyncio.create_task(asyncio.to_thread(flood))
        await told.wait()
        await flooding
        capture.close()
        assert calls == [1]
        assert capture.overflowed

    asyncio.run(run())


def test_sweeping_spares_new_instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flock = fcntl.flock
    held: list[bool] = []

    def flock_late(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        held.extend(is_held(tmp_path, folder.name) for folder in tmp_path.iterdir())
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock_late)
    folder, lock = make_instance(tmp_path)
    assert held == [True]
    assert is_held(tmp_path, folder.name)
    os.close(lock)
    assert not is_held(tmp_path, folder.name)


def test_no_two_runners_have_the_same_user_numbers() -> None:
    # Other processes on this machine may run the same test.
    ours_alone = 1_000_000 + os.getpid() * BLOCK * BLOCKS
    first, second = Slots(ours_alone), Slots(ours_alone)
    ours, theirs = first.take(), second.take()
    assert abs(ours - theirs) >= BLOCK
    taken = [ours, *(first.take() for _ in range(BLOCK + 4))]
    assert len(set(taken)) == BLOCK + 5
    assert theirs not in taken
    first.give_back(ours)
    assert ours in (first.take(), first.take())
    first.close()
    second.close()
    third = Slots(ours_alone)
    assert third.take() == ours
    third.close()


@pytest.mark.process
def test_the_filter_is_made_of_names_that_exist() -> None:
    seccomp = pytest.importorskip("pyseccomp")
    unknown = [
        name
        for name in sorted(REFUSED | CONDITIONAL)
        if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) == -1
    ]
    assert unknown == []
    rules = make_filter()
    assert len(rules) % 8 == 0
    assert len(rules) < 4096 * 8  # the limit of the kernel


MARK = f"{os.getpid() % (1 << 24):06x}"  # unique on this machine

MOUNTS_1 = """\
30 20 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
31 20 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
32 20 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
33 20 0:29 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""
OWN_1 = "9:name=systemd:/\n8:pids:/\n4:memory:/nowhere/at/all\n2:cpu,cpuacct:/\n0::/\n"


def test_version_1_is_found_by_controller() -> None:
    found = version_1(MOUNTS_1, OWN_1)
    assert found == {
        "memory": Path("/sys/fs/cgroup/memory"),
        "pids": Path("/sys/fs/cgroup/pids"),
        "cpu": Path("/sys/fs/cgroup/cpu,cpuacct"),
        "cpuacct": Path("/sys/fs/cgroup/cpu,cpuacct"),
    }


def test_version_2_is_our_own_group(tmp_path: Path) -> None:
    unit = tmp_path / "system.slice" / "damrak.service"
    (unit / "damrak-main").mkdir(parents=True)
    (unit / "cgroup.controllers").write_text("cpu memory pids\n")
    mounts = f"33 20 0:29 / {tmp_path} rw,relatime - cgroup2 cgroup2 rw\n"
    assert version_2(mounts, "0::/system.slice/damrak.service\n") == unit
    # An earlier runner has moved itself and its referee there.
    assert version_2(mounts, "0::/system.slice/damrak.service/damrak-main\n") == unit
    # In a container the mount begins at the container's own group.
    inside = f"33 20 0:29 /docker/abc {unit} rw - cgroup2 cgroup2 rw\n"
    assert version_2(inside, "0::/docker/abc\n") == unit


@pytest.mark.process
def test_a_group_of_version_2_is_killed_as_a_whole() -> None:
    unified = next(
        (
            Path(line.split()[4])
            for line in Path("/proc/self/mountinfo").read_text().splitlines()
            if " - cgroup2 " in line
        ),
        None,
    )
    if unified is None or not os.access(unified, os.W_OK):
        pytest.skip("no control groups of version 2 that we may divide")
    folder = unified / f"damrak-test-{os.getpid()}"
    folder.mkdir()
    group = Group({"memory": folder}, unified=True)

    async def run() -> None:
        (entrance,) = group.entrances()
        process = subprocess.Popen(["sleep", "1000"])
        try:
            os.write(entrance, b"%d" % process.pid)
            assert group.processes() == {process.pid}
            assert group.usage().kills == 0
            group.kill()
            assert process.wait() == -signal.SIGKILL
            assert await group.remove()
        finally:
            os.close(entrance)
            process.kill()

    asyncio.run(run())
    assert not folder.exists()


def test_groups_that_a_neighbour_removed_are_made_again() -> None:
    try:
        groups = Groups(find_hierarchy(), MARK, "12345678")
        groups.open()
    except NoGroups as problem:
        pytest.skip(str(problem))

    async def run() -> None:
        groups.close()
        group = groups.make("1", SETTINGS)
        assert group.processes() == set()
        await groups.sweep(lambda name: name == "12345678")
        for entrance in group.entrances():
            os.close(entrance)
        await groups.sweep(lambda name: False)
        with pytest.raises(FileNotFoundError):
            group.entrances()
        assert await group.remove()

    asyncio.run(run())
    groups.close()


def test_a_group_of_version_2_has_every_limit() -> None:
    try:
        hierarchy = find_hierarchy()
        if not hierarchy.unified:
            pytest.skip("control groups are of version 1 here")
        groups = Groups(hierarchy, MARK, "12345679")
        groups.open()
    except NoGroups as problem:
        pytest.skip(str(problem))
    base = hierarchy.bases["memory"]
    folder = base / f"damrak-{MARK}-12345679" / "1"

    async def run() -> None:
        group = groups.make("1", SETTINGS)
        try:
            assert words(folder / "memory.max") == [str(SETTINGS.memory_mb << 20)]
            assert words(folder / "memory.oom.group") == ["1"]
            assert words(folder / "pids.max") == [str(most_processes(SETTINGS))]
            if "cpu" in words(base / "cgroup.controllers"):
                assert groups.share_processors()
                assert words(folder / "cpu.max") == ["100000", "100000"]
        finally:
            assert await group.remove()
            groups.close()

    asyncio.run(run())


def test_a_group_with_a_small_share_of_processors_limits_sandboxes_by_itself() -> None:
    try:
        hierarchy = find_hierarchy()
    except NoGroups as problem:
        pytest.skip(str(problem))
    if hierarchy.unified or "cpu" not in hierarchy.bases:
        pytest.skip("version 2 accepts any share")
    small = hierarchy.bases["cpu"] / f"small-{os.getpid()}"
    small.mkdir()
    try:
        write(small / "cpu.cfs_quota_us", 50_000)
        bases = {**hierarchy.bases, "cpu": small}
        groups = Groups(replace(hierarchy, bases=bases), MARK, "1234567a")
        groups.open()

        async def run() -> None:
            group = groups.make("1", SETTINGS)
            assert words(small / f"damrak-{MARK}-1234567a" / "1" / "cpu.cfs_quota_us") == ["-1"]
            assert await group.remove()

        asyncio.run(run())
        groups.close()
    finally:
        small.rmdir()


@pytest.mark.process
def test_children_are_waited_for_where_the_kernel_has_no_descriptors_for_them() -> None:
    code = """
import asyncio, os, sys
del os.pidfd_open
from damrak_referee.runner.spawn import Command, spawn
async def main():
    short = spawn(Command(["sh", "-c", "exit 3"], {"PATH": os.environ["PATH"]}, {}))
    print(await short.ended())
    short.close()
    long = spawn(Command(["sleep", "1000"], {"PATH": os.environ["PATH"]}, {}))
    long.kill()
    print(await long.ended())
    long.close()
asyncio.run(main())
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["3", "-9"]
