"""Valid archives, and the errors of invalid ones."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import io
import random
import stat
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from damrak_archive.errors import ArchiveRefused
from damrak_archive.extraction import unpack
from damrak_archive.manifest import Manifest
from damrak_referee.runner.errors import CannotStore
from damrak_referee.runner.settings import RunnerSettings
from sandboxes import archive_of, ground

SETTINGS = RunnerSettings(
    Path(), Path(), archive_mb=1, unpacked_mb=2, archive_files=50, path_depth=4, path_bytes=60
)
BOT = "class Mine: pass\n"


class Memory:
    """An in-memory file store."""

    def __init__(self) -> None:
        self.files: dict[str, io.BytesIO] = {}
        self.executable: set[str] = set()

    def folder(self, name: str) -> None:
        assert name not in self.files

    def file(self, name: str, executable: bool) -> io.BytesIO:
        assert name not in self.files
        self.files[name] = kept = Kept()
        if executable:
            self.executable.add(name)
        return kept

    def read(self, name: str, limit: int) -> bytes:
        return self.files[name].getvalue()[:limit]

    def make_executable(self, name: str) -> None:
        self.executable.add(name)


class Kept(io.BytesIO):
    """A buffer that can be read after it is closed."""

    def close(self) -> None:
        pass


def opened(data: bytes) -> tuple[Manifest, Memory]:
    """Return the contents of this archive."""
    sink = Memory()
    with tempfile.TemporaryFile() as file:  # a real file raises errors that a buffer would not
        file.write(data)
        file.seek(0)
        return unpack(file, len(data), sink, SETTINGS), sink


def refusal(data: bytes) -> str:
    """Return the reason why this archive is refused."""
    with pytest.raises(ArchiveRefused) as caught:
        opened(data)
    assert "\n" not in caught.value.why
    return caught.value.why


def tar_of(*members: tuple[tarfile.TarInfo, bytes], kind: str = "w:gz", **more: object) -> bytes:
    """Return a tar archive of these members, with a bot at its top level."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=kind, **more) as archive:  # type: ignore[call-overload]
        for info, content in (member("bot.py", BOT.encode()), *members):
            info.size = info.size or len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def member(name: str, content: bytes = b"", **changes: object) -> tuple[tarfile.TarInfo, bytes]:
    """Return a member of a tar archive."""
    info = tarfile.TarInfo(name)
    for what, value in changes.items():
        setattr(info, what, value)
    return info, content


def zip_of(*entries: tuple[str, bytes, int], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive of names, contents and Unix modes, with a bot at its top level."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", kind) as archive:
        for name, content, mode in (("bot.py", BOT.encode(), 0o100644), *entries):
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = kind
            archive.writestr(info, content)
    return made.getvalue()


REGULAR = 0o100644


@pytest.mark.parametrize("pack", ["zip", "tar", "tar.gz"])
@pytest.mark.parametrize("top", ["", "./", "mine/"])
def test_a_python_bot_is_taken(pack: str, top: str) -> None:
    files = {f"{top}bot.py": BOT, f"{top}data/weights.bin": "1234"}
    if pack == "zip":
        data = archive_of(files)
    else:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w:gz" if pack == "tar.gz" else "w:") as archive:
            for name, content in files.items():
                info, said = member(name, content.encode())
                info.size = len(said)
                archive.addfile(info, io.BytesIO(said))
        data = made.getvalue()
    manifest, sink = opened(data)
    folder = top.removeprefix("./")
    assert manifest == Manifest(folder, None, None)
    assert sink.read(f"{folder}data/weights.bin", 100) == b"1234"


def test_a_class_can_be_named() -> None:
    manifest, _ = opened(archive_of({"bot.py": BOT, "damrak.toml": 'class = "Mine"'}))
    assert manifest == Manifest("", None, "Mine")


def test_a_program_becomes_executable() -> None:
    toml = 'run = ["./prog", "arg"]'
    manifest, sink = opened(archive_of({"damrak.toml": toml, "prog": "#!/bin/sh\n"}))
    assert manifest == Manifest("", ("./prog", "arg"), None)
    assert sink.executable == {"prog"}


def test_executable_permission_is_kept() -> None:
    _, sink = opened(zip_of(("tool", b"", 0o100755), ("data", b"", 0o100644)))
    assert sink.executable == {"tool"}


