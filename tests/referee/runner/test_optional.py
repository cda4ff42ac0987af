"""Optional runtimes: their packages and limits in the sandboxes of bots that choose them."""

from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from damrak_archive.errors import ArchiveRefused
from damrak_referee.runner.client import CannotStore, Runner
from damrak_referee.runner.optional import (
    PACKAGES,
    SETTINGS,
    OptionalSettings,
    UnfitRuntime,
    check_settings,
    find_runtimes,
    read_runtime,
)
from damrak_wire.runtime import BotRuntime
from sandboxes import PATIENCE, PROGRAM, Ground, archive_of, ground, on_ground
from small_wheels import NAME, VERSION, make_wheel

CHOOSES = f'runtime = "quay"\n{PROGRAM}'
REPORT = """
import json, os, resource, sys
try:
    import quayside
    found = [quayside.DEPTH, quayside.__file__]
except ModuleNotFoundError:
    found = None
import google.protobuf
print(json.dumps({"found": found, "protobuf": google.protobuf.__file__, "path": sys.path[1:]}))
"""
HOARD = """
held = bytearray(%d << 20)
for at in range(0, len(held), 4096):
    held[at] = 1
print("held")
"""


def install(folder: Path, name: str = "quay", code: str | None = None, **changes: int) -> Path:
    """Install a runtime with a small package, as the command does, and return its folder."""
    place = folder / name
    (place / PACKAGES).mkdir(parents=True)
    wheel = make_wheel(place) if code is None else make_wheel(place, code)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place / PACKAGES)
    settings = OptionalSettings(imports=(NAME,), **changes)  # type: ignore[arg-type]
    (place / SETTINGS).write_text(settings.to_toml())
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return place


def program(code: str, description: str = CHOOSES) -> bytes:
    return archive_of({"damrak.toml": description, "bot.py": code})


async def offered(there: Ground) -> BotRuntime:
    there.runner.look()
    async with asyncio.timeout(PATIENCE):
        while there.runner.runtime is None:
            await asyncio.sleep(0.02)
    return there.runner.runtime


async def run(there: Ground, archive: bytes) -> dict[str, object]:
    done = await (await there.seat(archive)).exit()
    said: dict[str, object] = json.loads(done.output)
    return said


@pytest.mark.process
def test_bots_that_choose_a_runtime_have_its_packages_and_others_do_not(tmp_path: Path) -> None:
    install(tmp_path)

    async def look(there: Ground) -> None:
        with_it = await run(there, program(REPORT))
        assert with_it["found"] == [1658, "/runtime/optional/quayside.py"]
        without = await run(there, program(REPORT, PROGRAM))
        assert without["found"] is None
        # The SDK runs with the packages it was tested with.
        assert with_it["protobuf"] == without["protobuf"]

    on_ground(look, runtimes=tmp_path)


@pytest.mark.process
def test_packages_of_a_runtime_cannot_be_changed_by_a_bot(tmp_path: Path) -> None:
    install(tmp_path)
    attempt = """
try:
    open("/runtime/optional/quayside.py", "a").write("x")
except OSError as problem:
    print(type(problem).__name__, problem.errno)
"""

    async def look(there: Ground) -> None:
        done = await (await there.seat(program(attempt))).exit()
        assert done.output.split()[0] in ("OSError", "PermissionError")

    on_ground(look, runtimes=tmp_path)


@pytest.mark.process
def test_memory_limit_is_that_of_the_runtime(tmp_path: Path) -> None:
    install(tmp_path, memory_mb=400)

    async def look(there: Ground) -> None:
        done = await (await there.seat(program(HOARD % 200))).exit()
        assert done.output == "held\n"
        done = await (await there.seat(program(HOARD % 200, PROGRAM))).exit()
        assert (done.cause, done.owner) == ("memory", "bot")
        done = await (await there.seat(program(HOARD % 800))).exit()
        assert (done.cause, done.owner) == ("memory", "bot")

    on_ground(look, runtimes=tmp_path, memory_mb=100)


@pytest.mark.process
def test_runtimes_are_offered_with_their_packages_limits_and_costs(tmp_path: Path) -> None:
    install(tmp_path, memory_mb=700, archive_mb=20, unpacked_mb=90)
    install(tmp_path, "broken", "import nothing_of_that_name\n")

    async def look(there: Ground) -> None:
        (one,) = (await offered(there)).runtimes
        assert (one.name, one.imports) == ("quay", (NAME,))
        assert [(it.name, it.version, it.modules) for it in one.packages] == [
            (NAME, VERSION, (NAME,))
        ]
        assert (one.memory_mb, one.archive_mb, one.unpacked_mb) == (700, 20, 90)
        assert one.import_memory_mb > 0
        assert one.import_threads > 0

    on_ground(look, runtimes=tmp_path)


