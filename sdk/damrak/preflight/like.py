"""Checks of a bot against what a ladder offers to uploaded bots."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from damrak.errors import LadderError
from damrak.hosting.limits import MIB, Limits
from damrak.ladder.address import parse_site
from damrak.ladder.archive import chosen_runtime, pack
from damrak.ladder.site import Site, SiteRefusal, part
from damrak.preflight.checks import Finding, Preflight
from damrak.preflight.imports import Import, imports_of
from damrak.specs import BotSpec
from damrak_engine.clock import TimeControl
from damrak_engine.errors import MatchError
from damrak_wire.errors import WireError
from damrak_wire.runtime import BotRuntime, parse_runtime

_MOST_HOSTS: Final = 1000


@dataclass(frozen=True, slots=True)
class LadderRuntime:
    """What every host of a ladder's site offers to uploaded bots, and the ladder's time control."""

    site: str
    ladder: str
    control: TimeControl
    common: BotRuntime
    pythons: tuple[str, ...]
    runtime: str | None = None
    """The optional runtime that a bot chooses; `common` includes it if every host has it."""

    def for_bot(self, bot: BotSpec) -> LadderRuntime:
        """Return this offer with the packages and limits of the runtime that the bot chooses."""
        name = chosen_runtime(bot.folder) if bot.folder is not None and bot.is_folder else None
        if name is None:
            return self
        found = next((one for one in self.common.runtimes if one.name == name), None)
        if found is None:
            return replace(self, runtime=name)
        limits = replace(
            self.common.limits,
            memory_mb=found.memory_mb,
            archive_mb=found.archive_mb,
            unpacked_mb=found.unpacked_mb,
        )
        packages = (*self.common.packages, *found.packages)
        return replace(
            self, runtime=name, common=replace(self.common, packages=packages, limits=limits)
        )


def fetch_runtime(url: str) -> LadderRuntime:
    """Return the offer of the site at this address, for the ladder whose page it names, if any.

    Raises:
        LadderError: it cannot be reached, is not a ladder, or no host has reported.
    """
    site = Site(parse_site(url, may_be_plain=True))
    wanted = _ladder_named(url)
    try:
        said = site.get("runtime")
        rows = [site.get(f"ladders/{part(wanted)}")] if wanted else site.get("ladders")
    except SiteRefusal as refusal:
        if refusal.status == 404 and not wanted:
            raise LadderError(
                f"{site.address.text}: this version of the ladder does not publish its runtime"
            ) from None
        raise
    try:
        return _parsed(site.address.text, said, rows)
    except (WireError, MatchError, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise LadderError(
            f"{site.address.text}: its response is invalid: {problem}; "
            "check whether it is newer than this version of damrak"
        ) from None


def preflight_like(bot: BotSpec, offered: LadderRuntime) -> Preflight:
    """Return the checks of this bot with the limits and the time control of the ladder."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the sandbox
    allowed = offered.common.limits
    resources = [
        ("NOFILE", allowed.open_files),
        ("FSIZE", allowed.file_mb * MIB),
        ("CPU", allowed.cpu_seconds),
    ]
    if (running := _own_threads()) is not None:
        resources.append(("NPROC", running + allowed.processes))
    limits = Limits(
        memory_bytes=allowed.memory_mb * MIB,
        start_seconds=allowed.start_ms / 1000,
        resources=tuple((name, bound) for name, bound in resources if bound),
    )
    return Preflight(bot, offered.control, limits)


def findings_like(bot: BotSpec, offered: LadderRuntime) -> Iterator[Finding]:
    """Yield findings before the bot runs: the version of Python, imports, the archive."""
    yield _python(offered)
    if offered.runtime is not None:
        yield _runtime(offered.runtime, offered.common)
    if bot.path is not None:
        yield from _imports(bot.path, offered.common)
        yield _archive(bot.path.parent if bot.is_folder else bot.path, offered.common)
    if _own_threads() is None:
        detail = "the number of processes is not limited here (needs Linux without root)"
        yield Finding("ok", "processes", detail)


def _ladder_named(url: str) -> str:
    parts = urlsplit(url if "://" in url else f"//{url}").path.split("/")
    at = parts.index("ladders") + 1 if "ladders" in parts else len(parts)
    return parts[at] if at < len(parts) else ""