@pytest.mark.parametrize(
    ("toml", "why"),
    [
        ("run = ", "damrak.toml is not valid: "),
        ("run = 'prog'", "list of words"),
        ("run = []", "list of words"),
        ("run = ['']", "names no program"),
        ("run = ['./absent']", "./absent, which is not in the archive"),
        ("run = ['../bot.py']", "not in the archive"),
        ('run = ["bot.py\\u0000"]', "cannot be printed"),
        ('run = ["python3", "a\\nb"]', "cannot be printed"),
        ("run = ['a']\nclass = 'B'", "both run and class"),
        ("class = 'not a name'", "name of a class"),
        ("colour = 'red'", "unknown key 'colour'"),
        (f"run = ['{'x' * 5000}']", "too long"),
        ("x = " + "[" * 100_000, "damrak.toml"),
        ("# " + "x" * 70_000, "too long"),
    ],
)
def test_a_wrong_description_is_reported(toml: str, why: str) -> None:
    assert why in refusal(archive_of({"bot.py": BOT, "damrak.toml": toml}))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"main.py": BOT}, "neither bot.py nor damrak.toml at the top"),
        ({"a/bot.py": BOT, "b/other.py": BOT}, "neither bot.py"),
        ({"a/b/bot.py": BOT}, "neither bot.py"),
        ({}, "neither bot.py"),
        ({"damrak.toml": "class = 'Mine'"}, "There is no bot.py"),
    ],
)
def test_an_archive_without_a_bot_is_refused(files: dict[str, str], why: str) -> None:
    assert why in refusal(archive_of(files))


BAD_NAMES = [
    "/etc/passwd",
    "../outside",
    "a/../../outside",
    "a//b",
    "a/./b",
    "c:/windows",
    "a\\b",
    "new\nline",
    "escape\x1b[31m",
    "right\u202eleft",
    "a/b/c/d/e",
    "x" * 61,
]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names_are_refused(name: str) -> None:
    assert "name" in refusal(zip_of((name, b"", REGULAR)))
    assert "name" in refusal(tar_of(member(name)))


def test_names_that_are_not_utf_8_are_refused() -> None:
    data = zip_of(("naXXe", b"", REGULAR)).replace(b"naXXe", b"na\xe9\xe9e")
    assert "UTF-8" in refusal(data)
    tarred = tar_of(member("naXXe"), kind="w:").replace(b"naXXe", b"na\xe9\xe9e")
    assert refusal(_with_sums(tarred))


def test_a_name_that_ends_early_is_refused() -> None:
    assert "UTF-8" in refusal(zip_of(("aXb", b"", REGULAR)).replace(b"aXb", b"a\0b"))


@pytest.mark.parametrize(
    ("member_", "why"),
    [
        (member("link", type=tarfile.SYMTYPE, linkname="/etc/shadow"), "Links"),
        (member("link", type=tarfile.SYMTYPE, linkname="bot.py"), "Links"),
        (member("link", type=tarfile.LNKTYPE, linkname="bot.py"), "Links"),
        (member("disk", type=tarfile.BLKTYPE, devmajor=254), "Only files"),
        (member("tty", type=tarfile.CHRTYPE, devmajor=5), "Only files"),
        (member("pipe", type=tarfile.FIFOTYPE), "Only files"),
        (member("root", mode=0o4755), "Setuid"),
        (member("group", mode=0o2755), "Setuid"),
        (member("folder", mode=0o1777, type=tarfile.DIRTYPE), "Setuid"),
        (member("bot.py", b"again"), "twice"),
        (member("bot.py/inside", b""), "both a file and a folder"),
    ],
)
def test_special_file_is_refused(member_: tuple[tarfile.TarInfo, bytes], why: str) -> None:
    assert why in refusal(tar_of(member_))


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (("link", b"/etc/shadow", stat.S_IFLNK | 0o777), "Links"),
        (("pipe", b"", stat.S_IFIFO | 0o644), "Only files"),
        (("disk", b"", stat.S_IFBLK | 0o644), "Only files"),
        (("root", b"", stat.S_IFREG | 0o4755), "Setuid"),
        (("bot.py/inside", b"", REGULAR), "both a file and a folder"),
    ],
)
def test_zip_archives_likewise(entry: tuple[str, bytes, int], why: str) -> None:
    assert why in refusal(zip_of(entry))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_duplicate_name_is_refused() -> None:
    assert "twice" in refusal(zip_of(("bot.py", b"other", REGULAR)))


