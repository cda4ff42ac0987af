"""The choice between native code and Python sources of the engine, at import.

Debuggers, coverage measurement and the comparison of both builds need the interpreted engine. The
packages of the wire format and the referee are compiled together with the engine, so they are
interpreted together with it, too.
"""

from __future__ import annotations

import os  # not pathlib: every process that imports damrak runs this first
import sys
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)

PACKAGES = ("damrak_engine", "damrak_wire", "damrak_referee")
SWITCH = "DAMRAK_INTERPRETED"

_FOLDERS = ("referee/damrak_engine", "proto/damrak_wire", "referee/damrak_referee")


def is_wanted() -> bool:
    """Return whether to run the sources: if DAMRAK_INTERPRETED=1, or if compiled modules are stale.

    Native modules compiled from other sources than those beside them, as after a `git pull` without
    `make`, play by outdated rules or fail to load.
    """
    wish = os.environ.get(SWITCH)
    if wish is not None:
        return wish == "1"
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    if _chosen_already() or not changed_since_compiled(checkout):
        return False
    os.environ[SWITCH] = "1"  # child processes must agree, and need not print the warning again
    sys.stderr.write(
        "damrak: the engine was compiled from other sources than these; "
        "running interpreted, which is slower (cure: make compile)\n"
    )
    return True


def changed_since_compiled(root: str | os.PathLike[str]) -> bool:
    """Return whether a native module of this checkout is older than its source or lacks one."""
    if not os.path.isfile(os.path.join(root, "hatch_build.py")):
        return False  # a wheel, whose modules always match
    suffix = EXTENSION_SUFFIXES[0]
    native = [
        os.path.join(folder, name)
        for top in _FOLDERS
        for folder, _, names in os.walk(os.path.join(root, top))
        for name in names
        if name.endswith(suffix)
    ]
    compiled_at = min(map(os.path.getmtime, native), default=0.0)
    sources = [path.removesuffix(suffix) + ".py" for path in native]
    return any(not os.path.exists(it) or os.path.getmtime(it) > compiled_at for it in sources)


def force_interpreted_engine() -> None:
    """Make all later imports of the engine in this process use its Python sources.

    Raises:
        RuntimeError: compiled modules of the engine are imported already; nothing was changed.
    """
    if compiled := _native_modules():
        raise RuntimeError(f"too late for an interpreted engine, already imported: {compiled}")
    sys.path_hooks.insert(0, _source_finder)
    sys.path_importer_cache.clear()


def _chosen_already() -> bool:
    """Return whether this process already runs the sources, or has imported native modules."""
    # Compared by name: this file is also run by its path, which creates a second function object.
    hooks = {getattr(hook, "__name__", "") for hook in sys.path_hooks}
    return _source_finder.__name__ in hooks or bool(_native_modules())


def _native_modules() -> list[str]:
    return [name for name in sys.modules if name.startswith(PACKAGES) and _is_native(name)]


def _is_native(name: str) -> bool:
    spec = sys.modules[name].__spec__
    return spec is not None and isinstance(spec.loader, ExtensionFileLoader)


def _source_finder(path: str) -> FileFinder:
    """A path hook for the folders of these packages that finds source files only."""
    if not set(PACKAGES) & set(path.replace("\\", "/").rstrip("/").split("/")[-2:]):
        raise ImportError(f"{path} is no folder of a compiled package")
    return FileFinder(path, (SourceFileLoader, SOURCE_SUFFIXES))