def _parsed(site: str, said: Any, rows: Any) -> LadderRuntime:
    if said["common"] is None:
        raise LadderError(
            f"{site}: no host has reported its runtime yet; try again when one is running"
        )
    common = parse_runtime(said["common"])
    hosts = [parse_runtime(one["runtime"]) for one in said["hosts"][:_MOST_HOSTS]]
    fitting = [row for row in rows if row["is_open"] and "uploaded" in row["admits"]] or rows
    ladder: dict[str, Any] = fitting[0] if fitting else {"slug": "", "control": {}}
    control = TimeControl(**ladder["control"])
    pythons = tuple(sorted({one.python for one in hosts}))
    return LadderRuntime(site, str(ladder["slug"]), control, common, pythons)


def _python(offered: LadderRuntime) -> Finding:
    here = platform.python_version()
    there = " or ".join(offered.pythons)
    minors = {version.rpartition(".")[0] for version in offered.pythons}
    if minors == {f"{sys.version_info.major}.{sys.version_info.minor}"}:
        return Finding("ok", "version of Python", f"{here} here, {there} on the ladder")
    return Finding(
        "warn",
        "version of Python",
        f"{here} here, {there} on the ladder",
        f"install damrak under Python {' and '.join(sorted(minors))} and run this check there",
    )


def _runtime(name: str, common: BotRuntime) -> Finding:
    names = ", ".join(one.name for one in common.runtimes)
    for one in common.runtimes:
        if one.name == name:
            detail = (
                f"{name}: import {', '.join(one.imports)} took {one.import_ms} ms and "
                f"{one.import_memory_mb} MiB on the ladder"
            )
            return Finding("ok", "runtime", detail)
    return Finding(
        "fail",
        "runtime",
        f"damrak.toml chooses the runtime {name}, which is not installed on the ladder",
        f"choose one of {names}" if names else "remove it: the ladder has no optional runtimes",
    )


def _imports(entry: Path, common: BotRuntime) -> Iterator[Finding]:
    packages = {module: one for one in common.packages for module in one.modules}
    missing = False
    for one in imports_of(entry):
        if one.module not in packages:
            missing = True
            yield _missing(one, common)
            continue
        package = packages[one.module]
        here = _installed(package.name)
        if here is not None and package.name != "damrak" and here != package.version:
            yield Finding(
                "warn",
                f"imports {one.module}",
                f"{package.name} {here} here, {package.version} on the ladder",
                f"pip install {package.name}=={package.version}",
            )
    if not missing:
        yield Finding("ok", "imports", "all are available on the ladder")


def _missing(one: Import, common: BotRuntime) -> Finding:
    there = ", ".join(f"{package.name} {package.version}" for package in common.packages)
    place = f"{one.file}, line {one.line}: the module {one.module!r} is not available on the ladder"
    cure = (
        f"available are the standard library and {there}; put pure Python modules next to the bot"
        f"{_choice(one, common)}"
    )
    return Finding("warn" if one.is_optional else "fail", f"imports {one.module}", place, cure)


def _choice(one: Import, common: BotRuntime) -> str:
    """Return advice if an optional runtime has the module."""
    for runtime in common.runtimes:
        if any(one.module in package.modules for package in runtime.packages):
            return f'; or choose its runtime: runtime = "{runtime.name}" in damrak.toml'
    return ""


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _archive(place: Path, common: BotRuntime) -> Finding:
    limits = common.limits
    try:
        packed = pack(place)
    except (LadderError, OSError) as problem:
        return Finding("fail", "archive", str(problem), "remove files that the bot does not need")
    detail = (
        f"{len(packed.data) / MIB:.1f} MiB with {len(packed.names)} files; "
        f"{limits.archive_mb} MiB and {limits.archive_files} files are allowed"
    )
    if len(packed.data) > limits.archive_mb * MIB or len(packed.names) > limits.archive_files:
        cure = "list files that the bot does not need in .damrakignore"
        return Finding("fail", "archive", detail, cure)
    return Finding("ok", "archive", detail)


def _own_threads() -> int | None:
    """Return the number of this user's threads, or None if RLIMIT_NPROC does not apply to it.

    The limit counts the threads of all processes of the user.
    """
    if sys.platform != "linux" or os.geteuid() == 0:
        return None
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == os.geteuid():
                    count += len(os.listdir(f"/proc/{entry.name}/task"))
            except OSError:
                continue
    return count
