"""Version and build of the running engine: native code or Python sources."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec


def is_native() -> bool:
    """Return whether the engine runs as native code, without loading it."""
    spec = find_spec("damrak_engine.state")
    return spec is not None and str(spec.origin).endswith(tuple(EXTENSION_SUFFIXES))


def version_line() -> str:
    """Return what `--version` prints: the package, its version, and the build of the engine."""
    try:
        number = version("damrak")
    except PackageNotFoundError:
        number = "(not installed)"
    return f"damrak {number} ({'native' if is_native() else 'interpreted'} engine)"
