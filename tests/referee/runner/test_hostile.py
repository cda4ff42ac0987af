"""Hostile bots in real sandboxes.

Each of them runs beside an innocent bot, which must not be affected. Each must end by its own
fault, or do no more than waste its own time until it is stopped, and the machine must be clean
afterwards. The bots try forbidden actions, and print BREACH if one succeeds.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from damrak_referee.runner.client import Exit
from damrak_referee.runner.slots import BLOCK
from processes import bots_of, children_of, relay_of
from sandboxes import INNOCENT, Ground, Seat, on_ground, processes_of, program

pytestmark = pytest.mark.process

SECRET = "DAMRAK_TEST_SECRET_4711"

PRELUDE = """
import ctypes, errno, os, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, call, *arguments):
    try:
        result = call(*arguments)
    except (OSError, MemoryError, RuntimeError, ValueError) as problem:
        return print("refused", name, type(problem).__name__, flush=True)
    print("BREACH", name, repr(result)[:200], flush=True)
def syscall(name, number, *arguments):
    if os.uname().machine != "x86_64":
        return  # the numbers are those of this machine only
    def call():
        if libc.syscall(number, *arguments) < 0:
            raise OSError(ctypes.get_errno(), "refused")
    attempt(name, call)
def read(path):
    with open(path, "rb") as file:
        return file.read(1000)
def put(path, data):
    with open(path, "wb", 0) as file:
        return file.write(data)
def connect():
    line = socket.socket(socket.AF_UNIX)
    line.connect("/run/referee.sock")
    return line
"""


def attack(
    code: str,
    judge: Callable[[Exit], None],
    stop_after: str | None = None,
    during: Callable[[Ground], None] = lambda ground: None,
    **changes: object,
) -> None:
    """Run a program beside an innocent bot; with `stop_after`, stop it once it has printed that."""

    async def run(ground: Ground) -> None:
        innocent = await ground.seat(program(INNOCENT))
        assert await innocent.ask() == b"ping"
        hostile = await ground.seat(program(PRELUDE + code))
        if stop_after is None:
            exit = await hostile.exit()
        else:
            assert await hostile.ask(b"go") == stop_after.encode()
            during(ground)
            assert await innocent.ask(b"still there") == b"still there"
            exit = await hostile.stop()
        assert "BREACH" not in exit.output, exit.output
        judge(exit)
        await _unharmed(ground, innocent)

    on_ground(run, **changes)


async def _unharmed(ground: Ground, innocent: Seat) -> None:
    """Check that the innocent bot still plays, a new one can, and both leave nothing behind."""
    assert await innocent.ask(b"unharmed") == b"unharmed"
    assert not innocent.handle.exited.done()
    # All user ids of this runner are in the same block as this one.
    first = ground.runner.settings.first_uid
    block = first + (int(await innocent.ask(b"who")) - first) // BLOCK * BLOCK
    after = await ground.seat(program(INNOCENT))
    assert await after.ask() == b"ping"
    for seat in (innocent, after):
        assert (await seat.stop()).cause == "stopped"
    if ground.runner.isolation == "full":
        assert processes_of(range(block, block + BLOCK)) == set()
    assert ground.runner.pid is not None
    assert bots_of(ground.runner.pid) == set()


def is_fault(*causes: str) -> Callable[[Exit], None]:
    """Return a judge that expects the bot to fail by itself, for one of these causes."""

    def judge(exit: Exit) -> None:
        assert exit.cause in causes, exit
        assert exit.owner == "bot"

    return judge


def is_harmless(exit: Exit) -> None:
    """Expect that the bot tried everything without success."""
    assert exit.cause == "ended", exit
    assert exit.output.rstrip().endswith("tried all")


def is_stopped(exit: Exit) -> None:
    """Expect that the bot did not end by itself."""
    assert exit.cause == "stopped", exit


def only_with_groups(ground: Ground) -> None:
    """Skip the test unless limits count all processes of a bot together."""
    why = [line for line in ground.runner.missing if "for each process" in line]
    if why:
        pytest.skip(why[0])


# --- excessive use of resources -------------------------------------------------------------------


def test_fork_bomb() -> None:
    attack(
        """