def test_bombs_are_refused() -> None:
    zeros = bytes(3 << 20)
    assert "more than 2 MiB" in refusal(zip_of(("zeros", zeros, REGULAR)))
    assert "more than 2 MiB" in refusal(tar_of(member("zeros", zeros)))
    # Small ones are recognised by their compression ratio.
    assert "100 times" in refusal(zip_of(("zeros", bytes(1_900_000), REGULAR)))


def test_many_small_ones_are_a_bomb_too() -> None:
    chance = random.Random(4)
    parts = [(f"part{n}", chance.randbytes(100_000) + bytes(100_000), REGULAR) for n in range(12)]
    small = RunnerSettings(Path(), Path(), archive_mb=4, unpacked_mb=2)
    data = zip_of(*parts)
    with pytest.raises(ArchiveRefused, match="more than 2 MiB"):
        unpack(io.BytesIO(data), len(data), Memory(), small)


def test_an_archive_inside_an_archive_is_a_file() -> None:
    inner = zip_of(("zeros", bytes(1_900_000), REGULAR))
    _, sink = opened(zip_of(("inner.zip", inner, REGULAR)))
    assert sink.read("inner.zip", 1 << 20) == inner


def test_too_many_files_are_refused() -> None:
    files = [(f"file{number}", b"", REGULAR) for number in range(50)]
    assert "more than 50 files" in refusal(zip_of(*files))
    assert "more than 50 files" in refusal(tar_of(*[member(name) for name, _, _ in files]))


def test_a_large_archive_is_refused_unread() -> None:
    assert "larger than 1 MiB" in refusal(random.Random(1).randbytes((1 << 20) + 1))


@pytest.mark.parametrize("pack", ["zip", "tar", "gz"])
@pytest.mark.parametrize("kept", [0.02, 0.3, 0.6, 0.8])
def test_truncated_archives_are_refused(pack: str, kept: float) -> None:
    content = random.Random(3).randbytes(50_000)
    data = {
        "zip": lambda: zip_of(("data", content, REGULAR)),
        "tar": lambda: tar_of(member("data", content), kind="w:"),
        "gz": lambda: tar_of(member("data", content)),
    }[pack]()
    refusal(data[: int(len(data) * kept)])


def test_a_tar_archive_cut_between_two_files_is_refused() -> None:
    data = tar_of(member("data", b"x" * 512), kind="w:")
    assert "no end" in refusal(data[: 4 * 512])


