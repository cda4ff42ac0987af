"""Run the engine from its sources although compiled modules lie beside them.

A debugger, a coverage measurement and the comparison of both builds need the interpreted engine.
The wire and the referee are compiled together with it, and so are interpreted together with it.
"""

import os
import sys
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path

PACKAGES = ("damrak_engine", "damrak_wire", "damrak_referee")
SWITCH = "DAMRAK_INTERPRETED"

_CHECKOUT = Path(__file__).resolve().parents[2]
_FOLDERS = ("referee/damrak_engine", "proto/damrak_wire", "referee/damrak_referee")


def is_wanted() -> bool:
    """Whether this process is to run the sources: with DAMRAK_INTERPRETED=1, and for safety's sake.

    Native modules that were compiled from other sources than those beside them, as after a
    `git pull` without `make`, play by old rules, or do not load at all.
    """
    wish = os.environ.get(SWITCH)
    if wish is not None:
        return wish == "1"
    if _chosen_already() or not changed_since_compiled(_CHECKOUT):
        return False
    os.environ[SWITCH] = "1"  # our child processes have to agree, and need not say it again
    sys.stderr.write(
        "damrak: the engine was compiled from other sources than these; "
        "running interpreted, which is slower (cure: make compile)\n"
    )
    return True


def changed_since_compiled(root: Path) -> bool:
    """Whether a native module in this checkout is older than its source, or has none any more."""
    if not (root / "hatch_build.py").is_file():
        return False  # a wheel, which holds what belongs together
    suffix = EXTENSION_SUFFIXES[0]
    native = [path for folder in _FOLDERS for path in (root / folder).rglob(f"*{suffix}")]
    compiled_at = min((path.stat().st_mtime for path in native), default=0.0)
    sources = [path.with_name(path.name.removesuffix(suffix) + ".py") for path in native]
    return any(not it.exists() or it.stat().st_mtime > compiled_at for it in sources)


def force_interpreted_engine() -> None:
    """Make every later import of the engine in this process take its Python source.

    Raises:
        RuntimeError: compiled modules of the engine are imported already; nothing was changed.
    """
    if compiled := _native_modules():
        raise RuntimeError(f"too late for an interpreted engine, already imported: {compiled}")
    sys.path_hooks.insert(0, _source_finder)
    sys.path_importer_cache.clear()


def _chosen_already() -> bool:
    """Whether this process runs the sources, or has begun with native modules."""
    # By name: this file is also run by its path, which makes another function of it.
    hooks = {getattr(hook, "__name__", "") for hook in sys.path_hooks}
    return _source_finder.__name__ in hooks or bool(_native_modules())


def _native_modules() -> list[str]:
    return [name for name in sys.modules if name.startswith(PACKAGES) and _is_native(name)]


def _is_native(name: str) -> bool:
    spec = sys.modules[name].__spec__
    return spec is not None and isinstance(spec.loader, ExtensionFileLoader)


def _source_finder(path: str) -> FileFinder:
    """A path hook for the folders of these packages that knows source files only."""
    if not set(PACKAGES) & set(path.replace("\\", "/").rstrip("/").split("/")[-2:]):
        raise ImportError(f"{path} is no folder of a compiled package")
    return FileFinder(path, (SourceFileLoader, SOURCE_SUFFIXES))