line = connect(); line.recv(100)
born = 0
while True:
    try:
        if os.fork() == 0:
            while True:
                try: os.fork()
                except OSError: time.sleep(0.05)
        born += 1
    except OSError:
        break
print("born", born, flush=True)
line.sendall(b"bombed\\n")
while True:
    try: os.fork()
    except OSError: time.sleep(0.01)
""",
        is_stopped,
        stop_after="bombed",
    )


def test_thread_bomb() -> None:
    def judge(exit: Exit) -> None:
        assert exit.cause == "ended", exit
        assert int(exit.output.split()[-1]) <= 64

    attack(
        """
started = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        started += 1
except RuntimeError:
    print("threads", started, flush=True)
os._exit(0)
""",
        judge,
    )


def test_memory_bomb() -> None:
    attack("data = [bytearray(1 << 24) for _ in range(1000)]", is_fault("memory"), memory_mb=64)


def test_memory_bomb_of_many_processes() -> None:
    def judge(exit: Exit) -> None:
        assert exit.cause in ("memory", "ended"), exit
        assert exit.memory_bytes <= 96 << 20

    async def run(ground: Ground) -> None:
        only_with_groups(ground)

    on_ground(run)
    attack(
        """
children = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        data = bytearray(32 << 20)
        for place in range(0, len(data), 4096): data[place] = 1
        time.sleep(3600)
    children.append(child)
killed = 0
while not killed:
    killed += os.WIFSIGNALED(os.wait()[1])