@pytest.mark.parametrize("seed", range(40))
def test_damage_is_refused_or_harmless(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(chance.choice([zip_of, tar_of])())  # type: ignore[operator]
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    with contextlib.suppress(ArchiveRefused):
        opened(bytes(data))


def test_lying_sizes_are_refused() -> None:
    content = random.Random(5).randbytes(1000)
    made = bytearray(zip_of(("data", content, REGULAR), kind=zipfile.ZIP_STORED))
    central = made.rindex(b"PK\x01\x02")
    for size in (10, 100_000, 0xFFFF_FFFE):
        struct.pack_into("<I", made, central + 24, size)
        refusal(bytes(made))


def test_a_header_that_claims_gigabytes_is_refused() -> None:
    # The extended header states its own length; it would be read in one piece.
    info, _ = member("pax", type=tarfile.XHDTYPE, size=3 << 30)
    data = info.tobuf(tarfile.USTAR_FORMAT) + bytes(10 << 20)
    assert refusal(gzip.compress(data))


def test_a_file_before_the_beginning_is_refused() -> None:
    made = bytearray(zip_of(kind=zipfile.ZIP_STORED))
    end = made.rindex(b"PK\x05\x06")
    [begin] = struct.unpack_from("<I", made, end + 16)
    struct.pack_into("<I", made, end + 16, begin + 1)  # so that all offsets are too high by one
    assert "damaged" in refusal(bytes(made))


@pytest.mark.parametrize("mode", [b"\xff" * 8, b"\x80" + b"\x7f" * 7])
def test_an_invalid_file_mode_is_refused(mode: bytes) -> None:
    made = bytearray(tar_of(kind="w:"))
    made[100:108] = mode  # the encoding of negative or large numbers by GNU tar
    assert "cannot be read" in refusal(_with_sums(bytes(made)))


def test_encrypted_and_odd_zip_archives_are_refused() -> None:
    made = bytearray(zip_of(("data", b"x" * 100, REGULAR)))
    central = made.rindex(b"PK\x01\x02")
    made[central + 8] |= 1
    assert "encrypted" in refusal(bytes(made))
    assert "stored or deflated" in refusal(zip_of(("data", b"x", REGULAR), kind=zipfile.ZIP_BZIP2))


@pytest.mark.parametrize("data", [b"", b"hello", b"\x7fELF" + bytes(1000), b"PK\x03\x04", bytes(9)])
def test_invalid_archive_is_refused(data: bytes) -> None:
    refusal(data)


def _with_sums(tarred: bytes) -> bytes:
    """Return the same archive with corrected header checksums."""
    fixed = bytearray(tarred)
    for place in range(0, len(fixed), 512):
        block = fixed[place : place + 512]
        if block[257:262] == b"ustar":
            block[148:156] = b" " * 8
            fixed[place + 148 : place + 156] = b"%06o\0 " % sum(block)
    return bytes(fixed)


# --- store ----------------------------------------------------------------------------------------


def installed(data: bytes, then: Callable[[Path], None], name: str | None = None) -> None:
    """Install this archive with a runner, and examine the result."""

    async def run() -> None:
        async with ground() as there:
            sha256 = name or hashlib.sha256(data).hexdigest()
            path = there.root / "upload"
            path.write_bytes(data)
            await there.runner.install(sha256, path)
            # Not read, because the archive is installed.
            await there.runner.install(sha256, there.root / "absent")
            then(there.root / "store" / sha256)

    asyncio.run(run())


@pytest.mark.process
def test_an_archive_is_stored_read_only_for_all() -> None:
    def look(place: Path) -> None:
        files = sorted(path for path in place.rglob("*"))
        assert (place / "bot" / "mine" / "bot.py").read_text() == BOT
        for path in files:
            about = path.lstat()
            assert about.st_uid == place.stat().st_uid
            assert stat.S_IMODE(about.st_mode) in (0o755, 0o644)

    installed(archive_of({"mine/bot.py": BOT, "mine/a/b/c.txt": "c"}), look)


@pytest.mark.process
def test_sources_that_break_the_compiler_are_stored_all_the_same() -> None:
    nested = "x = " + "(" * 5000 + ")" * 5000
    installed(archive_of({"bot.py": BOT, "deep.py": nested, "bad.py": "def"}), lambda place: None)


@pytest.mark.process
def test_an_archive_that_was_changed_here_is_not_its_authors_fault() -> None:
    with pytest.raises(CannotStore, match="not the archive that its SHA-256 says"):
        installed(archive_of({"bot.py": BOT}), lambda place: None, "0" * 64)


@pytest.mark.process
@pytest.mark.parametrize("name", ["../../etc", "A" * 64, "0" * 63, ""])
def test_a_name_that_is_not_a_hash_is_refused(name: str) -> None:
    with pytest.raises(ArchiveRefused, match="SHA-256"):
        installed(archive_of({"bot.py": BOT}), lambda place: None, name or "x")


@pytest.mark.process
def test_a_bomb_leaves_nothing_in_the_store() -> None:
    async def run() -> None:
        async with ground() as there:
            with pytest.raises(ArchiveRefused, match="times the size of the archive"):
                await there.install(archive_of({"bot.py": BOT, "zeros": bytes(30 << 20)}))
            assert list((there.root / "store").iterdir()) == []

    asyncio.run(run())


@pytest.mark.process
def test_an_archive_that_is_gone_is_not_its_authors_fault() -> None:
    async def run() -> None:
        async with ground() as there:
            with pytest.raises(CannotStore, match="absent"):
                await there.runner.install("0" * 64, there.root / "absent")
            await there.install(archive_of({"bot.py": BOT}))  # the runner still works

    asyncio.run(run())


@pytest.mark.process
def test_one_archive_asked_for_at_once_is_unpacked_once() -> None:
    async def run() -> None:
        async with ground() as there:
            data = archive_of({"bot.py": BOT})
            await asyncio.gather(*(there.install(data) for _ in range(5)))
            assert len(list((there.root / "store").iterdir())) == 1

    asyncio.run(run())