@pytest.mark.process
def test_plain_processes_have_the_packages_as_well(tmp_path: Path) -> None:
    install(tmp_path)

    async def look() -> None:
        async with ground(unsafe=True, runtimes=tmp_path) as there:
            assert [one.name for one in (await offered(there)).runtimes] == ["quay"]

    asyncio.run(look())


@pytest.mark.process
def test_archives_have_the_limits_of_their_runtime(tmp_path: Path) -> None:
    install(tmp_path, archive_mb=3, unpacked_mb=4)
    noise = bytes(range(256)) * 4096  # 1 MiB

    def archive(description: str, mebibytes: int) -> bytes:
        made = tmp_path / "made.zip"
        with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as target:
            target.writestr("damrak.toml", description)
            target.writestr("bot.py", "")
            target.writestr("weights", noise * mebibytes)
        return made.read_bytes()

    async def look(there: Ground) -> None:
        await there.install(archive(CHOOSES, 2))
        with pytest.raises(ArchiveRefused, match="larger than 1 MiB"):
            await there.install(archive(PROGRAM, 2))
        with pytest.raises(ArchiveRefused, match="larger than 3 MiB"):
            await there.install(archive(CHOOSES, 3))

    on_ground(look, runtimes=tmp_path, archive_mb=1, unpacked_mb=2)


@pytest.mark.process
def test_missing_runtime_is_the_fault_of_the_host(tmp_path: Path) -> None:
    place = install(tmp_path)

    async def look(there: Ground) -> None:
        seat = await there.seat(program(REPORT))
        assert (await seat.exit()).cause == "ended"
        with pytest.raises(CannotStore, match=r"runtime slip is not installed here.*quay"):
            await there.install(program(REPORT, 'runtime = "slip"\n' + PROGRAM))
        shutil.rmtree(place)
        done = await (await there.seat(program(REPORT))).exit()
        assert (done.cause, done.owner) == ("lost", "host")

    on_ground(look, runtimes=tmp_path)


@pytest.mark.process
def test_runtime_removed_before_the_start_is_the_fault_of_the_host(tmp_path: Path) -> None:
    install(tmp_path)

    async def look(there: Ground) -> None:
        archive = program(REPORT)
        await there.install(archive)
        settings = replace(there.runner.settings, runtimes=None, run=there.root / "again")
        after = Ground(there.root, await Runner.start(settings))
        try:
            done = await (await after.seat(archive)).exit()
        finally:
            await after.close()
        assert (done.cause, done.owner) == ("lost", "host")
        assert "the runtime quay is not installed here" in done.detail

    on_ground(look, runtimes=tmp_path)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "imports: give 1 to 20 names of modules"),
        ('imports = ["a b"]', "imports: give"),
        ('imports = ["a"]\nmemory = 4', "memory: there is no such setting"),
        ('imports = ["a"]\narchive_mb = 257', "archive_mb: not a number from 1 to 256"),
        ('imports = ["a"]\nmemory_mb = true', "memory_mb: not a number"),
        ('imports = ["a"]\npython = "2.7"', "for Python 2.7"),
        ("imports = [", "not TOML"),
    ],
)
def test_invalid_settings_are_reported(tmp_path: Path, text: str, fault: str) -> None:
    place = install(tmp_path)
    (place / SETTINGS).write_text(text)
    with pytest.raises(UnfitRuntime, match=fault):
        read_runtime(place)
    found, problems = find_runtimes(tmp_path)
    assert found == {}
    assert len(problems) == 1


def test_settings_are_written_as_they_are_read(tmp_path: Path) -> None:
    place = install(tmp_path, memory_mb=99, mapped_mb=7)
    settings = read_runtime(place).settings
    assert settings == OptionalSettings(imports=(NAME,), memory_mb=99, mapped_mb=7)
    assert check_settings({"imports": [NAME]}) == OptionalSettings(imports=(NAME,))


def test_other_folders_are_not_runtimes(tmp_path: Path) -> None:
    install(tmp_path)
    for name in (".half", "Upper", "without-settings"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("")
    found, problems = find_runtimes(tmp_path)
    assert (list(found), problems) == (["quay"], [])
    assert find_runtimes(tmp_path / "missing") == ({}, [])
