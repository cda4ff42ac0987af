"""The contents of a bot's sandbox."""

import json
from pathlib import Path

import pytest

from sandboxes import Ground, archive_of, on_ground, program

pytestmark = pytest.mark.process

REPORT = """
import ctypes, json, os, resource, socket, sys
status = dict(line[:-1].split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
print(json.dumps({
    "uid": os.getresuid(), "gid": os.getresgid(), "groups": os.getgroups(),
    "status": {name: status[name] for name in
               ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")},
    "root": sorted(os.listdir("/")), "bot": sorted(os.listdir("/bot")),
    "run": os.listdir("/run"), "etc": sorted(os.listdir("/etc")),
    "site": sorted(os.listdir("/runtime/site")),
    "other_site": os.listdir("/runtime/python/lib/python%d.%d/site-packages" % sys.version_info[:2])
        if os.path.exists("/runtime/python") else [],
    "descriptors": [name for name in os.listdir("/proc/self/fd")
                    if os.path.exists("/proc/self/fd/" + name)],
    "environ": dict(os.environ), "cwd": os.getcwd(), "host": socket.gethostname(),
    "pids": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
    "nofile": resource.getrlimit(resource.RLIMIT_NOFILE),
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "first": os.listdir("/proc/1"),
    "hash": hash("damrak"),
}))
"""


def test_a_bot_has_no_rights_and_finds_only_what_it_is_given() -> None:
    async def look(ground: Ground) -> None:
        first, second = await ground.run(REPORT), await ground.run(REPORT)
        assert first.cause == "ended", first
        seen = json.loads(first.output)
        full = ground.runner.isolation == "full"
        settings = ground.runner.settings
        uid = seen["uid"][0]
        assert seen["uid"] == [uid] * 3
        assert seen["gid"] == [uid] * 3
        assert uid != 0
        assert set(seen["groups"]) <= {uid, 65534}
        if full:
            assert uid in range(settings.first_uid, settings.first_uid + 64 * 256)
            assert int(seen["status"]["CapBnd"], 16) == 0
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert int(seen["status"][name], 16) == 0
        assert (seen["status"]["NoNewPrivs"], seen["status"]["Seccomp"]) == ("1", "2")
        assert seen["bot"] == ["__pycache__", "bot.py", "damrak.toml"]
        assert seen["run"] == ["referee.sock"]
        assert set(seen["etc"]) <= {"ld.so.cache", "alternatives"}
        assert {"home", "root", "var", "sys", "boot", "work"}.isdisjoint(seen["root"])
        assert {"damrak", "damrak_engine", "damrak_wire", "grpc", "google"} <= set(seen["site"])
        assert {"damrak_referee", "damrak_ladder"}.isdisjoint(seen["site"])
        assert seen["other_site"] == []
        assert set(seen["descriptors"]) == {"0", "1", "2"}
        assert (seen["cwd"], seen["host"], seen["pids"]) == ("/bot", "bot", [1, 2])
        assert seen["nofile"] == [settings.open_files] * 2
        assert seen["core"] in ([1, 1], [0, 0])  # 0 if this process may not have more itself
        # Process 1 is bubblewrap: its arguments and memory are not accessible there.
        assert seen["first"] == []
        names = seen["environ"].keys()
        assert {"DAMRAK_ADDRESS", "PYTHONHASHSEED"} <= names
        assert {"USER", "VIRTUAL_ENV", "CI", "SHELL"}.isdisjoint(names)
        assert seen["environ"]["DAMRAK_ADDRESS"] == "unix:/run/referee.sock"
        # The same bot behaves identically twice.
        assert json.loads(second.output)["hash"] == seen["hash"]

    on_ground(look)


def test_the_packages_for_bots_are_there_and_no_others() -> None:
    code = """
import damrak, damrak_engine.rules, damrak_wire
import google.protobuf, grpc, networkx, numpy, onnxruntime, scipy.sparse
print(numpy.arange(3).sum(), networkx.path_graph(3).size())
for name in ("damrak_referee", "damrak_ladder", "pytest", "rich", "pip", "structlog"):
    try:
        __import__(name)
    except ImportError:
        continue
    print("BREACH", name)
"""

    async def look(ground: Ground) -> None:
        exit = await ground.run(code)
        assert exit.output == "3 2\n", exit

    on_ground(look, memory_mb=1024)


def test_a_program_in_another_language_runs() -> None:
    shell = '#!/bin/sh\necho "$0 $1 $(id -u | tr 0-9 x | head -c 1)"\n'
    toml = 'run = ["./prog", "with an argument"]\n'

    async def look(ground: Ground) -> None:
        seat = await ground.seat(archive_of({"damrak.toml": toml, "prog": shell}))
        exit = await seat.exit()
        assert (exit.cause, exit.output) == ("ended", "./prog with an argument x\n"), exit

    on_ground(look)


def test_a_bot_in_a_single_folder_of_its_archive_is_found() -> None:
    files = {
        "mybot/damrak.toml": 'run = ["python3", "-S", "main.py"]',
        "mybot/main.py": "import os; print(sorted(os.listdir('.')), os.getcwd())",
        "__MACOSX/mybot/._main.py": "junk",
    }

    async def look(ground: Ground) -> None:
        exit = await (await ground.seat(archive_of(files))).exit()
        assert exit.output == "['__pycache__', 'damrak.toml', 'main.py'] /bot\n", exit

    on_ground(look)


def test_beginning_and_end_of_a_bots_output_are_kept() -> None:
    code = "print('begin'); print('x' * 500_000, flush=True); print('end')"

    async def look(ground: Ground) -> None:
        exit = await ground.run(code)
        assert exit.cause == "ended"
        assert exit.output.startswith("begin\nxxx")
        assert exit.output.endswith("xxx\nend\n")
        assert "bytes are not kept]" in exit.output
        assert len(exit.output) < 70_000

    on_ground(look)


def test_resource_use_of_a_bot_is_reported() -> None:
    code = "data = bytearray(60 << 20)\nwhile __import__('time').process_time() < 0.2: pass"

    async def look(ground: Ground) -> None:
        exit = await ground.run(code)
        if ground.runner.isolation == "full":
            assert exit.cpu_us >= 200_000
            assert exit.memory_bytes >= 60 << 20

    on_ground(look)


def test_two_seats_talk_to_their_own_referee_only() -> None:
    code = """
import socket
line = socket.socket(socket.AF_UNIX)
line.connect("/run/referee.sock")
line.sendall(line.recv(100))
line.recv(1)
"""

    async def look(ground: Ground) -> None:
        seats = [await ground.seat(program(code)) for _ in range(2)]
        for number, seat in enumerate(seats):
            assert await seat.ask(b"seat %d" % number) == b"seat %d" % number
        for seat in seats:
            assert (await seat.stop()).cause == "stopped"

    on_ground(look)


def test_a_folder_can_be_exposed(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    (tool / "bin").mkdir(parents=True)
    (tool / "bin" / "greet").write_text("#!/bin/sh\necho hello\n")
    (tool / "bin" / "greet").chmod(0o755)

    async def look(ground: Ground) -> None:
        exit = await (await ground.seat(archive_of({"damrak.toml": 'run = ["greet"]'}))).exit()
        assert exit.output == "hello\n", exit
        beside = await ground.run(f"import os; print(os.listdir({str(tool.parent)!r}))")
        assert beside.output == "['tool']\n", beside

    on_ground(look, expose=(tool,))
