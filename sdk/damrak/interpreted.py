"""Run the engine from its sources although compiled modules lie beside them.

A debugger, a coverage measurement and the comparison of both builds need the interpreted engine.
The wire and the referee are compiled together with it, and so are interpreted together with it.
"""

import sys
from importlib.machinery import SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader

PACKAGES = ("damrak_engine", "damrak_wire", "damrak_referee")


def force_interpreted_engine() -> None:
    """Make every later import of the engine in this process take its Python source.

    Raises:
        RuntimeError: compiled modules of the engine are imported already; nothing was changed.
    """
    if compiled := [name for name in sys.modules if name.startswith(PACKAGES) and _is_native(name)]:
        raise RuntimeError(f"too late for an interpreted engine, already imported: {compiled}")
    sys.path_hooks.insert(0, _source_finder)
    sys.path_importer_cache.clear()


def _is_native(name: str) -> bool:
    spec = sys.modules[name].__spec__
    return spec is not None and isinstance(spec.loader, ExtensionFileLoader)


def _source_finder(path: str) -> FileFinder:
    """A path hook for the folders of these packages that knows source files only."""
    if not set(PACKAGES) & set(path.replace("\\", "/").rstrip("/").split("/")[-2:]):
        raise ImportError(f"{path} is no folder of a compiled package")
    return FileFinder(path, (SourceFileLoader, SOURCE_SUFFIXES))