print("killed", killed, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
""",
        judge,
        memory_mb=96,
    )


def test_shared_memory_counts_too() -> None:
    attack(
        """
import mmap
def fill():
    spaces = []
    while True:
        space = mmap.mmap(-1, 16 << 20)
        for place in range(0, len(space), 4096): space[place] = 1
        spaces.append(space)
        if len(spaces) > 400: return "6 GiB"
attempt("shared memory", fill)
sys.exit("MemoryError" and 1)
""",
        is_fault("memory", "crash"),
        memory_mb=64,
    )


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_disk_filler(place: str) -> None:
    attack(
        f"""
written = 0
try:
    for number in range(1000):
        with open("{place}/%d" % number, "wb", 0) as file:
            for _ in range(8): written += file.write(bytes(1 << 20))
except OSError as problem:
    assert problem.errno in (errno.ENOSPC, errno.EFBIG), problem
    assert written <= 64 << 20, written
    print("tried all")
""",
        is_harmless,
        memory_mb=256,
    )


def test_a_single_file_is_limited_too() -> None:
    attack(
        """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill():
    with open("/tmp/large", "wb", 0) as file:
        while True: file.write(bytes(1 << 20))
attempt("large file", fill)
attempt("bot folder", lambda: open("/bot/x", "w"))
for folder in ("/", "/run", "/dev", "/usr", "/usr/lib", "/runtime", "/etc", "/proc"):
    attempt("write to " + folder, lambda: open(folder + "/x", "w"))
    attempt("make a folder in " + folder, lambda: os.mkdir(folder + "/x"))
print("tried all")
""",
        is_harmless,
        file_mb=8,
    )


def test_filler_with_empty_files() -> None:
    def judge(exit: Exit) -> None:
        assert exit.cause == "memory" or "refused" in exit.output, exit

    async def run(ground: Ground) -> None:
        only_with_groups(ground)

    on_ground(run)
    attack(
        """
def fill():
    for number in range(10_000_000):
        os.close(os.open("/tmp/%d" % number, os.O_CREAT | os.O_WRONLY))
attempt("empty files", fill)
""",
        judge,
        memory_mb=48,
    )


def test_cpu_hog() -> None:
    def judge(exit: Exit) -> None:
        is_fault("crash")(exit)
        assert "processor time" in exit.detail

    attack("while True: pass", judge, cpu_seconds=1)


def test_cpu_hog_with_many_processes_leaves_room_for_others() -> None:
    attack(
        """
line = connect(); line.recv(100)
for _ in range(8):
    if os.fork() == 0:
        while True: pass
line.sendall(b"spinning\\n")
while True: pass
""",
        is_stopped,
        stop_after="spinning",
    )


def test_cpu_hog_that_hands_its_work_on() -> None:
    def judge(exit: Exit) -> None:
        is_fault("crash")(exit)
        assert "processor time" in exit.detail

    async def run(ground: Ground) -> None:
        only_with_groups(ground)

    on_ground(run)
    attack(
        """
while True:
    child = os.fork()
    if child == 0:
        while time.process_time() < 0.2: pass
        os._exit(0)
    os.waitpid(child, 0)
""",
        judge,
        cpu_seconds=1,
    )


def test_memory_bomb_of_files_without_a_name() -> None:
    def judge(exit: Exit) -> None:
        assert exit.cause == "memory" or "refused" in exit.output, exit

    attack(
        """
def fill():
    files = []
    for _ in range(100):
        files.append(os.memfd_create("x"))
        for _ in range(8): os.write(files[-1], bytes(1 << 20))
    return len(files)
attempt("800 MiB", fill)
""",
        judge,
        memory_mb=96,
    )


def test_sleeper() -> None:
    attack(
        "line = connect(); line.sendall(line.recv(100)); time.sleep(3600)",
        is_stopped,
        stop_after="go",
    )


def test_never_connecting() -> None:
    async def run(ground: Ground) -> None:
        innocent = await ground.seat(program(INNOCENT))
        hostile = await ground.seat(program("import time; time.sleep(3600)"))
        assert await innocent.ask() == b"ping"
        assert not hostile.joined.done()
        assert (await hostile.stop()).cause == "stopped"
        await _unharmed(ground, innocent)

    on_ground(run)


def test_output_flood() -> None:
    attack(
        "while True: os.write(1, b'x' * 65536)",
        is_fault("output"),
    )


def test_output_flood_from_a_child_that_stays_behind() -> None:
    attack(
        """
if os.fork() == 0:
    os.setsid()
    while True: os.write(2, b'x' * 65536)
time.sleep(3600)
""",
        is_fault("output"),
    )


# --- access to the outside ------------------------------------------------------------------------


def test_socket_opener() -> None:
    host = socket.socket(socket.AF_UNIX)
    name = f"damrak-test-{os.getpid()}"
    host.bind(f"\0{name}")
    host.listen()
    inet = socket.create_server(("127.0.0.1", 0))
    port = inet.getsockname()[1]
    try:
        attack(
            f"""
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
attempt("name", lambda: socket.getaddrinfo("example.org", 80))
for family in ("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_BLUETOOTH",
               "AF_ALG", "AF_TIPC"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        if hasattr(socket, family):
            attempt(family, lambda: socket.socket(getattr(socket, family), kind))
            attempt("pair", lambda: socket.socketpair(getattr(socket, family), kind))
abstract = socket.socket(socket.AF_UNIX)
attempt("abstract socket of the host", lambda: abstract.connect("\\0{name}"))
print("tried all")
""",
            is_harmless,
        )
    finally:
        host.close()
        inet.close()


def test_reader_of_foreign_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, SECRET)
    here = Path(__file__).resolve()

    async def run(ground: Ground) -> None:
        token = ground.root / "tokens"
        token.write_text(SECRET)
        innocent = await ground.seat(program(INNOCENT))
        assert await innocent.ask() == b"ping"
        other = ground.runner.folder / "00000000" / "0.sock"
        places = [
            "/etc/shadow", "/etc/passwd", "/etc/hostname", "/root/.bashrc", "/home", "/var/log",
            "/proc/1/environ", "/proc/1/root/etc/shadow", "/proc/1/cwd", "/proc/2/../1/maps",
            "/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/sys",
            "/bot/../etc/shadow", "/tmp/../root", "/run/../var", str(here), str(token), str(other),
            str(ground.root / "store"), str(ground.runner.folder), str(ground.root),
        ]  # fmt: skip
        code = f"""
for place in {places!r}:
    attempt(place, read, place)
    attempt(place, os.listdir, place)
line = socket.socket(socket.AF_UNIX)
attempt("the other seat", lambda: line.connect({str(other)!r}))
for process in os.listdir("/proc"):
    if process.isdigit():
        for name in ("environ", "cmdline", "maps", "stack", "mountinfo", "status"):
            try:
                said = read("/proc/%s/%s" % (process, name))
            except OSError:
                continue
            if b"TEST_SECRET" in said: print("BREACH", process, name, flush=True)
if "TEST_SECRET" in repr(os.environ): print("BREACH environment")
print("tried all")
"""
        exit = await ground.run(PRELUDE + code)
        assert "BREACH" not in exit.output, exit.output
        is_harmless(exit)
        await _unharmed(ground, innocent)

    on_ground(run)


def test_reader_of_leftovers() -> None:
    leave = """
for place in ("/tmp/left", "/dev/shm/left"):
    open(place, "w").write("left")
import mmap
os.mkfifo("/tmp/fifo")
socket.socket(socket.AF_UNIX).bind("/tmp/socket")
socket.socket(socket.AF_UNIX).bind("\\0abstract")
if os.fork() == 0:
    os.setsid(); time.sleep(3600)
print("tried all")
"""
    look = """
for place in ("/tmp", "/dev/shm"):
    if os.listdir(place): print("BREACH", place, os.listdir(place))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0abstract"))
if [name for name in os.listdir("/proc") if name.isdigit()] != ["1", "2"]: print("BREACH processes")
print("tried all")
"""

    async def run(ground: Ground) -> None:
        for code in (leave, look):
            exit = await ground.run(PRELUDE + code)
            assert "BREACH" not in exit.output, exit.output
            is_harmless(exit)

    on_ground(run)


def test_signals_and_tracing() -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        attack(
            f"""
targets = [{bystander.pid}, {os.getpid()}, 1, *range(3, 200)]
for target in targets:
    if target != 1:
        attempt("kill %d" % target, os.kill, target, signal.SIGKILL)
    syscall("ptrace %d" % target, 101, 16, target, 0, 0)
    syscall("process_vm_readv %d" % target, 310, target, 0, 0, 0, 0, 0)
syscall("trace me", 101, 0, 0, 0, 0)
attempt("kill all", os.kill, -1, signal.SIGKILL)
syscall("kcmp", 312, 1, 2, 0, 0, 0)
attempt("memory of process 1", lambda: open("/proc/1/mem", "r+b"))
attempt("setpriority", os.setpriority, os.PRIO_PROCESS, 0, -20)
attempt("oom score", put, "/proc/self/oom_score_adj", b"-1000")
print("tried all")
""",
            is_harmless,
        )
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_privileges_and_namespaces() -> None:
    attack(
        """
attempt("setuid", os.setuid, 0)
attempt("setresgid", os.setresgid, 0, 0, 0)
attempt("setgroups", os.setgroups, [0])
attempt("chroot", os.chroot, "/tmp")
attempt("mknod", os.mknod, "/tmp/disk", 0o600 | 0o060000, os.makedev(254, 0))
attempt("sethostname", socket.sethostname, "other")
attempt("clock", time.clock_settime, time.CLOCK_REALTIME, 0)
import resource
attempt("rlimit", resource.setrlimit, resource.RLIMIT_NOFILE, (100_000, 100_000))
attempt("handler of crashes", resource.setrlimit, resource.RLIMIT_CORE, (0, 0))
none = (ctypes.c_ulong * 2)(0, 0)
for what in (resource.RLIMIT_CORE, resource.RLIMIT_CORE | 1 << 32):
    syscall("handler of crashes", 302, 0, ctypes.c_ulong(what), none, 0)
    syscall("handler of crashes", 160, ctypes.c_ulong(what), none)
calls = {"mount": 165, "umount2": 166, "pivot_root": 155, "unshare": 272, "setns": 308,
         "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425,
         "keyctl": 250, "add_key": 248, "init_module": 175, "finit_module": 313, "reboot": 169,
         "open_by_handle_at": 304, "fsopen": 430, "open_tree": 428, "move_mount": 429,
         "pidfd_getfd": 438, "iopl": 172, "syslog": 103, "swapon": 167, "shmget": 29,
         "clone3": 435, "newer than all": 470, "quotactl": 179, "acct": 163,
         "kexec_load": 246, "mount_setattr": 442, "fanotify_init": 300, "sync": 162}
for name, number in calls.items():
    syscall(name, number, 0x10000000, 0, 0, 0, 0, 0)
syscall("syncfs", 306, os.open("/usr", os.O_RDONLY))
for flag in (0x10000000, 0x20000000, 0x40000000, 0x00020000, 0x02000000, 0x04000000, 0x08000000):
    syscall("clone %x" % flag, 56, flag | 17, 0, 0, 0, 0)
def setuid_program():
    for folder in ("/usr/bin", "/usr/sbin"):
        for name in ("su", "mount", "passwd", "chsh", "newgrp"):
            path = os.path.join(folder, name)
            if os.path.exists(path) and os.stat(path).st_mode & 0o4000:
                if os.spawnl(os.P_WAIT, path, name, "-c", "id -u") == 0: return path
    raise OSError("none")
attempt("setuid program", setuid_program)
print("tried all")
""",
        is_harmless,
    )


def test_symlinks_and_devices() -> None:
    attack(
        """
os.symlink("/etc/shadow", "/tmp/a")
os.symlink("/proc/1/root", "/tmp/b")
os.symlink("/../../../..", "/tmp/c")
for place in ("/tmp/a", "/tmp/b/etc/passwd", "/tmp/c/etc/shadow", "/tmp/c/root/.bashrc"):
    attempt(place, read, place)
attempt("hard link", os.link, "/usr/bin/env", "/tmp/env")
attempt("hard link to the socket", os.link, "/run/referee.sock", "/tmp/sock")
attempt("remove the socket", os.unlink, "/run/referee.sock")
attempt("move the socket", os.rename, "/run/referee.sock", "/run/x")
import fcntl
attempt("terminal", open, "/dev/tty")
for number in (0, 1, 2):
    attempt("type into a terminal", fcntl.ioctl, number, 0x5412, b"x")  # TIOCSTI
devices = sorted(name for name in os.listdir("/dev"))
print(devices)
known = {"core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout",
         "tty", "urandom", "zero", "console"}
if set(devices) - known: print("BREACH devices", set(devices) - known)
print("tried all")
""",
        is_harmless,
    )


def test_signals_through_shared_files() -> None:
    attack(
        """
import fcntl
for path in ("/usr/bin/env", "/bot/bot.py", sys.executable, "/usr", "/bot"):
    file = os.open(path, os.O_RDONLY)
    for how in (fcntl.LOCK_SH, fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN):
        attempt("flock " + path, fcntl.flock, file, how)
    asked = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
    for command in (fcntl.F_GETLK, fcntl.F_SETLK, fcntl.F_SETLKW, 36, 37, 38):
        attempt("lock %d %s" % (command, path), fcntl.fcntl, file, command, asked)
    for command in (fcntl.F_SETLEASE, fcntl.F_GETLEASE, fcntl.F_NOTIFY):
        attempt("watch %d %s" % (command, path), fcntl.fcntl, file, command, 0)
    assert fcntl.fcntl(file, fcntl.F_GETFL) >= 0
def watch():
    if libc.inotify_init1(0) < 0: raise OSError(ctypes.get_errno(), "refused")
attempt("inotify", watch)
print("tried all")
""",
        is_harmless,
    )


def test_mining_proc() -> None:
    attack(
        """
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches",
             "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe",
             "/proc/acpi", "/proc/irq/default_smp_affinity"):
    attempt(path, put, path, b"-1")
numbers = [name for name in os.listdir("/proc") if name.isdigit()]
if len(numbers) > 2: print("BREACH processes", numbers)
for name in ("net/tcp", "net/unix", "net/arp"):
    lines = open("/proc/" + name).read().splitlines()[1:] if os.path.exists("/proc/" + name) else []
    if any("referee" in line and "/run/referee.sock" not in line for line in lines):
        print("BREACH", name, lines)
print("tried all")
""",
        is_harmless,
    )


# --- processes that do not exit -------------------------------------------------------------------


def test_ignoring_signals_and_daemonising() -> None:
    attack(
        """
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
line = connect(); line.recv(100)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(0); os.close(1); os.close(2)
            while True: time.sleep(1)
        os._exit(0)
line.sendall(b"daemonised\\n")
while True: time.sleep(1)
""",
        is_stopped,
        stop_after="daemonised",
    )


def test_leaving_daemons_behind() -> None:
    def judge(exit: Exit) -> None:
        assert exit.cause == "ended", exit

    attack(
        """
if os.fork() == 0:
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
os.wait()
sys.exit(0)
""",
        judge,
    )


@pytest.mark.parametrize(
    ("code", "detail"),
    [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("os._exit(7)", "status 7"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("os.abort()", "SIGABRT"),
        ("raise ValueError('on purpose')", "status 1"),
        ("line = connect(); line.close(); sys.exit(3)", "status 3"),
        ("os.execv('/usr/bin/env', ['env', 'false'])", "status 1"),
        ("os.kill(1, signal.SIGKILL); os.kill(1, signal.SIGTERM); os._exit(9)", "status"),
    ],
)
def test_crashing_on_purpose_is_never_the_hosts_fault(code: str, detail: str) -> None:
    def judge(exit: Exit) -> None:
        is_fault("crash")(exit)
        assert detail in exit.detail

    attack(code, judge)


def test_exiting_half_way() -> None:
    def judge(exit: Exit) -> None:
        assert (exit.cause, exit.owner) == ("ended", "bot")

    async def run(ground: Ground) -> None:
        code = "line = connect(); line.sendall(line.recv(100)); os._exit(0)"
        hostile = await ground.seat(program(PRELUDE + code))
        assert await hostile.ask(b"half way") == b"half way"
        judge(await hostile.exit())

    on_ground(run)


def test_bwrap_killed_from_outside_is_the_hosts_fault() -> None:
    async def run(ground: Ground) -> None:
        seat = await ground.seat(program(INNOCENT))
        assert await seat.ask() == b"ping"
        assert ground.runner.pid is not None
        (sandbox,) = children_of(ground.runner.pid) - {relay_of(ground.runner.pid)}
        os.kill(sandbox, signal.SIGKILL)
        exit = await seat.exit()
        assert (exit.cause, exit.owner) == ("lost", "host"), exit

    on_ground(run)


def test_many_sandboxes_at_once_leave_nothing() -> None:
    async def run(ground: Ground) -> None:
        for _ in range(4):
            exits = await asyncio.gather(*(ground.run("print('hello')") for _ in range(10)))
            assert [exit.output for exit in exits] == ["hello\n"] * 10

    on_ground(run)
