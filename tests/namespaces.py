"""Two network namespaces joined by a cable that can drop packets; requires root.

The calling thread moves into the first one, together with the processes that it starts. Servers run
in the second one, at `SERVER`. The machine's own network is not changed, and everything is removed
when the process that holds the second namespace ends.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CLIENT, SERVER = "198.18.0.1", "198.18.0.2"  # reserved for tests of networks (RFC 2544)
_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_ENTER = (
    "import ctypes, sys; ctypes.CDLL(None).unshare(0x40000000); print(flush=True); sys.stdin.read()"
)


class Cable:
    """The connection between the namespaces."""

    def __init__(self, holder: int) -> None:
        self._holder = holder

    @contextmanager
    def at_server(self) -> Iterator[None]:
        """Run the context in the namespace of the servers."""
        with _inside(Path(f"/proc/{self._holder}/ns/net")):
            yield

    def cut(self) -> None:
        """Drop all packets: requests are never answered, and connections are not refused."""
        self._route("add")

    def mend(self) -> None:
        """Deliver packets again."""
        self._route("del")

    def _route(self, verb: str) -> None:
        with self.at_server():
            _ip("route", verb, "blackhole", f"{CLIENT}/32")


@contextmanager
def cable() -> Iterator[Cable]:
    """Move this thread into a new namespace with a cable to the other one."""
    _need_namespaces()
    holder = subprocess.Popen(
        [sys.executable, "-c", _ENTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with _inside(None):
            _ip("link", "set", "lo", "up")
            names = ("dmk-client", "type", "veth", "peer", "name", "dmk-server")
            _ip("link", "add", *names, "netns", str(holder.pid))
            _ip("addr", "add", f"{CLIENT}/30", "dev", "dmk-client")
            _ip("link", "set", "dmk-client", "up")
            joined = Cable(holder.pid)
            with joined.at_server():
                _ip("link", "set", "lo", "up")
                _ip("addr", "add", f"{SERVER}/30", "dev", "dmk-server")
                _ip("link", "set", "dmk-server", "up")
            yield joined
    finally:
        holder.kill()
        holder.communicate()


def _need_namespaces() -> None:
    """Skip the test if namespaces are not available; fail as root in CI, where they must be."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can make network namespaces")
    if shutil.which("ip") is None:
        why = "no `ip`: .ci/sandbox installs iproute2"
    elif subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode:
        why = "network namespaces cannot be made here"
    else:
        return
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@contextmanager
def _inside(namespace: Path | None) -> Iterator[None]:
    """Run the context in a network namespace, or in a new one, and restore the former one."""
    kernel = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open() as former:
        if namespace is None:
            failed = kernel.unshare(_NEW_NETWORK)
        else:
            with namespace.open() as there:
                failed = kernel.setns(there.fileno(), _NEW_NETWORK)
        assert not failed, os.strerror(ctypes.get_errno())
        try:
            yield
        finally:
            assert not kernel.setns(former.fileno(), _NEW_NETWORK)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
